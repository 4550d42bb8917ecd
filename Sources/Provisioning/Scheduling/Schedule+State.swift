import Bluetooth
import HeapModule

/// What the schedule knows of rooms and adapters.
extension Schedule {
  /// How a room is doing.
  struct Entry: Sendable {
    enum Phase: Hashable, Sendable {
      /// To be called, or heard, as soon as can be.
      case due
      case pausing(until: MonotonicInstant)
      /// Its budget is spent; it is tried again once it is clearly heard.
      case resting(Rest)
      /// Being connected to.
      case calling(RadioSession)
      /// Its link is up.
      case linked(RadioSession)
      /// Nothing of the radio is needed but ears.
      case proving
    }

    var job: Job
    /// Its place in the manifest's order.
    let order: Int
    var phase = Phase.due
    var attempts = 0
    /// Attempts that count against its budget.
    var charged = 0
    /// How strongly it was heard before the last attempt.
    var strongest: Int?
    /// Attempts that failed for the host's reasons.
    var hostFailures = 0
    /// Attempts that were none: the stack had forgotten the device.
    var timesForgotten = 0
    var failures: [AdapterID: Int] = [:]
    /// Where and how it was heard last.
    var hearings: [AdapterID: (at: MonotonicInstant, rssi: Int?)] = [:]
    /// Where, and how strongly, one that its own session searches was ever heard.
    var reach: [AdapterID: Int] = [:]
    /// The adapters that have it among their candidates.
    var candidacies: Set<AdapterID> = []
    /// It is given up when every adapter has listened this long in all without hearing it.
    var silenceLimit = Duration.zero
  }

  /// What was last heard of a device that rests.
  struct Rest: Hashable, Sendable {
    /// How strongly it was heard when it began to rest, in dBm.
    var rssi: Int?
    /// How long every adapter had listened when it was last heard, or began to rest.
    var ears: Duration
  }

  /// How an adapter is doing.
  struct Radio: Sendable {
    enum Mode: Hashable, Sendable {
      case idle
      case listening(since: MonotonicInstant)
      case stopping
      /// It is being switched off and on.
      case powerCycling
    }

    let session: RadioSession
    var slots: Int
    var mode = Mode.idle
    /// The room whose device it connects to, and since when.
    var calling: (room: RoomID, since: MonotonicInstant)?
    /// Conversations that it holds, the call under way included.
    var links = 0
    /// Since when it has been dialling without a window of listening.
    var callsSince: MonotonicInstant?
    /// When it last ended a window of listening.
    var listenedUntil: MonotonicInstant?
    /// Whether it heard nobody whom it could call.
    var isInVain = false
    /// Conversations whose link is being ended by us.
    var hangingUp: Set<RoomID> = []
    /// Not used before then: the stack refused to scan.
    var heldUntil: MonotonicInstant?
    var ears: Ears
    /// How long it had scanned when it last reported anything.
    var lastReport = Duration.zero
    /// Whether it was switched off and on because it heard nothing.
    var wasPowerCycled = false
    /// Whether it was reported to hear nothing all the same.
    var isReportedDeaf = false
    /// Whether links of an earlier run are being ended on it.
    var isReleasing = false
    /// Whether another program scans with it.
    var isShared = false
    /// Who may be called through it, the next first. Some are here no longer with right; they are passed over.
    var candidates = Heap<Candidate>()
    /// By how long it is to have listened for the proof of whom it wrote. Some are over already.
    var proofs = Heap<Due<Duration>>()

    var id: AdapterID { session.adapter }

    /// Whether it has scanned for long without a report of any device.
    func hearsNothing(at now: MonotonicInstant) -> Bool {
      ears.total(at: now) - lastReport >= Limits.deafAfter
    }
  }

  /// A device that an adapter may call: who was tried less often comes first, then the manifest's order.
  struct Candidate: Comparable, Sendable {
    var attempts: Int
    var order: Int
    var room: RoomID

    static func < (a: Self, b: Self) -> Bool { (a.attempts, a.order) < (b.attempts, b.order) }
  }

  /// A room that waits for its proof.
  struct Proving: Sendable {
    /// The adapter that wrote it, whose listening counts; nil when that is gone: then everybody's does.
    var adapter: AdapterID?
    /// When that adapter's ears have been open this long in all, it is over.
    var limit: Duration
    /// When it is over anyway.
    var settles: MonotonicInstant?
  }

  /// Something that is due at a point of a measure.
  struct Due<Measure: Comparable & Sendable>: Comparable, Sendable {
    var at: Measure
    var order: Int
    var room: RoomID

    static func < (a: Self, b: Self) -> Bool { (a.at, a.order) < (b.at, b.order) }
  }
}

/// How long an adapter has listened in all.
struct Ears: Hashable, Sendable {
  private var closed: Duration
  private var since: MonotonicInstant?

  init(total: Duration = .zero) {
    closed = total
  }

  /// Whether it listens.
  var areOpen: Bool { since != nil }

  func total(at now: MonotonicInstant) -> Duration {
    closed + (since.map { $0.duration(to: now) } ?? .zero)
  }

  /// When it will have listened this long in all; nil while it does not listen.
  func instant(of total: Duration, at now: MonotonicInstant) -> MonotonicInstant? {
    let left = total - self.total(at: now)
    if left <= .zero { return now }
    return areOpen ? now.advanced(by: left) : nil
  }

  mutating func open(at now: MonotonicInstant) {
    since = since ?? now
  }

  mutating func close(at now: MonotonicInstant) {
    closed = total(at: now)
    since = nil
  }
}
