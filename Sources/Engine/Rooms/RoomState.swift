import Bluetooth
import Model

/// The state of a room in a run. Each case has the facts of that state, and its values can only be made from
/// those of a legal predecessor: their initialisers take it, or belong to this file. `RoomState.transitions` is the same
/// as a table, which docs/internals/engine.md draws.
indirect enum RoomState: Sendable {
  /// Nothing is decided: the run surveys.
  case unmatched
  /// Matching found no device for it so far, and the run watches for one.
  case open(Prospect)
  /// Its device must be put into provisioning mode first. The operator may do that during the run.
  case awaitingOperator(Prospect)
  /// Its device was configured elsewhere and only has to be received.
  case awaited
  /// It has a device, and waits for the result of the first rooms of its network.
  case deferred(Deferred)
  /// Its device waits for a connection.
  case queued(Queued)
  /// An adapter is reserved for it; the moment of the action that the device needs is still to come.
  case preparing(Engaged)
  /// An adapter connects to its device.
  case connecting(Engaged)
  case connected(Engaged)
  /// The GATT session is over, and the link is being ended.
  case disconnecting(Disconnecting)
  /// The device was asked to save, and its proof is pending. Only scanning is needed.
  case proving(Proving)
  /// An attempt failed. Whether the host caused that becomes known a little later.
  case diagnosing(Diagnosing)
  case backingOff(BackingOff)
  /// Its budget is spent; a clear sighting of its device brings a further attempt. Only in a watching run.
  case exhausted(Exhausted)
  /// The run stops, and its attempt was ended for that.
  case stopped(RoomWork)
  case finished(Finished)

  /// The outcome of a room if nothing follows.
  struct Prospect: Sendable {
    let outcome: Outcome
    let reason: FailureReason
    fileprivate init(_ outcome: Outcome, _ reason: FailureReason) {
      (self.outcome, self.reason) = (outcome, reason)
    }
  }

  struct Deferred: Sendable {
    let work: RoomWork
    fileprivate init(_ work: RoomWork) { self.work = work }
  }

  struct Queued: Sendable {
    var work: RoomWork
    /// The scan time of every adapter at which the run gives it up without a sighting.
    var silenceLimit: Duration
    /// The adapters that have it among their candidates.
    var candidacies: Set<AdapterID> = []
    fileprivate init(_ work: RoomWork, _ silenceLimit: Duration) {
      (self.work, self.silenceLimit) = (work, silenceLimit)
    }
  }

  struct Engaged: Sendable {
    var work: RoomWork
    let attempt: AttemptID
    let session: RadioSession
    /// The links that the adapter held when it was reserved.
    let links: Int
    /// Whether the adapter may have no slot for this link.
    let isTrial: Bool
    /// When the adapter was reserved; once the attempt began, when it did.
    fileprivate(set) var since: MonotonicInstant
    init(_ queued: Queued, on radio: Radio, at now: MonotonicInstant) {
      work = queued.work
      attempt = AttemptID(room: work.room.id, serial: work.attempts + 1)
      (session, links) = (radio.session, radio.links)
      isTrial = radio.slots.isTrial(making: links + 1)
      since = now
    }
  }

  struct Disconnecting: Sendable {
    var work: RoomWork
    let attempt: AttemptID
    let session: RadioSession
    let began: MonotonicInstant
    let result: Result<Submission, AttemptFailure>
    /// Whether the adapter may have had no slot for the link.
    let isTrial: Bool
    /// The links that the adapter held when the stack seemed to refuse this one for want of a slot.
    var linksAtRefusal: Int?
    let wasSubmitted: Bool
    var holdsLink = true
    /// How the link ended, as far as the stack reported it.
    var linkEnd: Disconnection.Cause?
    /// Whether there may have been no slot for the link: then nothing reached the device.
    var mayHaveFoundNoSlot: Bool {
      guard case .failure(let failure) = result else { return false }
      return failure.reason.code == .outOfSlots || isTrial && failure.reason.code == .connectFailed
    }
    var failedToConnect: Bool {
      guard case .failure(let failure) = result else { return false }
      return failure.reason.code == .connectTimedOut || failure.reason.code == .connectFailed
    }
    init(_ engaged: Engaged, _ report: AttemptResult) {
      work = engaged.work
      work.take(report)
      (attempt, session, began) = (engaged.attempt, engaged.session, engaged.since)
      (result, isTrial, wasSubmitted) = (report.result, engaged.isTrial, report.wasSubmitted)
    }
  }

  struct Proving: Sendable {
    let past: Disconnecting
    let since: MonotonicInstant
    let submission: Submission
    /// Nil for a family without one: then the device must only show that it is configured.
    let identity: DeviceIdentity?
    var watch: ProofWatch
    /// The adapter that wrote it and whose scan time counts; nil once its session is over: then the least
    /// scan time of all adapters counts.
    var adapter: AdapterID?
    /// The scan time at which the wait ends.
    var limit: Duration
    var work: RoomWork { past.work }
    init(
      _ past: Disconnecting, _ submission: Submission, _ watch: ProofWatch, _ identity: DeviceIdentity?,
      adapter: AdapterID?, limit: Duration, at now: MonotonicInstant
    ) {
      (self.past, self.submission, self.watch, self.identity) = (past, submission, watch, identity)
      (self.adapter, self.limit, since) = (adapter, limit, now)
    }
  }

  struct Diagnosing: Sendable {
    var work: RoomWork
    let past: Disconnecting
    let failedAt: MonotonicInstant
    let reason: FailureReason
    init(_ past: Disconnecting, _ reason: FailureReason, at now: MonotonicInstant) {
      (work, self.past, self.reason, failedAt) = (past.work, past, reason, now)
    }

    /// How long the attempt lasted.
    var took: Duration { past.began.duration(to: failedAt) }

    /// Whether the stack had forgotten the device: only another sighting of it leads on, and shows that the stack was
    /// not lost.
    var awaitsSighting: Bool {
      reason.code == .unknownToStack && !work.room.family.lifecycle.isPerAction
    }

    /// The class of a failure. A connection that may have failed for want of a slot is not charged to the
    /// device.
    func failureClass(_ reason: FailureReason) -> FailureClass {
      past.isTrial && reason.code == .connectFailed ? .outOfSlots : reason.failureClass
    }
  }

  struct BackingOff: Sendable {
    let work: RoomWork
    let until: MonotonicInstant
    fileprivate init(_ work: RoomWork, until: MonotonicInstant) {
      (self.work, self.until) = (work, until)
    }
  }

  struct Exhausted: Sendable {
    var work: RoomWork
    /// RSSI of its device in dBm when it began to rest.
    var rssi: Int?
    /// The least scan time of all adapters at the last sighting of the device, or when the rest began.
    var receivedAt: Duration
    fileprivate init(_ work: RoomWork, rssi: Int?, receivedAt: Duration) {
      (self.work, self.rssi, self.receivedAt) = (work, rssi, receivedAt)
    }
  }

  struct Finished: Sendable {
    let outcome: RoomFinished
    /// The beacon that proved its device in this run; nil without one, and once another sighting contradicted it.
    let proof: BeaconProof?

    init(_ outcome: RoomFinished, _ proof: BeaconProof? = nil) {
      (self.outcome, self.proof) = (outcome, proof)
    }
  }
}

