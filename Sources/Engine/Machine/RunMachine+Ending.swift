import Bluetooth
import Model

/// The end of the run: everything in flight ends, every remaining room gets its outcome, and the record gets
/// its last line.
extension RunMachine {
  /// Works on the rooms until nothing is left to do.
  mutating func provision() {
    matchAgain()
    attendFirstRooms()
    if admission.isClosed { beginNoMore() }
    let isAsking = matching.question != nil || admission.isBeingAsked
    let isWatching = request.isWatching && rooms.count(.open) + rooms.count(.awaitingOperator) > 0
    guard !rooms.isAnyActive, !isAsking, !isWatching else { return }
    for place in rooms.places([.awaitingOperator]) {
      guard case .awaitingOperator(let state) = rooms[place].state else { continue }
      finish(place, state.outcome, reason: state.reason)
    }
    endWhatIsUnderWay()
  }

  /// Ends what the run has begun: scan windows, GATT sessions, waits for a proof, questions to the operator.
  mutating func endWhatIsUnderWay() {
    course.phase = .stopping
    isDirty = true
    perform(.withdrawQuestions)
    if course.stop == nil { reportSilentAdapters() }
    for session in radios.open { perform(.endScan(session)) }
    endAttempts([.connecting, .connected], .stopped)
    for place in rooms.indices {
      switch rooms[place].state {
      case .proving: endProof(place, isOver: false)
      case .diagnosing(let state): judge(place, state)
      default: break
      }
    }
  }

  /// Ends the GATT sessions of the rooms in these states.
  mutating func endAttempts(
    _ kinds: Set<RoomState.Kind>, _ end: AttemptEnd,
    where isMeant: (RoomState.Engaged) -> Bool = { _ in true }
  ) {
    for place in rooms.places(kinds) {
      switch rooms[place].state {
      case .connecting(let engaged), .connected(let engaged):
        if isMeant(engaged) { perform(.endAttempt(engaged.attempt, end)) }
      default: break
      }
    }
  }

  /// Continues to the end once nothing is in flight.
  mutating func concludeIfNothingIsUnderWay() {
    let isAtWork =
      rooms.count(.connecting) + rooms.count(.connected) + rooms.count(.disconnecting) > 0
    guard !isAtWork, radios.isAtRest else { return }
    course.phase = .concluding
    if radios.leftovers.isEmpty { conclude() } else { perform(.forgetLeftovers(radios.leftovers.all)) }
  }

  /// Gives the remaining rooms their outcome, and ends the run.
  mutating func conclude() {
    guard case .concluding = course.phase else { return }
    course.phase = .ended
    guard goal == .apply else {
      let plan = course.stop == nil ? matching.plan : nil
      return perform(.finish(.planned(plan.map(Result.success) ?? .failure(planFailure))))
    }
    noteUnclaimed()
    let stop = course.stop.flatMap { hasNoEffect($0) ? nil : $0 }
    if let stop { record(.runInterrupted(stop.fact)) }
    for place in rooms.indices where rooms[place].state.kind != .finished {
      let (outcome, reason) = leftOver(place, stop)
      let finished = finished(place, admitted(outcome, of: place), evidence: nil, reason: reason)
      rooms.move(place, to: .finished(.init(finished)))
      record(.roomFinished(finished))
    }
    let outcome = outcome(stop)
    record(.runFinished(.init(outcome: outcome)))
    perform(.finish(.applied(result(outcome, stop))))
  }

  private func result(_ outcome: RunOutcome, _ stop: Stop?) -> ApplyResult {
    var result = ApplyResult(outcome: outcome, rooms: rooms.indices.compactMap { rooms.outcome(of: $0) })
    switch stop {
    case .record(let failure): result.recordFailure = failure
    case .radio(let error): result.radioFailure = error
    case .refused(let refusal): result.refusal = refusal
    case .interrupted, nil: break
    }
    return result
  }

  private var planFailure: PlanFailure {
    switch course.stop {
    case .radio(let error): .radio(error)
    case .refused(let refusal): .refused(refusal)
    case .interrupted, .record, nil: .interrupted
    }
  }

  /// Records the devices that could be provisioned and that no room claims.
  private mutating func noteUnclaimed() {
    var claimed = rooms.given.union(request.devices).union(request.known.lastKnown.claimed)
    claimed.formUnion(rooms.indices.compactMap { rooms.outcome(of: $0)?.address })
    for sighting in air.free where !claimed.contains(sighting.address) {
      guard let profile = sighting.life?.profile else { continue }
      record(
        .deviceUnclaimed(
          .init(
            address: sighting.address, adapter: sighting.adapter, profile: profile, rssi: sighting.rssi)))
    }
  }

