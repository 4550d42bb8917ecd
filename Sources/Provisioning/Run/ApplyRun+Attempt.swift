import Bluetooth

/// One attempt at one device, from the binding to the proof.
extension ApplyRun {
  func attempt(_ id: RoomID, address: BluetoothAddress, number: Int) async throws(Stop) {
    guard var work = works[id], let adapter, let profile = DeviceProfiles[work.room.profile] else {
      preconditionFailure("an attempt without room, adapter or profile")
    }
    if let evidence = lateProof(of: work) {
      try await settle(id, .success(evidence))
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
    }
    let action = profile.learnsActionTime ? await environment.action(work.room) : nil
    if Task.isCancelled { throw .interrupted }
    let began = clock.now
    work.began = work.began ?? began
    work.attempts = number
    work.adapter = adapter.id
    works[id] = work
    await coordinator.note(
      .attemptStarted(
        .init(
          room: id, address: address, adapter: adapter.id, number: number, rssi: air[address]?.rssi,
          fresh: air[address]?.isWaiting == true ? nil : false)))

    let known = air.addresses.union(
      request.building.rooms.compactMap { request.known.device(of: $0)?.address }
    ).subtracting([address])
    let session = DeviceSession(
      room: work.room, address: address, adapter: adapter.id, central: central, coordinator: coordinator,
      clock: clock, redactor: redactor, action: action, recorded: recorded(for: work),
      mayOverwrite: request.known.permissions.overwrite.contains(id),
      hear: { [self] advertisement in await hear(advertisement) })
    let conversation = await converse(session, profile)
    works[id]?.written = await session.progress.written
    works[id]?.readBack = await session.progress.readBack
    let wasTouched = work.wasTouched
    if await session.progress.submittedAt != nil { works[id]?.wasTouched = true }
    await takeDown(session, after: conversation)

    let result: Result<Evidence, AttemptFailure>
    var stop: Stop?
    switch conversation {
    case .success(var submission):
      submission.isUnchanged = submission.isUnchanged && !wasTouched
      works[id]?.acknowledgement =
        submission.acknowledgement.map { Evidence(grade: $0, address: address) }
      proofWatch = ProofWatch(
        proof: profile.proof(of: work.room.settings), profile: profile, address: address,
        submittedAt: submission.at, known: known)
      works[id]?.submittedAt = submission.at
      works[id]?.isUnchanged = submission.isUnchanged
      switch profile.proof(of: work.room.settings) {
      case .beacon:
        (result, stop) = await prove(work.room, submission)
      case .selfDisconnect:
        result = Self.selfDisconnect(submission, from: address)
      }
    case .failure(let failure):
      result = .failure(failure)
    }
    let failure: FailureReason? = if case .failure(let failure) = result { failure.reason } else { nil }
    await coordinator.note(
      .attemptEnded(
        .init(
          room: id, number: number, seconds: began.duration(to: clock.now).inSeconds, failure: failure)))
    try await settle(id, result)
    if let stop { throw stop }
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
      let heard = sighting.lastHeard, heard > submittedAt,
      let beacon = sighting.beaconAtWork, proof(of: work.room).isMet(by: beacon)
    else { return nil }
    return Evidence(
      grade: .freshBeacon, address: work.address, minor: beacon.minor, rssi: sighting.rssi,
      secondsAfterSave: submittedAt.duration(to: heard).inSeconds)
  }

