import Bluetooth
import HeapModule
import Model
import Session

/// The result of each attempt, and exactly one outcome for each room.
extension RunMachine {
  /// How long the host may take to report the loss of an adapter or of the stack: in an orderly restart of
  /// bluetoothd, links go down up to 0.5 s before `Powered: false` (docs/internals/bluez.md). No back-off is shorter.
  static let hostGracePeriod = Duration.seconds(2)

  mutating func succeed(
    _ place: Int, _ work: RoomWork, _ attempt: AttemptID, began: MonotonicInstant, _ evidence: Evidence
  ) {
    record(
      .attemptEnded(
        .init(room: attempt.room, number: work.number, seconds: began.duration(to: now).inSeconds)))
    finish(place, success(of: work), evidence: evidence)
  }

  /// The outcome of a room whose device has its proof.
  func success(of work: RoomWork) -> Outcome {
    if work.isUnchanged { return .alreadyProvisioned }
    return work.failedAttempts == 0 ? .provisioned : .provisionedAfterRetry
  }

  /// Takes a failed attempt. If the host may have caused it, it is classified a little later: when an adapter
  /// or the stack is lost, its objects and links disappear first, as if the devices had disconnected.
  mutating func fail(_ place: Int, _ past: RoomState.Disconnecting, _ reason: FailureReason) {
    let state = RoomState.Diagnosing(past, reason, at: now)
    rooms.move(place, to: .diagnosing(state))
    if state.awaitsSighting, let index = radios.index(of: past.session) {
      radios[index].hasOldSightings = true
    }
    if state.reason.possibleHostLoss != nil, radios.index(of: state.past.session) != nil, !course.isStopping {
      rooms.timers.instants.insert(Due(at: judgement(of: state), room: place))
    } else {
      judge(place, state)
    }
  }

  /// When a failed attempt is classified.
  func judgement(of state: RoomState.Diagnosing) -> MonotonicInstant {
    state.failedAt.advanced(by: Self.hostGracePeriod)
  }

  /// The cause of a failed attempt, by what its session saw, how its link ended, and what became of its adapter and
  /// of the stack.
  private func cause(of state: RoomState.Diagnosing) -> FailureReason {
    let (seen, isLost) = (state.reason, radios.index(of: state.past.session) == nil)
    guard let loss = seen.possibleHostLoss else { return seen }
    let isStackLost =
      radios.presence.stackLostAt[state.past.session.adapter.host]
      .map { $0.advanced(by: Self.hostGracePeriod) >= state.failedAt } ?? false
    if state.past.linkEnd == .stackLost || isLost && (isStackLost || seen.code == .stackLost) {
      return .stackLost(loss)
    }
    return isLost || isDeaf(state) || state.past.linkEnd == .adapterLost ? .adapterLost(loss) : seen
  }

  /// Determines the cause of a failed attempt, and what follows.
  mutating func judge(_ place: Int, _ state: RoomState.Diagnosing) {
    let reason = cause(of: state)
    isDirty = true
    let failure = state.failureClass(reason)
    noteRefusal(state.past, reason)
    record(
      .attemptEnded(
        .init(
          room: state.past.attempt.room, number: state.work.number,
          seconds: state.took.inSeconds, failure: reason,
          notCounted: failure.exemption)))
    // The attempt ended because the run stops for its own reason: the room gets that reason, not
    // "interrupted".
    if reason.code == .interrupted, let stop = course.stop, stop != .interrupted {
      return rooms.move(place, to: .stopped(state.work))
    }
    follow(place, state, reason)
  }

  /// Takes the cause of a connection that the stack seemed to refuse for want of a slot.
  private mutating func noteRefusal(_ past: RoomState.Disconnecting, _ reason: FailureReason) {
    guard let links = past.linksAtRefusal, let index = radios.index(of: past.session) else { return }
    let before = radios[index].slots.found
    guard reason.code == .outOfSlots else { return radios[index].slots.endSuspicion() }
    if past.isTrial {
      radios[index].slots.refused(holding: links)
    } else {
      radios[index].slots.mayHaveRefused(holding: links)
    }
    if let found = radios[index].slots.found, found != before {
      record(.linksHeld(.init(adapter: past.session.adapter, links: found, isFull: true)))
    }
  }

