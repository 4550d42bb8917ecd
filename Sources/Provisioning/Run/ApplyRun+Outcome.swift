import Bluetooth

/// Outcomes: exactly one for each room.
extension ApplyRun {
  /// Gives a room its outcome, on disk before anybody is told.
  func finish(
    _ room: Room, _ outcome: Outcome, evidence: Evidence? = nil, settings: [SettingResult]? = nil,
    reason: FailureReason? = nil
  ) async throws(Stop) {
    precondition(outcomes[room.id] == nil, "a second outcome for \(room.id)")
    var finished = finished(room, outcome, evidence: evidence, reason: reason)
    if let settings { finished.settings = settings }
    outcomes[room.id] = finished
    if outcome.isFailure { failures += 1 }
    schedule.finish(room.id)
    waiting.end(room.id)
    try await commit(.roomFinished(finished))
  }

  private func finished(
    _ room: Room, _ outcome: Outcome, evidence: Evidence?, reason: FailureReason?
  ) -> RoomFinished {
    let work = works[room.id]
    let evidence = evidence ?? (outcome == .unconfirmed ? work?.acknowledgement : nil)
    let address = evidence?.address ?? work?.address ?? request.known.device(of: room)?.address
    let heard = profile(of: room).settings.filter(\.isOnAir).map(\.name)
    let proved = (work?.readBack ?? []).union(evidence?.minor == nil ? [] : heard)
    let written = work?.written ?? []
    return RoomFinished(
      room: room.id, outcome: outcome, address: address, adapter: work?.adapter,
      attempts: work?.attempts ?? 0,
      seconds: work?.began.map { $0.duration(to: clock.now).inSeconds } ?? 0,
      rssi: address.flatMap { air[$0]?.rssi }, evidence: evidence,
      settings: room.settingResults(request.known.seal) { name in
        proved.contains(name) ? .proved : written.contains(name) ? .written : .notWritten
      },
      reason: reason)
  }

  /// The outcome of a room that will not be tried again in this run, by why its last attempt failed.
  func outcome(of room: Room, after reason: FailureReason) -> Outcome {
    admitted(Outcome(after: reason), of: room)
  }

  /// A device that keeps each write at once, and that this run began to change, is never told to be as it was.
  private func admitted(_ outcome: Outcome, of room: Room) -> Outcome {
    guard profile(of: room).isRewritable, works[room.id]?.wasTouched == true else { return outcome }
    return switch outcome {
    case .cancelled, .pending, .unreachable: .unconfirmed
    default: outcome
    }
  }

  private func recordAtTheEnd(_ fact: Fact) async -> RecordFailure? {
    do throws(RecordFailure) {
      try await coordinator.commit(fact)
      return nil
    } catch {
      return error
    }
  }

  /// Ends the run: the rooms that have no outcome yet get theirs, and the record its last line.
  func conclude(_ stop: Stop?) async -> ApplyResult {
    var recordFailure: RecordFailure?
    var radioFailure: CentralError?
    await forgetLeftovers()
    await noteUnclaimed()
    let stop = stop.flatMap { isMoot($0) ? nil : $0 }
    if let stop { recordFailure = await recordAtTheEnd(.runInterrupted(stop.fact)) }
    for room in rooms where outcomes[room.id] == nil {
      let (outcome, reason) = leftOver(room, stop)
      let finished = finished(room, admitted(outcome, of: room), evidence: nil, reason: reason)
      outcomes[room.id] = finished
      recordFailure = await recordAtTheEnd(.roomFinished(finished)) ?? recordFailure
    }
    let outcome = outcome(stop)
    recordFailure = await recordAtTheEnd(.runFinished(.init(outcome: outcome))) ?? recordFailure
    if case .record(let failure) = stop { recordFailure = failure }
    if case .radio(let error) = stop { radioFailure = error }
    var refusal: RunRefusal?
    if case .refused(let why) = stop { refusal = why }
    return ApplyResult(
      outcome: recordFailure == nil ? outcome : .aborted,
      rooms: rooms.compactMap { outcomes[$0.id] }, recordFailure: recordFailure,
      radioFailure: radioFailure, refusal: refusal)
  }

  /// Puts on record which devices were heard that could be provisioned and that no room claims.
  private func noteUnclaimed() async {
    let claimed = devicesOfRooms.union(works.values.map(\.address)).union(request.known.standing.claimed)
      .union(outcomes.values.compactMap(\.address))
    for sighting in air.free where !claimed.contains(sighting.address) {
      guard let profile = sighting.life?.profile else { continue }
      coordinator.note(
        .deviceUnclaimed(
          .init(
            address: sighting.address, adapter: sighting.adapter, profile: profile, rssi: sighting.rssi)))
    }
  }

