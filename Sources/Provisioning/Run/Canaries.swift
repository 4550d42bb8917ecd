import Bluetooth

/// Which rooms go first, so that a wrong password is found with them and not with all.
struct Canaries: Sendable {
  /// How many of each network; nil: all may go at once.
  private let perNetwork: Int?
  /// The rooms that went first, network by network.
  private var chosen: [String: [RoomID]] = [:]
  /// The work that waits, in order.
  private(set) var held: [RoomWork] = []
  /// Whether the first were judged: whatever comes up later follows at once.
  private var areJudged = false
  /// Whether somebody said that the rest is not to follow.
  private var isRefused = false
  /// The networks of which no room went well.
  private var failed: Set<String> = []

  init(perNetwork: Int?) {
    self.perNetwork = perNetwork
  }

  /// The network of a room; rooms without one are among themselves.
  private static func network(_ work: RoomWork) -> String { work.room.settings[.wifiSSID]?.shown ?? "" }

  /// What may begin of work that has come up; the rest waits. Those that were heard go first.
  mutating func admit(_ works: [RoomWork], isHeard: (BluetoothAddress) -> Bool) -> [RoomWork] {
    guard let perNetwork, !areJudged else { return works }
    var first: Set<RoomID> = []
    for work in works.filter({ isHeard($0.address) }) + works.filter({ !isHeard($0.address) }) {
      let network = Self.network(work)
      guard chosen[network, default: []].count < perNetwork else { continue }
      chosen[network, default: []].append(work.room.id)
      first.insert(work.room.id)
    }
    held += works.filter { !first.contains($0.room.id) }
    return works.filter { first.contains($0.room.id) }
  }

  /// The rooms that went first, once all of them have their outcome and others wait for it; nil else.
  func due(_ outcomes: [RoomID: RoomFinished]) -> [RoomFinished]? {
    guard !areJudged, !held.isEmpty else { return nil }
    let rooms = chosen.sorted { $0.key < $1.key }.flatMap(\.value)
    let finished = rooms.compactMap { outcomes[$0] }
    return finished.count == rooms.count ? finished : nil
  }

  /// Takes out the work of networks of which no room went well.
  mutating func takeFailed(_ outcomes: [RoomID: RoomFinished]) -> [RoomWork] {
    failed = Set(
      chosen.filter { !$1.contains { outcomes[$0]?.outcome.isSuccess == true } }.keys)
    defer { held.removeAll { failed.contains(Self.network($0)) } }
    return held.filter { failed.contains(Self.network($0)) }
  }

  /// Why work that comes up must not begin, after what was said of the first; nil when nothing was said against it.
  func objection(to work: RoomWork) -> FailureReason.Code? {
    if isRefused { return .canariesRefused }
    return failed.contains(Self.network(work)) ? .canariesFailed : nil
  }

  /// Takes out what waited: it was said whether it may follow.
  mutating func takeHeld(isRefused: Bool = false) -> [RoomWork] {
    areJudged = true
    self.isRefused = isRefused
    defer { held = [] }
    return held
  }
}

extension ApplyRun {
  /// Has the first rooms judged once they are done, and begins the rest if it may follow.
  func attendCanaries() async throws(Stop) {
    guard let first = canaries.due(outcomes) else { return }
    for work in canaries.takeFailed(outcomes) {
      try await finish(work.room, .pending, reason: FailureReason(.canariesFailed))
    }
    var approved = true
    if !canaries.held.isEmpty {
      approved = await environment.judge(first)
      if Task.isCancelled { throw .interrupted }
      try await commit(.canariesJudged(.init(rooms: first.map(\.room), approved: approved)))
    }
    try await begin(canaries.takeHeld(isRefused: !approved))
  }

  /// Begins work that has come up, as far as it may begin.
  func begin(_ works: [RoomWork]) async throws(Stop) {
    var allowed: [RoomWork] = []
    for work in works {
      if let code = canaries.objection(to: work) {
        try await finish(work.room, .pending, reason: FailureReason(code))
      } else {
        allowed.append(work)
      }
    }
    for work in canaries.admit(allowed, isHeard: { air[$0]?.lastHeard != nil }) { undertake(work) }
  }
}