  private mutating func follow(
    _ place: Int, _ state: RoomState.Diagnosing, _ seen: FailureReason
  ) {
    var state = state
    // Whatever its retries: the first attempt is to show the demand.
    let mustPair = state.work.room.pairsIfAsked && seen.code == .pairingRequired
    let reason = state.work.heed(seen)
    let failure = state.failureClass(reason)
    state.work.lastFailure = reason
    state.work.failedAfter = state.took
    if reason.content != nil { state.work.contradict(by: reason) }
    state.work.budget.charge(failure)
    if failure.exemption == nil {
      state.work.failedAttempts += 1
      state.work.failures[state.past.session.adapter, default: 0] += 1
    } else {
      state.work.uncountedAttempts += 1
    }
    if failure == .host, reason.code != .hostPaused { lose(state.past.session) }
    rooms.update(place, .diagnosing(state))
    let decision: RetryPolicy.Decision =
      mustPair
      ? .retry(RetryPolicy.firstPause)
      : RetryPolicy.decide(
        after: failure, state.work.budget, retries: state.work.room.retries, jitter: chance())
    switch decision {
    case .retry(let pause):
      let until = max(state.failedAt.advanced(by: pause), now)
      rooms.move(place, to: state.backingOff(state.work, until: until))
      rooms.timers.instants.insert(Due(at: until, room: place))
      record(
        .retryScheduled(
          .init(room: state.past.attempt.room, attempt: state.work.number, delay: pause.inSeconds)))
    case .exhausted where request.isWatching:
      rooms.move(place, to: state.exhausted(state.work, receivedAt: leastScanTime))
      admission.failedOne()
    case .exhausted, .final:
      end(place, state.work, after: reason)
    }
  }

  // MARK: Outcomes

  /// Ends a room that gets no further attempt in this run.
  mutating func end(_ place: Int, _ work: RoomWork, after reason: FailureReason) {
    // The device's own refusal says more than a later failure to reach it.
    let reason = work.lastRefusal ?? reason
    finish(place, outcome(of: place, after: reason), reason: reason)
  }

  /// Gives a room its outcome.
  mutating func finish(
    _ place: Int, _ outcome: Outcome, evidence: Evidence? = nil, settings: [SettingResult]? = nil,
    reason: FailureReason? = nil
  ) {
    var finished = finished(place, outcome, evidence: evidence, reason: reason)
    if let settings { finished.settings = settings }
    let proof = beaconProof(of: place, finished)
    rooms.move(place, to: .finished(.init(finished, proof)))
    if let proof { rooms.own(proof.address, by: place) }
    if outcome.isFailure { admission.failedOne() }
    record(.roomFinished(finished))
    isDirty = true
  }

  /// The outcome of a room with everything known of it.
  func finished(
    _ place: Int, _ outcome: Outcome, evidence: Evidence?, reason: FailureReason?
  ) -> RoomFinished {
    let (room, work) = (rooms[place].room, rooms[place].state.work)
    let evidence = evidence ?? (outcome == .unconfirmed ? work?.acknowledgement : nil)
    let address = evidence?.address ?? work?.address ?? request.known.device(of: room)?.address
    let received = rooms[place].room.family.settings.filter(\.isOnAir).map(\.name)
    let proved = (work?.readBack ?? []).union(evidence?.identity == nil ? [] : received)
    let (sent, written) = (work?.sent ?? [], work?.written ?? [])
    let acknowledged = reason?.content == nil ? work?.acknowledged ?? [] : []
    return RoomFinished(
      room: room.id, outcome: outcome, address: address, adapter: work?.adapter,
      attempts: work.map { $0.attempts - $0.uncountedAttempts } ?? 0,
      seconds: work?.began.map { $0.duration(to: now).inSeconds } ?? 0,
      rssi: address.flatMap { air[$0]?.rssi }, evidence: evidence,
      settings: room.settingResults(request.known.seal) { name in
        if proved.contains(name) { return .proved }
        if acknowledged.contains(name) { return .acknowledged }
        if written.contains(name) { return .written }
        return sent.contains(name) ? .submitted : .notWritten
      },
      reason: reason)
  }

  /// The outcome of a room that gets no further attempt in this run, by the reason of its last failure.
  func outcome(of place: Int, after reason: FailureReason) -> Outcome {
    admitted(reason.outcome, of: place)
  }

  /// The outcome that the report may state. A family that keeps each write at once may have changed the
  /// device, so an outcome that implies an unchanged device becomes `unconfirmed`. So may one that only its own
  /// report proves, unless it refused: that it waits on air does not show that it kept nothing.
  func admitted(_ outcome: Outcome, of place: Int) -> Outcome {
    let family = rooms[place].room.family
    guard let work = rooms[place].state.work, work.wasTouched,
      family.lifecycle.isRewritable || family.proof == .status && work.refusal == nil
    else { return outcome }
    return switch outcome {
    case .cancelled, .pending, .unreachable: .unconfirmed
    // Of a family that keeps each write, the state of each setting says what was written.
    case .failed where !family.lifecycle.isRewritable: .unconfirmed
    default: outcome
    }
  }
}
