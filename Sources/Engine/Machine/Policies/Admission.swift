import Bluetooth
import Model

/// Which rooms may begin: the first of each network before the others, and none after too many failures.
struct Admission: Sendable {
  /// How many rooms of each network go first, so that a wrong password is found with them; nil: all may go at once.
  private let perNetwork: Int?
  /// How many rooms may fail before no more are begun; nil: all.
  private let failureLimit: Int?
  /// The rooms that went first, network by network.
  private var first: [String: [Int]] = [:]
  /// Whether the first were judged, or are being: whatever comes up later follows at once.
  private var areJudged = false
  /// Whether somebody is being asked about the first.
  private(set) var isBeingAsked = false
  /// Whether somebody said that the rest is not to follow.
  private var isRefused = false
  /// The networks of which no room went well.
  private var failed: Set<String> = []
  /// How many rooms failed.
  private(set) var failures = 0

  init(perNetwork: Int?, failureLimit: Int?) {
    (self.perNetwork, self.failureLimit) = (perNetwork, failureLimit)
  }

  /// The network of a room; rooms without one are among themselves.
  static func network(_ work: RoomWork) -> String { work.room.settings[.wifiSSID]?.shown ?? "" }

  // MARK: The first rooms

  /// The places of those that may begin of rooms that have come up; the rest waits. Those that were heard go first.
  mutating func admit(
    _ rooms: [(place: Int, work: RoomWork)], isHeard: (BluetoothAddress) -> Bool
  ) -> Set<Int> {
    guard let perNetwork, !areJudged else { return Set(rooms.map(\.place)) }
    var admitted: Set<Int> = []
    let heard = rooms.filter { isHeard($0.work.address) }
    for (place, work) in heard + rooms.filter({ !isHeard($0.work.address) }) {
      let network = Self.network(work)
      guard first[network, default: []].count < perNetwork else { continue }
      first[network, default: []].append(place)
      admitted.insert(place)
    }
    return admitted
  }

  /// The rooms that went first, network by network, once all of them have their outcome; nil before that, and once they
  /// were judged.
  func due(_ isFinished: (Int) -> Bool) -> [Int]? {
    guard !areJudged, !isBeingAsked else { return nil }
    return firstRooms.allSatisfy(isFinished) ? firstRooms : nil
  }

  /// The rooms that went first, network by network.
  var firstRooms: [Int] { first.sorted { $0.key < $1.key }.flatMap(\.value) }

  /// Finds the networks of which no room went well.
  mutating func judgeNetworks(_ isSuccess: (Int) -> Bool) {
    failed = Set(first.filter { !$1.contains(where: isSuccess) }.keys)
  }

  /// Somebody is asked whether the rest may follow.
  mutating func ask() { isBeingAsked = true }

  /// Whether the rest may follow was said, or need not be asked.
  mutating func judged(isApproved: Bool) {
    (areJudged, isBeingAsked, isRefused) = (true, false, !isApproved)
  }

  /// Why a room that comes up must not begin, after what the first came to; nil when nothing is against it.
  func objection(to work: RoomWork) -> FailureReason? {
    if isRefused { return .canariesRefused }
    return failed.contains(Self.network(work)) ? .canariesFailed : nil
  }

  // MARK: Too many failures

  /// A room failed.
  mutating func failedOne() { failures += 1 }

  /// A room that failed is tried again.
  mutating func renewed() { failures -= 1 }

  /// Whether only so many rooms may fail.
  var isLimited: Bool { failureLimit != nil }

  /// Whether no more rooms are begun.
  var isClosed: Bool { failureLimit.map { failures > $0 } ?? false }

  /// Whether no connection is made for now: after so many more failures no more rooms would be begun.
  func mayClose(after judging: Int) -> Bool { failureLimit.map { failures + judging > $0 } ?? false }
}
