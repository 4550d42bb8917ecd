import Bluetooth

/// The scan failures of an adapter over all its sessions of a run: when the run may use it again after a
/// refused scan, and when it gives the adapter up.
struct AdapterHealth: Hashable, Sendable {
  /// A run gives an adapter up after this many refusals in a row.
  static let tolerableRefusals = 10
  /// A run also gives an adapter up after this many timeouts in a row, if they span `longestSilence`.
  static let tolerableSilences = 3
  /// The time from the first of these timeouts to the last.
  static let longestSilence = Duration.seconds(30)
  /// A run also gives an adapter up after this many sessions in a row that were shorter than `steadyAfter`.
  static let tolerableFlaps = 12
  /// After this time in use, an adapter that is lost did not merely come and go.
  static let steadyAfter = Duration.seconds(30)
  /// The number of short sessions in a row without a cool-down: somebody plugs it in somewhere else.
  private static let freeFlaps = 3
  /// The cool-down after the first refusal; it doubles with each further one.
  static let firstPause = Duration.seconds(1)
  /// The longest cool-down.
  static let longestPause = Duration.seconds(5)

  /// The scan windows in a row that the stack refused, or that ended at once without a report.
  private(set) var refusals = 0
  /// The refusals in a row that were timeouts.
  private var silences: [MonotonicInstant] = []

  /// The sessions in a row that were short.
  private var flaps = 0
  private var sessionBegan: MonotonicInstant?

  /// The end of the cool-down; nil when there is none.
  private(set) var coolDownEnd: MonotonicInstant?
  /// Whether the run switched it off and on. A run does that once for each adapter.
  var wasPowerCycled = false

  /// Whether the stack did not switch it off and on. Only a restart of the stack helps.
  var isStuck = false

  /// Whether the run no longer uses it.
  var isGivenUp: Bool {
    isStuck || comesAndGoes || refusals >= Self.tolerableRefusals
      || silences.count >= Self.tolerableSilences
        && silences[0].duration(to: silences[silences.count - 1]) >= Self.longestSilence
  }

  /// Whether it is lost again and again soon after it has come.
  var comesAndGoes: Bool { flaps >= Self.tolerableFlaps }

  /// Notes the beginning of a session.
  mutating func began(at now: MonotonicInstant) { sessionBegan = now }

  /// Notes the loss of a session. After several short ones, the adapter gets a cool-down.
  mutating func lost(at now: MonotonicInstant) {
    guard let began = sessionBegan else { return }
    sessionBegan = nil
    flaps = began.duration(to: now) < Self.steadyAfter ? flaps + 1 : 0
    guard flaps > Self.freeFlaps else { return }
    let pause = Self.firstPause.doubled(after: flaps - Self.freeFlaps, atMost: Self.longestPause)
    coolDownEnd = max(coolDownEnd ?? now, now.advanced(by: pause))
  }

  func isCoolingDown(at now: MonotonicInstant) -> Bool { coolDownEnd.map { now < $0 } ?? false }

  /// Counts a refused scan. Returns the end of the cool-down.
  /// - Parameter isSilent: whether the stack gave no response.
  @discardableResult
  mutating func refused(at now: MonotonicInstant, isSilent: Bool = false) -> MonotonicInstant {
    refusals += 1
    if isSilent { silences.append(now) } else { silences = [] }
    let end = now.advanced(by: Self.firstPause.doubled(after: refusals, atMost: Self.longestPause))
    coolDownEnd = end
    return end
  }

  /// Removes a cool-down that has ended.
  mutating func expire(at now: MonotonicInstant) {
    if !isCoolingDown(at: now) { coolDownEnd = nil }
  }

  /// Counts a scan window that worked.
  mutating func scanned() {
    refusals = 0
    silences = []
    coolDownEnd = nil
  }
}

extension Duration {
  /// The pause after this many failures: this one after the first, twice as long after each further one.
  func doubled(after failures: Int, atMost longest: Duration) -> Duration {
    min(self * (1 << min(failures - 1, 8)), longest)
  }
}

/// What the run knows of an adapter over all its sessions.
struct AdapterHistory: Hashable, Sendable {
  var health = AdapterHealth()
  /// The last connect times, the oldest first.
  private(set) var connectTimes: [Duration] = []
  /// The last times of sessions that reached the save, the oldest first.
  private(set) var sessionTimes: [Duration] = []
  /// How many links it can hold at once; nil until it was used.
  var slots: LinkSlots?
  /// Whether another program scans with it.
  var foreignScan = ForeignScan.none

  enum ForeignScan: Hashable, Sendable {
    case none
    /// The stack was asked which program scans, or knew of none.
    case asked
    /// It is on record.
    case noted
  }

  mutating func connected(after time: Duration) {
    connectTimes = (connectTimes + [time]).suffix(ConnectPolicy.timesKept)
  }

  mutating func saved(after time: Duration) {
    sessionTimes = (sessionTimes + [time]).suffix(ConnectPolicy.timesKept)
  }
}
