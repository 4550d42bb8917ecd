import Bluetooth
import Model

/// Which rooms may begin: the first rooms of each WiFi network before the others, and no room after too many
/// failures.
struct Admission: Sendable {
  /// How many rooms of each network go first, so that they reveal a wrong password; nil when all rooms may
  /// begin at once.
  private let perNetwork: Int?
  /// How many rooms may fail before no further room begins; nil for no limit.
  private let failureLimit: Int?
  /// The first rooms, by network.
  private var first: [String: [Int]] = [:]
  /// Whether the result of the first rooms was decided. Rooms that get a device later then begin at once.
  private var areJudged = false
  /// Whether a decision about the first rooms is pending.
  private(set) var isBeingAsked = false
  /// Whether the operator rejected the remaining rooms.
  private var isRefused = false
  /// The networks in which no first room succeeded.
  private var failed: Set<String> = []
  private(set) var failures = 0

  init(perNetwork: Int?, failureLimit: Int?) {
    (self.perNetwork, self.failureLimit) = (perNetwork, failureLimit)
  }

  /// The network of a room. Rooms without a network form a group of their own.
  static func network(_ work: RoomWork) -> String { work.room.settings[.wifiSSID]?.shown ?? "" }

  // MARK: The first rooms

  /// The places of the rooms that may begin, among rooms that got a device; the others wait. Rooms whose
  /// device was received go first.
  mutating func admit(
    _ rooms: [(place: Int, work: RoomWork)], isReceived: (BluetoothAddress) -> Bool
  ) -> Set<Int> {
    guard let perNetwork, !areJudged else { return Set(rooms.map(\.place)) }
    var admitted: Set<Int> = []
    let received = rooms.filter { isReceived($0.work.address) }
    for (place, work) in received + rooms.filter({ !isReceived($0.work.address) }) {
      let network = Self.network(work)
      guard first[network, default: []].count < perNetwork else { continue }
      first[network, default: []].append(place)
      admitted.insert(place)
    }
    return admitted
  }

  /// The first rooms, by network, once all of them have an outcome; nil before that, and once their result is
  /// decided or a decision is pending.
  func due(_ isFinished: (Int) -> Bool) -> [Int]? {
    guard !areJudged, !isBeingAsked else { return nil }
    return firstRooms.allSatisfy(isFinished) ? firstRooms : nil
  }

  var firstRooms: [Int] { first.sorted { $0.key < $1.key }.flatMap(\.value) }

  /// Determines the networks in which no first room succeeded.
  mutating func judgeNetworks(_ isSuccess: (Int) -> Bool) {
    failed = Set(first.filter { !$1.contains(where: isSuccess) }.keys)
  }

  /// A decision about the remaining rooms is pending from now on.
  mutating func ask() { isBeingAsked = true }

  /// Takes the decision about the remaining rooms; `true` also where none is necessary.
  mutating func judged(isApproved: Bool) {
    (areJudged, isBeingAsked, isRefused) = (true, false, !isApproved)
  }

  /// Why a room must not begin, by the result of the first rooms; nil when it may.
  func objection(to work: RoomWork) -> FailureReason? {
    if isRefused { return .canariesRefused }
    return failed.contains(Self.network(work)) ? .canariesFailed : nil
  }

  // MARK: Too many failures

  mutating func failedOne() { failures += 1 }

  /// A room that failed gets a further attempt and no longer counts as failed.
  mutating func renewed() { failures -= 1 }

  var isLimited: Bool { failureLimit != nil }

  /// Whether no further room may begin.
  var isClosed: Bool { failureLimit.map { failures > $0 } ?? false }

  /// Whether the limit would be exceeded if all these undecided attempts failed. No connection starts
  /// meanwhile.
  func mayClose(after diagnosing: Int) -> Bool { failureLimit.map { failures + diagnosing > $0 } ?? false }
}