  /// Ends a room whose device must not be written any more.
  private func stop(_ work: RoomWork, at obstacle: Match) async throws(Stop) {
    schedule.finish(work.room.id)
    switch obstacle {
    case .done(let evidence, let settings):
      if !work.isBound { try await commitBinding(of: work.room.id, to: work.address, work.basis) }
      try await finish(work.room, .alreadyProvisioned, evidence: evidence, settings: settings)
    case .stopped(_, let reason) where reason.code == .configuredOtherwise && work.submittedAt != nil:
      // It was us who wrote it.
      let reason = FailureReason(.wrongIdentity, stage: .verify, minor: reason.minor)
      try await finish(work.room, Outcome(after: reason), reason: reason)
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
      if case .failure(let failure) = conversation { failure.failureClass == .host } else { false }
    await teardown.perform {
      var hostIsGone = hostFailed
      if let link = await session.progress.link {
        await link.disconnect()
        if let end = await link.disconnection() {
          hostIsGone = hostIsGone || end.cause == .adapterLost || end.cause == .stackLost
          let wasSubmitted = await session.progress.submittedAt != nil
          await session.coordinator.note(
            .linkEnded(
              .init(
                room: session.room.id, cause: end.cause, expected: wasSubmitted || end.cause == .local)))
        }
      }
      await self.forget(session.address, on: session.adapter, isCertain: !hostIsGone)
    }
    air.mustBeHeardAgain(session.address)
  }

  /// Stage `verify`: listens until the proof is heard or the time is up.
  private func prove(
    _ room: Room, _ submission: Submission
  ) async -> (result: Result<Evidence, AttemptFailure>, stop: Stop?) {
    let timeout = room.timeouts.verify
    let began = clock.now
    await coordinator.note(
      .stageStarted(.init(room: room.id, stage: .verify, timeout: timeout.inSeconds)))
    let stop = await listenForProof(room, until: began.advanced(by: timeout))
    let result = verdict(on: submission, stop)
    let failure: FailureReason? = if case .failure(let failure) = result { failure.reason } else { nil }
    await coordinator.note(
      .stageEnded(
        .init(
          room: room.id, stage: .verify, seconds: began.duration(to: clock.now).inSeconds, failure: failure)))
    if case .success(let evidence) = result {
      await coordinator.note(.proofHeard(.init(room: room.id, evidence: evidence)))
    }
    return (result, stop)
  }

  /// Listens until the verdict is in or the time is up. Returns what stops the run, if something did: the room
  /// still gets the outcome of what was heard until then.
  private func listenForProof(_ room: Room, until timeout: MonotonicInstant) async -> Stop? {
    var timeout = timeout
    while let watch = proofWatch, !watch.isProved {
      let end = min(timeout, watch.settlesAt ?? timeout)
      if clock.now >= end { return nil }
      do throws(Stop) {
        // A window also ends when the end has moved closer.
        let window = try await listen(.proof, room: room.id, for: clock.now.duration(to: end)) {
          advertisement, run in
          run.proofWatch?.hear(advertisement)
          guard let watch = run.proofWatch else { return true }
          return watch.isProved || watch.settlesAt.map { $0 < end } ?? false
        }
        // Time without ears is not the device's.
        if case .broke(let deaf) = window { timeout = timeout.advanced(by: deaf) }
      } catch {
        return error
      }
    }
    return nil
  }

  private func verdict(on submission: Submission, _ stop: Stop?) -> Result<Evidence, AttemptFailure> {
    var verdict = proofWatch?.verdict ?? .silent
    // Stopped before it had the time to prove itself: heard waiting once is no verdict yet.
    if verdict == .backAgain, stop != nil, proofWatch?.settlesAt.map({ clock.now < $0 }) ?? true {
      verdict = .silent
    }
    switch verdict {
    case .proved(var evidence):
      if submission.isUnchanged { (evidence.grade, evidence.secondsAfterSave) = (.beaconOnAir, nil) }
      return .success(evidence)
    case .other(let minor):
      return .failure(AttemptFailure(.init(.wrongIdentity, stage: .verify, minor: minor)))
    case .backAgain:
      // It waits as before: nothing was kept. What it said instead of `saved` is the better reason.
      return .failure(AttemptFailure(submission.trouble ?? .init(.saveNotKept, stage: .verify)))
    case .silent:
      let code: FailureReason.Code = stop == .interrupted ? .interrupted : .notHeardAfterSave
      return .failure(
        AttemptFailure(
          .init(
            code, stage: .verify, deviceText: submission.trouble?.deviceText,
            stackText: submission.trouble?.stackText)))
    }
  }

  /// Ends the room with its outcome, or sends it to the back of the queue for another attempt.
  private func settle(_ id: RoomID, _ result: Result<Evidence, AttemptFailure>) async throws(Stop) {
    guard let work = works[id] else { preconditionFailure("a result without its room") }
    switch result {
    case .success(let evidence):
      schedule.finish(id)
      let written: Outcome = work.attempts == 1 ? .provisioned : .provisionedAfterRetry
      try await finish(work.room, work.isUnchanged ? .alreadyProvisioned : written, evidence: evidence)
    case .failure(let failure):
      works[id]?.lastFailure = failure.reason
      let pause = schedule.attemptFailed(
        id, failure.failureClass, at: clock.now, jitter: environment.chance())
      if let pause {
        await coordinator.note(
          .retryScheduled(.init(room: id, attempt: work.attempts + 1, delay: pause.inSeconds)))
      } else {
        try await finish(work.room, outcome(of: work.room, after: failure.reason), reason: failure.reason)
      }
      try await recoverRadio(after: failure.reason)
    }
  }

  private func recoverRadio(after reason: FailureReason) async throws(Stop) {
    switch reason.code {
    case .adapterLost:
      try await recover(from: CentralError(.adapterUnavailable(.absent), stackText: reason.stackText))
    case .stackLost:
      try await recover(from: CentralError(.stackUnavailable, stackText: reason.stackText))
    case .interrupted:
      throw .interrupted
    case .recordUnwritable:
      if let failure = await coordinator.failure { throw .record(failure) }
    default:
      return
    }
  }

  /// Ends a room whose device is not heard any more: with what went wrong when it still was, if anything.
  func giveUp(_ id: RoomID, _ reason: FailureReason) async throws(Stop) {
    guard let work = works[id] else { preconditionFailure("giving up an unknown room") }
    schedule.finish(id)
    var reason = work.lastFailure ?? reason
    // Silent since an earlier run asked it to save: it may well be done.
    if reason.code == .neverHeard, work.mayBeDone { reason = FailureReason(.notHeardAfterSave) }
    try await finish(work.room, outcome(of: work.room, after: reason), reason: reason)
  }
}
