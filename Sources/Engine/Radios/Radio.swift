import Bluetooth
import Model
import HeapModule

/// What an adapter does in its present session. It either scans or connects: a connection that is made while
/// the same adapter discovers takes 10 s instead of 0.3 s (docs/internals/bluez.md).
enum RadioState: Hashable, Sendable {
  /// It neither scans nor connects; links may be up.
  case idle
  /// It was asked to scan and does not scan yet.
  case opening(Window)
  case scanning(Window)
  /// It was asked to end its scan.
  case closing(Window)
  case connecting(room: Int, since: MonotonicInstant)
  /// It is being switched off and on.
  case powerCycling

  struct Window: Hashable, Sendable {
    let purpose: ScanPurpose
    /// When the adapter was asked to scan; once it scans, when it began.
    var since: MonotonicInstant
    /// Whether the adapter began to scan.
    var hasBegun = false
    /// Whether the adapter reported any advertisement in it.
    var hasReports = false

    /// A window of this length counts even if no device was received.
    private static let shortest = Duration.seconds(1)

    /// Whether the stack let the adapter scan, in a window that ends now without a request.
    func didScan(at now: MonotonicInstant) -> Bool {
      hasBegun && (hasReports || since.duration(to: now) >= Self.shortest)
    }

    /// A stack that has not begun to scan by then does not respond. bluetoothd usually takes milliseconds.
    private static let longestStart = Duration.seconds(5)

    /// Whether the stack had enough time to begin and did not.
    func didNotStart(at now: MonotonicInstant) -> Bool {
      !hasBegun && since.duration(to: now) >= Self.longestStart
    }
  }

  /// The scan window; nil outside one.
  var window: Window? {
    switch self {
    case .opening(let window), .scanning(let window), .closing(let window): window
    case .idle, .connecting, .powerCycling: nil
    }
  }

  /// The states without their values, for the diagram.
  enum Kind: String, CaseIterable, Sendable {
    case idle
    case opening
    case scanning
    case closing
    case connecting
    case powerCycling
  }

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

  /// The states that may follow each state; no other transition happens. A session may end in any state.
  static let transitions: [Kind: Set<Kind>] = [
    .idle: [.opening, .connecting, .powerCycling],
    .opening: [.scanning, .closing, .idle],
    .scanning: [.closing, .idle],
    .closing: [.idle],
    .connecting: [.idle],
    .powerCycling: [],
  ]
}

struct Radio: Sendable {
  let session: RadioSession
  /// The state. Only `enter` changes it.
  private(set) var state = RadioState.idle
  /// How many links it can hold at once.
  var slots: LinkSlots
  /// The links that it holds, and those that it is making.
  private(set) var links = 0
  /// The rooms whose link it is making. The stack reports a link before it confirms it, and the next connection begins
  /// in between.
  private var making: Set<Int> = []
  /// The instant from which it has connected without a scan window.
  private(set) var connectingSince: MonotonicInstant?
  /// When its last scan window ended, or its last connection was made.
  private(set) var disturbedAt: MonotonicInstant?
  /// Whether its last scan window found no device that it could connect to.
  private(set) var hadNoCandidates = false
  /// Whether it could not connect to a device because its sighting was too old, or because the stack had forgotten the
  /// device, since its last scan window.
  var hasOldSightings = false
  /// Whether it made an attempt at a device that is not silent since its last scan window.
  private(set) var hasTriedOthers = false
  /// Rooms whose link is being ended.
  private(set) var disconnecting: Set<Int> = []
  /// The end of the cool-down after a refused scan.
  var coolDownEnd: MonotonicInstant?
  private(set) var scanTime: ScanTime
  /// Its scan time at its last report of any device.
  private(set) var lastReport: Duration
  /// When it last reported a device or connected to one: only then is it known to receive.
  private(set) var receivedAt: MonotonicInstant?
  /// The devices of its connection attempts without a link since its last link, one entry for each attempt, without
  /// those that are known not to answer.
  private(set) var unanswered: [BluetoothAddress] = []
  private var hasMadeLinks = false
  /// Whether it was switched off and on in this run.
  let wasPowerCycled: Bool
  /// Whether the record says that it still receives nothing after that.
  var isReportedDeaf = false
  var isShared = false
  /// The devices that it may connect to, the next first. Outdated entries are skipped.
  var candidates = Heap<Candidate>()
  /// What the last look at all candidates found.
  var freshness = CandidateFreshness.unknown
  /// The proofs of devices that it wrote, by the scan time at which the wait ends. Some have ended already.
  var proofs = Heap<Due<Duration>>()

  init(_ session: RadioSession, slots: LinkSlots, scanTime: Duration, wasPowerCycled: Bool) {
    (self.session, self.slots) = (session, slots)
    self.scanTime = ScanTime(total: scanTime)
    lastReport = scanTime
    self.wasPowerCycled = wasPowerCycled
  }

  var id: AdapterID { session.adapter }

