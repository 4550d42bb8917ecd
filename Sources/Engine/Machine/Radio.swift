import Bluetooth
import Model
import HeapModule

/// What an adapter does in its present session. It either scans or connects: a connection that is made while the same
/// adapter discovers takes 10 s instead of 0.3 (docs/bluez.md).
enum RadioState: Hashable, Sendable {
  /// Neither; links may be up.
  case idle
  /// It was told to scan and does not do so yet.
  case opening(Window)
  /// It scans.
  case scanning(Window)
  /// It was told to end its scan.
  case closing(Window)
  /// It connects to a room's device.
  case connecting(room: Int, since: MonotonicInstant)
  /// It is being switched off and on.
  case powerCycling

  /// A scan window.
  struct Window: Hashable, Sendable {
    /// What it is for.
    let purpose: ListeningPurpose
    /// When the adapter was told to scan, and then, when it did.
    var since: MonotonicInstant
    /// Whether the adapter did scan.
    var hasBegun = false
    /// Whether anything was reported in it.
    var hasReports = false

    /// A window this long was one, even if no device was heard.
    private static let shortest = Duration.seconds(1)

    /// Whether the stack did let the adapter scan, in a window that ended now and was not told to.
    func didScan(at now: MonotonicInstant) -> Bool {
      hasBegun && (hasReports || since.duration(to: now) >= Self.shortest)
    }

    /// A stack that has not begun to scan by then does not answer. bluetoothd does so within milliseconds.
    private static let longestStart = Duration.seconds(5)

    /// Whether the stack had the time to begin, and did not.
    func didNotStart(at now: MonotonicInstant) -> Bool {
      !hasBegun && since.duration(to: now) >= Self.longestStart
    }
  }

  /// Its scan window, while it has one.
  var window: Window? {
    switch self {
    case .opening(let window), .scanning(let window), .closing(let window): window
    case .idle, .connecting, .powerCycling: nil
    }
  }
}

extension RadioState {
  /// The states without what is true in them, for the diagram.
  enum Kind: String, CaseIterable, Sendable {
    case idle
    case opening
    case scanning
    case closing
    case connecting
    case powerCycling
  }

  /// Which state this is.
  var kind: Kind {
    switch self {
    case .idle: .idle
    case .opening: .opening
    case .scanning: .scanning
    case .closing: .closing
    case .connecting: .connecting
    case .powerCycling: .powerCycling
    }
  }

  /// The states that may follow a state; what is not here never happens. A session may be over in any of them.
  static let transitions: [Kind: Set<Kind>] = [
    .idle: [.opening, .connecting, .powerCycling],
    .opening: [.scanning, .closing, .idle],
    .scanning: [.closing, .idle],
    .closing: [.idle],
    .connecting: [.idle],
    .powerCycling: [],
  ]
}

/// An adapter in one session.
struct Radio: Sendable {
  let session: RadioSession
  let limits: RadioLimits
  /// What it does. Changed by `enter` alone.
  private(set) var state = RadioState.idle
  /// How many links it can hold at once.
  var slots: LinkSlots
  /// Links that it holds, and the one that is being made.
  var links = 0
  /// Since when it has been connecting without a scan window.
  var connectingSince: MonotonicInstant?
  /// When its last scan window ended, or its last connection was made.
  var disturbedAt: MonotonicInstant?
  /// Whether its last scan window found no device that it could connect to.
  var hadNoCandidates = false
  /// Whether it connected to a device for the first time since its last scan window.
  var hasFirstAttempts = false
  /// Rooms whose link is being taken down.
  var disconnecting: Set<Int> = []
  /// Not used before then: the stack refused to scan.
  var heldUntil: MonotonicInstant?
  var scanTime: ScanTime
  /// Its scan time when it last reported anything.
  var lastReport: Duration
  /// Whether it was switched off and on in this run because it heard nothing.
  let wasPowerCycled: Bool
  /// Whether it was reported to hear nothing all the same.
  var isReportedDeaf = false
  /// Whether another program scans with it.
  var isShared = false
  /// The devices that it may connect to, the next first. Outdated entries are skipped.
  var candidates = Heap<Candidate>()
  /// The proofs of what it wrote, by the scan time at which the wait is over. Some are over already.
  var proofs = Heap<Due<Duration>>()

  init(
    _ session: RadioSession, limits: RadioLimits, slots: LinkSlots, scanTime: Duration, wasPowerCycled: Bool
  ) {
    (self.session, self.limits, self.slots) = (session, limits, slots)
    self.scanTime = ScanTime(total: scanTime)
    lastReport = scanTime
    self.wasPowerCycled = wasPowerCycled
  }

  var id: AdapterID { session.adapter }

  /// Takes up another state, a legal successor of the present one.
  mutating func enter(_ next: RadioState) {
    precondition(
      RadioState.transitions[state.kind, default: []].contains(next.kind)
        || state.kind == next.kind && state.window != nil,
      "an adapter goes from \(state.kind) to \(next.kind)")
    state = next
  }

  /// Notes that something was reported in its window.
  mutating func reported(at now: MonotonicInstant) {
    lastReport = scanTime.total(at: now)
    switch state {
    case .scanning(var window) where !window.hasReports:
      window.hasReports = true
      state = .scanning(window)
    case .closing(var window) where !window.hasReports:
      window.hasReports = true
      state = .closing(window)
    default:
      break
    }
  }

  /// Whether it has scanned for long without a report of any device.
  func hearsNothing(at now: MonotonicInstant) -> Bool {
    scanTime.total(at: now) - lastReport >= limits.deafAfter
  }

  /// Whether it is left alone for now.
  func isHeld(at now: MonotonicInstant) -> Bool { heldUntil.map { now < $0 } ?? false }

  /// Until when it does not scan, for the sake of its links.
  var quietUntil: MonotonicInstant? { links > 0 ? disturbedAt?.advanced(by: limits.quiet) : nil }
}

/// A device that an adapter may connect to: what failed less often by its own doing comes first, then the manifest's order.
struct Candidate: Comparable, Sendable {
  /// Failed attempts that were charged to the device.
  var charged: Int
  var room: Int
  /// Attempts so far: tells whether this is still the same turn.
  var attempts: Int

  static func < (a: Self, b: Self) -> Bool {
    (a.charged, a.room, a.attempts) < (b.charged, b.room, b.attempts)
  }
}

/// Something that is due for a room when a measure has reached a value.
struct Due<Measure: Comparable & Sendable>: Comparable, Sendable {
  var at: Measure
  var room: Int

  static func < (a: Self, b: Self) -> Bool { (a.at, a.room) < (b.at, b.room) }
}

/// How long an adapter has scanned in all.
struct ScanTime: Hashable, Sendable {
  private var past: Duration
  private var since: MonotonicInstant?

  init(total: Duration = .zero) {
    past = total
  }

  func total(at now: MonotonicInstant) -> Duration {
    past + (since.map { $0.duration(to: now) } ?? .zero)
  }

  /// When the total will have reached a value; nil while the adapter does not scan and the value is not reached.
  func instant(of total: Duration, at now: MonotonicInstant) -> MonotonicInstant? {
    let left = total - self.total(at: now)
    if left <= .zero { return now }
    return since == nil ? nil : now.advanced(by: left)
  }

  mutating func start(at now: MonotonicInstant) {
    since = since ?? now
  }

  mutating func stop(at now: MonotonicInstant) {
    past = total(at: now)
    since = nil
  }
}