// MARK: Transitions

extension RoomState {
  /// From `unmatched` or `open`: matching found no device so far.
  static func leftOpen(_ outcome: Outcome, _ reason: FailureReason) -> RoomState {
    .open(Prospect(outcome, reason))
  }

  /// From `unmatched` or `open`: the operator must put its device into provisioning mode.
  static func awaitingOperator(_ outcome: Outcome, _ reason: FailureReason) -> RoomState {
    .awaitingOperator(Prospect(outcome, reason))
  }

  /// From `unmatched`, `open` or `awaitingOperator`: it has a device, and waits for other rooms.
  static func deferred(_ work: RoomWork) -> RoomState { .deferred(Deferred(work)) }

  /// From `unmatched`, `open` or `awaitingOperator`: its device waits for a connection.
  static func queued(_ work: RoomWork, silenceLimit: Duration) -> RoomState {
    .queued(Queued(work, silenceLimit))
  }
}

extension RoomState.Deferred {
  func admitted(silenceLimit: Duration) -> RoomState { .queued(RoomState.Queued(work, silenceLimit)) }
}

extension RoomState.Engaged {
  func begun(at now: MonotonicInstant) -> RoomState {
    var copy = self
    copy.since = now
    copy.work.began = work.began ?? now
    copy.work.attempts = attempt.serial
    copy.work.adapter = session.adapter
    return .connecting(copy)
  }
}

extension RoomState.Diagnosing {
  /// Another attempt follows; `work` has the failure charged.
  func backingOff(_ work: RoomWork, until: MonotonicInstant) -> RoomState {
    .backingOff(RoomState.BackingOff(work, until: until))
  }

  /// No retry is left, and the run watches.
  func exhausted(_ work: RoomWork, receivedAt: Duration) -> RoomState {
    .exhausted(RoomState.Exhausted(work, rssi: work.strongest, receivedAt: receivedAt))
  }
}

extension RoomState.BackingOff {
  func over(silenceLimit: Duration) -> RoomState { .queued(RoomState.Queued(work, silenceLimit)) }
}

extension RoomState.Exhausted {
  /// Its device was clearly received again: its retries are restored.
  func renewed(silenceLimit: Duration) -> RoomState {
    var work = work
    work.budget.renew()
    work.failures = [:]
    return .queued(RoomState.Queued(work, silenceLimit))
  }
}