  /// Enters another state, a legal successor of the present one.
  mutating func enter(_ next: RadioState) {
    precondition(
      RadioState.transitions[state.kind, default: []].contains(next.kind)
        || state.kind == next.kind && state.window != nil,
      "illegal adapter transition from \(state.kind) to \(next.kind)")
    state = next
  }

  /// It scans from now on. The length of the window counts from here: the stack may have delayed it.
  mutating func scanBegan(at now: MonotonicInstant) {
    guard var window = state.window else { return }
    scanTime.start(at: now)
    window.hasBegun = true
    if case .opening = state {
      window.since = now
      enter(.scanning(window))
    } else {
      enter(.closing(window))
    }
  }

  mutating func scanEnded(at now: MonotonicInstant) {
    scanTime.stop(at: now)
    enter(.idle)
    (connectingSince, coolDownEnd, disturbedAt) = (nil, nil, now)
    (hasTriedOthers, hasOldSightings) = (false, false)
    hadNoCandidates = candidates.isEmpty
  }

  mutating func connect(to room: Int, isSilent: Bool, at now: MonotonicInstant) {
    enter(.connecting(room: room, since: now))
    links += 1
    making.insert(room)
    connectingSince = connectingSince ?? now
    if !isSilent { hasTriedOthers = true }
  }

  /// The stack reports the link: it may connect to the next device.
  /// - Returns: the devices that did not answer although the adapter could make links.
  mutating func linked(to room: Int, at now: MonotonicInstant) -> [BluetoothAddress] {
    endConnecting(to: room)
    disturbedAt = now
    hasMadeLinks = true
    defer { unanswered = [] }
    return unanswered
  }

  /// An attempt has timed out. It counts if the stack has not reported the link.
  mutating func timedOut(connectingTo room: Int, at device: BluetoothAddress) {
    if case .connecting(room, _) = state { unanswered.append(device) }
  }

  private mutating func endConnecting(to room: Int) {
    if case .connecting(room, _) = state { enter(.idle) }
  }

  /// The link can be used.
  mutating func connected(to room: Int, at now: MonotonicInstant) {
    making.remove(room)
    received(at: now)
    slots.connected(holding: links - making.count)
  }

  mutating func disconnect(from room: Int) { disconnecting.insert(room) }

  mutating func linkEnded(to room: Int) {
    links -= 1
    making.remove(room)
    disconnecting.remove(room)
    endConnecting(to: room)
  }

  /// Notes that it received a device.
  mutating func received(at now: MonotonicInstant) {
    lastReport = scanTime.total(at: now)
    receivedAt = now
  }

  /// Notes that its window has a report.
  mutating func reported(at now: MonotonicInstant) {
    received(at: now)
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
  func receivesNothing(at now: MonotonicInstant, for time: Duration? = nil) -> Bool {
    scanTime.total(at: now) - lastReport >= time ?? RadioLimits.deafAfter
  }

  /// Whether several attempts in a row brought no link.
  var makesNoLink: Bool {
    unanswered.count
      >= (hasMadeLinks ? RadioLimits.attemptsWithoutLink : RadioLimits.firstAttemptsWithoutLink)
  }

  /// Whether it receives nothing although it was switched off and on.
  func isKnownDeaf(at now: MonotonicInstant) -> Bool { wasPowerCycled && receivesNothing(at: now) }

  /// Whether it has received nothing since an instant.
  func isSilent(since instant: MonotonicInstant) -> Bool { receivedAt.map { $0 <= instant } ?? true }

  func isCoolingDown(at now: MonotonicInstant) -> Bool { coolDownEnd.map { now < $0 } ?? false }

  /// Until when it does not scan, to keep its links fast; nil without links.
  var quietUntil: MonotonicInstant? {
    links > 0 ? disturbedAt?.advanced(by: RadioLimits.quiet) : nil
  }
}

/// A device that an adapter may connect to. Silent ones come last; then fewer charged failures come first, then the
/// order of the manifest.
struct Candidate: Comparable, Sendable {
  /// `RoomWork.isSilent`.
  var isSilent: Bool
  /// Failed attempts that were charged to the device.
  var charged: Int
  var room: Int
  /// The attempts when the candidate was added. A different number now makes the candidate outdated.
  var attempts: Int

  static func < (a: Self, b: Self) -> Bool {
    if a.isSilent != b.isSilent { return b.isSilent }
    return (a.charged, a.room, a.attempts) < (b.charged, b.room, b.attempts)
  }
}

/// A room and the value of a measure at which something is due for it.
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

  /// When the total reaches a value; nil while the adapter does not scan and the value is not reached.
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

/// Whether an adapter received all its candidates recently enough, as long as that is known.
enum CandidateFreshness: Sendable {
  case unknown
  /// All of them, until this instant; nil if none needs that.
  case all(until: MonotonicInstant?)
  /// Not this one.
  case lacks(Candidate)
}
