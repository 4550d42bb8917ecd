import Bluetooth

/// One attempt at one device, from the binding to the proof.
extension ApplyRun {
  /// Answers a call of the schedule's, to its end.
  func attempt(_ call: Schedule.Call) async {
    do throws(Stop) {
      try await carryOut(call)
    } catch {
      stop(error)
    }
    bell.ring()
  }

  private func carryOut(_ call: Schedule.Call) async throws(Stop) {
    let (id, address) = (call.room, call.address)
    guard var work = works[id] else { preconditionFailure("a call for a room without work") }
    let profile = profile(of: work.room)
    if let evidence = lateProof(of: work) {
      try await settle(call, .success(evidence))
      return
    }
    let found = obstacle(
      to: work.room, at: address, wasTouched: work.wasTouched, air, request.known)
    if let obstacle = found {
      try await stop(work, at: obstacle)
      return
    }
    if !work.isBound {
      try await commitBinding(of: id, to: address, work.basis)
      work.isBound = true
      works[id] = work
    }
    let action = profile.learnsActionTime ? await environment.action(work.room) : nil
    if Task.isCancelled { throw .interrupted }
    let began = clock.now
    work.began = work.began ?? began
    work.attempts = call.attempt
    work.adapter = call.adapter
    works[id] = work
    coordinator.note(
      .attemptStarted(
        .init(
          room: id, address: address, adapter: call.adapter, number: call.attempt,
          rssi: air[address]?.rssi, fresh: air[address]?.isWaiting == true ? nil : false)))

    let session = session(for: call, work, action: action)
    let conversation = await converse(session, profile)
    works[id]?.written = await session.progress.written
    works[id]?.readBack = await session.progress.readBack
    if await session.progress.submittedAt != nil { works[id]?.wasTouched = true }
    await takeDown(session, after: conversation)

    let result: Result<Evidence, AttemptFailure>
    switch conversation {
    case .success(var submission):
      submission.isUnchanged = submission.isUnchanged && !work.wasTouched
      works[id]?.acknowledgement =
        submission.acknowledgement.map { Evidence(grade: $0, address: address) }
      works[id]?.submittedAt = submission.at
      works[id]?.isUnchanged = submission.isUnchanged
      switch profile.proof(of: work.room.settings) {
      case .beacon(let identity):
        result = await prove(work, submission, identity, on: call.adapter)
      case .selfDisconnect:
        result = Self.selfDisconnect(submission, from: address)
      }
    case .failure(let failure):
      result = .failure(failure)
    }
    let ended = clock.now
    let judged = await judged(result, of: call)
    let failure: FailureReason? = if case .failure(let failure) = judged { failure.reason } else { nil }
    coordinator.note(
      .attemptEnded(
        .init(room: id, number: call.attempt, seconds: began.duration(to: ended).inSeconds, failure: failure))
    )
    try await settle(call, judged, endedAt: ended)
  }

  /// How long the host may take to say that an adapter or the stack went away: in an orderly restart of
  /// bluetoothd, links go up to 0.5 s before `Powered: false` (docs/bluez.md). No back-off is shorter.
  private static let hostPatience = Duration.seconds(2)

  /// What a failure was due to, once that is known: where the adapter or the stack goes away, its objects and links go
  /// first, as if the devices had gone.
  private func judged(
    _ result: Result<Evidence, AttemptFailure>, of call: Schedule.Call
  ) async -> Result<Evidence, AttemptFailure> {
    guard case .failure(let failure) = result, failure.reason.code.mayBeTheHosts else { return result }
    let failedAt = clock.now
    let limit = failedAt.advanced(by: Self.hostPatience)
    if schedule.isCurrent(call.session) {
      judging += 1
      try? await clock.sleep(until: limit, tolerance: nil)
      judging -= 1
      bell.ring()
    }
    guard !schedule.isCurrent(call.session) else { return result }
    var reason = failure.reason
    let isStackLost = stackLostAt.map { $0.advanced(by: Self.hostPatience) >= failedAt } ?? false
    reason.code = isStackLost || reason.code == .stackLost ? .stackLost : .adapterLost
    return .failure(AttemptFailure(reason))
  }