  private func isUnheard(_ room: Room) -> Bool {
    works[room.id].map { air[$0.address]?.lastHeard == nil } ?? false
  }

  /// What would have stopped a run that had nothing left to do, stopped nothing.
  private func isMoot(_ stop: Stop) -> Bool {
    switch stop {
    case .record, .refused: return false
    case .interrupted, .radio: break
    }
    return rooms.allSatisfy { outcomes[$0.id]?.outcome.isSuccess == true }
  }

  private func outcome(_ stop: Stop?) -> RunOutcome {
    switch stop {
    case .interrupted: .interrupted
    case .record, .radio, .refused: .aborted
    case nil: outcomes.values.allSatisfy(\.outcome.isSuccess) ? .complete : .incomplete
    }
  }

  /// The outcome of a room that the run did not come to, or not to the end of.
  private func leftOver(_ room: Room, _ stop: Stop?) -> (Outcome, FailureReason) {
    if let reason = waiting.parked[room.id] { return (.needsHands, reason) }
    if let standing = waiting.open[room.id] { return standing }
    let failure = works[room.id]?.lastFailure
    if let failure, schedule.isResting(room.id) { return (self.outcome(of: room, after: failure), failure) }
    // Who was waited for and did not come is no failure.
    if request.isWatching, works[room.id]?.attempts == 0, isUnheard(room) {
      return (.pending, FailureReason(.neverHeard))
    }
    switch stop {
    case .interrupted, nil:
      // What went wrong before is in its log; it would have been tried again. Only a device that said it had
      // saved, though it was heard waiting afterwards, may still have told the truth.
      let said = works[room.id]?.acknowledgement != nil
      return (said ? .unconfirmed : .cancelled, FailureReason(.interrupted, stage: said ? .verify : nil))
    case .radio, .record, .refused:
      if let failure, AttemptFailure(failure).failureClass != .host {
        return (Outcome(after: failure), failure)
      }
    }
    switch stop {
    case .radio(let error):
      return (.pending, FailureReason(error.endedRadio, stackText: error.stackText))
    case .record:
      return (.pending, FailureReason(.recordUnwritable))
    case .refused(.plan):
      return (.pending, FailureReason(.planOutdated))
    case .refused(.adapterClaimed(let adapter, let holder)):
      return (.pending, FailureReason(.adapterClaimed, stackText: "\(adapter): \(holder)"))
    case .interrupted, nil:
      return (.cancelled, FailureReason(.interrupted))
    }
  }
}

extension Stop {
  var fact: RunInterrupted {
    switch self {
    case .interrupted: .init(cause: .signal)
    case .record(let failure): .init(cause: .record, detail: failure.text)
    case .refused(.plan): .init(cause: .plan)
    case .refused(.adapterClaimed(let adapter, let holder)):
      .init(cause: .claimed, detail: "\(adapter): \(holder)")
    case .radio(let error):
      if case .adapterUnavailable = error.code {
        .init(cause: .adapter, detail: error.stackText)
      } else {
        .init(cause: .stack, detail: error.stackText)
      }
    }
  }
}

extension CentralError {
  /// What became of the radio, when this ended a run's use of it.
  var endedRadio: FailureReason.Code {
    if case .adapterUnavailable = code { .adapterLost } else { .stackLost }
  }
}

extension Outcome {
  /// The outcome of a room that will not be tried again in this run, by why its last attempt failed.
  init(after reason: FailureReason) {
    let isAfterSave = reason.stage == .verify
    self =
      switch reason.code {
      case .neverHeard, .adapterDeaf, .connectTimedOut, .connectFailed, .unknownToStack: .unreachable
      case .notHeardAfterSave, .heardFromOtherAddress, .noSelfDisconnect: .unconfirmed
      // When the wait for the proof was cut short, the device may well be changed; before, it is not.
      case .interrupted where isAfterSave, .adapterLost where isAfterSave, .stackLost where isAfterSave,
        .recordUnwritable where isAfterSave:
        .unconfirmed
      case .interrupted: .cancelled
      case .configuredOtherwise, .foreignSettings, .minorOnAir, .minorOnRecord, .settingsChanged: .needsHands
      case .tooManyCandidates, .notClearlyNearest, .adapterShared, .addressNeeded: .ambiguous
      case .noCandidate, .notNear, .heardTooBriefly, .adapterMissing, .notConfirmed, .recordUnwritable,
        .planOutdated, .adapterClaimed, .tooManyFailures,
        .canariesFailed, .canariesRefused:
        .pending
      case .linkLost, .stageTimedOut, .serviceMissing, .attributeRejected, .refused, .saveNotKept,
        .readBackMismatch, .wrongIdentity, .adapterLost, .stackLost, .hostPaused, .outOfSlots, .stackError:
        .failed
      }
  }
}
