import Bluetooth

/// Which device is dialled next: a pure value. It is told what happened and says what to do; it has no clock,
/// no tasks and no IO. This one keeps one adapter busy with one device at a time.
struct Schedule: Sendable {
  /// What to do next.
  enum Action: Hashable, Sendable {
    /// Dial this room's device; it was heard a short while ago.
    case dial(RoomID, BluetoothAddress, attempt: Int)
    /// Listen until one of these is heard or the time is up, then report `windowEnded`.
    case listen([BluetoothAddress], until: MonotonicInstant)
    /// Do nothing until then.
    case wait(until: MonotonicInstant)
    /// This room is given up.
    case giveUp(RoomID, FailureReason)
    /// Nothing is left to do.
    case finished
  }

  /// How a room is doing.
  private struct Entry: Sendable {
    var room: RoomID
    var address: BluetoothAddress
    var budget: Int
    /// How long a window listens for it before it is dialled; nil when its own session does that.
    var search: Duration?
    var attempts = 0
    /// Attempts that ended because the adapter or the stack went away.
    var hostFailures = 0
    var notBefore: MonotonicInstant?
    var windowsMissed = 0
  }

  /// Limits; each with its reason.
  enum Limits {
    /// An adapter dials only what it heard this recently: BlueZ's objects die 30 s after discovery stops
    /// (BLUEZ.md), and 10 s are left for the attempt to begin.
    static let freshness = Duration.seconds(20)
    /// How many windows a device may miss before it is given up.
    static let windows = 2
    /// The pause before the second attempt; it doubles with each further one.
    static let firstPause = Duration.seconds(2)
    /// The longest pause between attempts, jitter aside.
    static let longestPause = Duration.seconds(30)
    /// Attempts after the first at a device that refuses in its own words.
    static let refusalRetries = 1
    /// How often the adapter or the stack may go away under one device.
    static let hostFailures = 5
  }

  /// Rooms still to do, the next to be tried first.
  private var queue: [Entry] = []

  /// Adds a room; rooms are tried in the order in which they were added.
  /// - Parameter search: how long a window listens for its device, which must have been heard before it is dialled;
  ///   nil when its own session does that.
  mutating func add(_ room: RoomID, device address: BluetoothAddress, retries: Int, search: Duration?) {
    queue.append(Entry(room: room, address: address, budget: retries, search: search))
  }

  /// The rooms still to do, in order.
  var remaining: [RoomID] { queue.map(\.room) }

  /// What to do next, given when each device was last heard.
  func next(at now: MonotonicInstant, lastHeard: (BluetoothAddress) -> MonotonicInstant?) -> Action {
    if queue.isEmpty { return .finished }
    let due = queue.filter { ($0.notBefore ?? now) <= now }
    if let fresh = due.first(where: { $0.search == nil || isFresh(lastHeard($0.address), at: now) }) {
      return .dial(fresh.room, fresh.address, attempt: fresh.attempts + 1)
    }
    if let lost = due.first(where: { $0.windowsMissed >= Limits.windows }) {
      return .giveUp(lost.room, FailureReason(.neverHeard))
    }
    if !due.isEmpty {
      let longest = due.compactMap(\.search).max() ?? .zero
      return .listen(due.map(\.address), until: now.advanced(by: longest))
    }
    // The queue is not empty and nothing is due: somebody has a pause.
    return .wait(until: queue.compactMap(\.notBefore).min() ?? now)
  }

  private func isFresh(_ heard: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let heard else { return false }
    return heard.duration(to: now) <= Limits.freshness
  }

  /// A listening window for these devices ran to its end; `heard` are those it heard.
  mutating func windowEnded(for addresses: [BluetoothAddress], heard: Set<BluetoothAddress>) {
    for index in queue.indices where addresses.contains(queue[index].address) {
      if heard.contains(queue[index].address) {
        queue[index].windowsMissed = 0
      } else {
        queue[index].windowsMissed += 1
      }
    }
  }

  /// A room has its outcome, or was given up.
  mutating func finish(_ room: RoomID) {
    queue.removeAll { $0.room == room }
  }

  /// An attempt failed. Returns how long the room pauses when another attempt follows, at the back of the
  /// queue; nil when it has none left, and is out.
  /// - Parameter jitter: chance, 0…1, that keeps devices from coming back in step.
  mutating func attemptFailed(
    _ room: RoomID, _ failure: FailureClass, at now: MonotonicInstant, jitter: Double
  ) -> Duration? {
    guard let index = queue.firstIndex(where: { $0.room == room }) else { return nil }
    var entry = queue.remove(at: index)
    entry.attempts += 1
    if failure == .host { entry.hostFailures += 1 }
    let charged = entry.attempts - entry.hostFailures
    let hasMore =
      switch failure {
      case .transient, .missing, .outOfSlots: charged <= entry.budget
      case .refused: charged <= min(entry.budget, Limits.refusalRetries)
      case .host: entry.hostFailures <= Limits.hostFailures
      case .permanent, .cancelled: false
      }
    guard hasMore else { return nil }
    let doubled = Limits.firstPause * (1 << min(max(charged - 1, 0), 8))
    let pause = min(doubled, Limits.longestPause) * (1 + jitter / 2)
    entry.notBefore = now.advanced(by: pause)
    entry.windowsMissed = 0
    queue.append(entry)
    return pause
  }
}