  private func session(
    for call: Schedule.Call, _ work: RoomWork, action: MonotonicInstant?
  ) -> DeviceSession {
    var room = work.room
    if let patience = call.patience { room.timeouts.connect = min(room.timeouts.connect, patience) }
    return DeviceSession(
      room: room, address: call.address, adapter: call.adapter, central: central, coordinator: coordinator,
      clock: clock, redactor: redactor, action: action, recorded: recorded(for: work),
      mayOverwrite: request.known.permissions.overwrite.contains(room.id),
      answered: { [self] in await answered(call.room) }, hear: { [self] in await hear($0) })
  }

  private func answered(_ room: RoomID) {
    schedule.answered(room, at: clock.now)
    bell.ring()
  }

  /// What an earlier attempt, of whatever run, gave to a room's device.
  private func recorded(for work: RoomWork) -> RecordedSettings? {
    let deed = request.known.deed(for: work.room, at: work.address)
    guard deed != nil || work.wasTouched else { return nil }
    return RecordedSettings(
      values: deed?.values(profile(of: work.room)) ?? [:],
      isSubmitted: work.wasTouched || deed?.state == .submitted)
  }

  /// Of a device of which nothing is heard afterwards: whether it ended the link, as it does when it is done.
  private static func selfDisconnect(
    _ submission: Submission, from address: BluetoothAddress
  ) -> Result<Evidence, AttemptFailure> {
    if submission.acknowledgement == .selfDisconnect {
      return .success(Evidence(grade: .selfDisconnect, address: address))
    }
    return .failure(AttemptFailure(submission.trouble ?? .init(.noSelfDisconnect, stage: .save)))
  }

  /// Puts on record that this room has this device, unless that is there already, and before it that whatever
  /// contradicts it does so no longer: the request was checked to allow that.
  func commitBinding(of room: RoomID, to address: BluetoothAddress, _ basis: BindingBasis) async throws(Stop)
  {
    let standing = request.known.standing
    let bound = standing.rooms[room]?.bindings.map(\.address) ?? []
    for old in bound.sorted() where old != address {
      try await commit(.bindingReleased(.init(room: room, address: old, cause: .rebound)))
    }
    for other in standing.owners(of: address) where other != room {
      try await commit(.bindingReleased(.init(room: other, address: address, cause: .rebound)))
    }
    if bound != [address] || standing.owners(of: address) != [room] || standing.retired[address] != nil {
      try await commit(.bindingCommitted(.init(room: room, address: address, basis: basis)))
    }
  }

  /// The proof of an earlier attempt that came after its time was up: the device is at work as wanted.
  private func lateProof(of work: RoomWork) -> Evidence? {
    guard let submittedAt = work.submittedAt, let sighting = air[work.address],
      let heard = sighting.beaconHeard, heard > submittedAt,
      let beacon = sighting.beaconAtWork, proof(of: work.room).isMet(by: beacon)
    else { return nil }
    return Evidence(
      grade: .freshBeacon, address: work.address, minor: beacon.minor, rssi: sighting.rssi,
      secondsAfterSave: submittedAt.duration(to: heard).inSeconds)
  }

  /// Ends a room whose device must not be written any more.
  private func stop(_ work: RoomWork, at obstacle: Match) async throws(Stop) {
    switch obstacle {
    case .done(let evidence, let settings):
      if !work.isBound { try await commitBinding(of: work.room.id, to: work.address, work.basis) }
      try await finish(work.room, .alreadyProvisioned, evidence: evidence, settings: settings)
    case .stopped(_, let reason) where reason.code == .configuredOtherwise && work.submittedAt != nil:
      // It was us who wrote it.
      let reason = FailureReason(.wrongIdentity, stage: .verify, minor: reason.minor)
      try await finish(work.room, outcome(of: work.room, after: reason), reason: reason)
    case .stopped(let outcome, let reason):
      try await finish(work.room, outcome, reason: reason)
    case .device, .awaited:
      preconditionFailure("an obstacle that is none")
    }
  }