  /// Whether a stop has no effect, because nothing was left to do.
  private func hasNoEffect(_ stop: Stop) -> Bool {
    switch stop {
    case .record, .refused: return false
    case .interrupted, .radio: return rooms.indices.allSatisfy { isSuccess($0) }
    }
  }

  private func isSuccess(_ place: Int) -> Bool { rooms.outcome(of: place)?.outcome.isSuccess == true }

  private func outcome(_ stop: Stop?) -> RunOutcome {
    switch stop {
    case .interrupted: .interrupted
    case .record, .radio, .refused: .aborted
    case nil: rooms.indices.allSatisfy { isSuccess($0) } ? .complete : .incomplete
    }
  }

  /// The outcome of a room that the run did not reach or did not complete.
  private func leftOver(_ place: Int, _ stop: Stop?) -> (Outcome, FailureReason) {
    switch rooms[place].state {
    case .awaitingOperator(let state), .open(let state): return (state.outcome, state.reason)
    default: break
    }
    let work = rooms[place].state.work
    if let refusal = work?.lastRefusal { return (.failed, refusal) }
    if case .exhausted = rooms[place].state, let failure = work?.lastFailure {
      return (outcome(of: place, after: failure), failure)
    }
    // A device that a watching run never received is not a failure.
    if request.isWatching, let work, work.attempts == 0, air[work.address]?.lastReceived == nil {
      return (.pending, silence(of: work.address))
    }
    if let failure = work?.lastFailure, failure.failureClass != .host, let stop, stop != .interrupted {
      return (failure.outcome, failure)
    }
    switch stop {
    case .interrupted, nil:
      // The record has the earlier failures; the room would have got further attempts. Only a device that
      // acknowledged its save may have kept it, even if it was received in provisioning mode afterwards.
      return work?.acknowledgement != nil
        ? (.unconfirmed, .interrupted(.awaitingProof())) : (.cancelled, .interrupted(.idle()))
    case .radio(let error):
      return (.pending, error.endedRadio(.idle(stackText: error.stackText)))
    case .record:
      return (.pending, .recordUnwritable(.idle()))
    case .refused(.plan):
      return (.pending, .planOutdated)
    case .refused(.adapterClaimed(let adapter, let holder)):
      return (.pending, .adapterClaimed(holder: "\(adapter): \(holder)"))
    }
  }

  // MARK: Requests of the operator

  /// Takes a request of the operator. A request without effect is dropped.
  mutating func take(_ request: OperatorRequested.Request) {
    guard goal == .apply else {
      if request == .stop { stop(.interrupted) }
      return
    }
    guard !course.isEnding else { return }
    switch request {
    case .pause, .resume:
      guard course.isPaused != (request == .pause) else { return }
      course.isPaused = request == .pause
    case .stop: break
    }
    let bound = request == .stop ? RadioLimits.draining.inSeconds : nil
    record(.operatorRequested(OperatorRequested(request, within: bound)))
    if request == .stop { stop(.interrupted) }
  }

  /// Stops the run. A second reason ends the draining that the operator's request began.
  mutating func stop(_ reason: Stop) {
    switch course.phase {
    case .stopping, .concluding, .ended: return
    case .surveying, .closingSurvey, .provisioning, .draining: break
    }
    course.stop = reason
    if reason == .interrupted, case .provisioning = course.phase {
      beginDraining()
    } else {
      endWhatIsUnderWay()
    }
  }

  /// Ends attempts without a link, and lets the others complete within a limit: a device that is being
  /// written reaches a known state, and a submitted save gets its proof.
  private mutating func beginDraining() {
    course.phase = .draining(until: now.advanced(by: RadioLimits.draining))
    perform(.withdrawQuestions)
    endAttempts([.connecting], .stopped)
  }

  /// Ends the run once no attempt and no proof is in flight, or the limit is over.
  mutating func drain(until end: MonotonicInstant) {
    let inFlight: Set<RoomState.Kind> = [.connecting, .connected, .disconnecting, .proving, .diagnosing]
    let isOver = rooms.places(inFlight).isEmpty || now >= end
    if isOver { endWhatIsUnderWay() }
  }

  // MARK: Pauses of the host

  /// Takes a pause of the host. No clock of the program runs in it (`TimeSource`), but the radio does:
  /// connected sensors get no response, and most of them end their links.
  mutating func hostPaused(_ pause: HostPause) {
    record(.hostPaused(pause))
    switch pause.kind {
    case .suspended, .stopped:
      air.mustBeReceivedAgain()
      endAttempts([.connecting, .connected], .hostPaused)
    case .clockSet, .busy:
      break
    }
  }
}

extension CentralError {
  /// The failure of a room when this error ended the use of the radio.
  func endedRadio(_ loss: FailureContext) -> FailureReason {
    if case .adapterUnavailable = code { .adapterLost(loss) } else { .stackLost(loss) }
  }
}