  /// Ends the link, if there still is one, and has the stack forget the device, so that the next thing heard
  /// of it is news. Done by the teardown child: an interrupted run leaves nothing connected.
  private func takeDown(
    _ session: DeviceSession, after conversation: Result<Submission, AttemptFailure>
  ) async {
    let hostFailed =
      if case .failure(let failure) = conversation {
        failure.failureClass == .host && failure.reason.code != .hostPaused
      } else { false }
    let clock = clock
    await teardown.perform {
      var hostIsGone = hostFailed
      if let link = await session.progress.link {
        await self.hangsUp(session.room.id)
        await link.disconnect()
        // A stack that never says that it is down is not waited for: to forget the device ends its link, too.
        let ended = await race(Self.endPatience, on: clock) { () throws(CentralError) in
          await link.disconnection()
        }
        if case .value(let end?) = ended {
          hostIsGone = hostIsGone || end.cause == .adapterLost || end.cause == .stackLost
          let wasSubmitted = await session.progress.submittedAt != nil
          session.coordinator.note(
            .linkEnded(
              .init(
                room: session.room.id, cause: end.cause, expected: wasSubmitted || end.cause == .local)))
        }
      }
      await self.released(session.room.id)
      await self.forget(session.address, on: session.adapter, isCertain: !hostIsGone)
    }
    air.mustBeHeardAgain(session.address)
  }

  private func hangsUp(_ room: RoomID) { schedule.hangsUp(room) }

  /// How long the stack may take to say that a link is down which it was asked to end.
  private static let endPatience = Duration.seconds(5)

  /// The link is down: its adapter may serve another.
  private func released(_ room: RoomID) {
    schedule.released(room)
    bell.ring()
  }

  /// Ends the room with its outcome, or sends it to the back of the queue for another attempt.
  private func settle(
    _ call: Schedule.Call, _ result: Result<Evidence, AttemptFailure>, endedAt: MonotonicInstant? = nil
  ) async throws(Stop) {
    guard let work = works[call.room] else { preconditionFailure("a result without its room") }
    switch result {
    case .success(let evidence):
      let written: Outcome = work.failedAttempts == 0 ? .provisioned : .provisionedAfterRetry
      try await finish(work.room, work.isUnchanged ? .alreadyProvisioned : written, evidence: evidence)
    case .failure(let failure):
      // Ended because the run ends, for a reason of its own: that is what the room is told, not that somebody stopped it.
      if failure.reason.code == .interrupted, let stop, stop != .interrupted { throw stop }
      works[call.room]?.lastFailure = failure.reason
      if failure.failureClass != .forgotten { works[call.room]?.failedAttempts += 1 }
      if failure.failureClass == .host, failure.reason.code != .hostPaused { lose(call.session) }
      let pause = schedule.attemptFailed(
        call.room, failure.failureClass, in: call.session, at: endedAt ?? clock.now, now: clock.now,
        jitter: environment.chance())
      if let pause {
        coordinator.note(
          .retryScheduled(.init(room: call.room, attempt: work.attempts + 1, delay: pause.inSeconds)))
      } else if schedule.isResting(call.room) {
        failures += 1
      } else {
        try await finish(work.room, outcome(of: work.room, after: failure.reason), reason: failure.reason)
      }
      if failure.reason.code == .interrupted { throw .interrupted }
      if failure.reason.code == .recordUnwritable, let failure = coordinator.failure {
        throw .record(failure)
      }
    }
  }

  /// Ends a room whose device is not heard any more: with what went wrong when it still was, if anything.
  func giveUp(_ id: RoomID, _ reason: FailureReason) async throws(Stop) {
    guard let work = works[id] else {
      try await finish(room(id), .unreachable, reason: reason)
      return
    }
    var reason = work.lastFailure ?? reason
    // Silent since an earlier run asked it to save: it may well be done.
    if work.lastFailure == nil, work.mayBeDone { reason = FailureReason(.notHeardAfterSave) }
    try await finish(work.room, outcome(of: work.room, after: reason), reason: reason)
  }
}
