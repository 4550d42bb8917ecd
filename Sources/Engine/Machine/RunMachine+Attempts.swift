import Bluetooth
import Model
import Session

/// One attempt at one device, from the reservation of an adapter until its link is down.
extension RunMachine {
  /// Reserves an adapter for a room, unless its device need not or must not be written any more: that may
  /// have changed while the room waited.
  mutating func engage(_ place: Int, _ index: Int) {
    guard case .queued(var queued) = rooms[place].state else {
      preconditionFailure("the candidate of an adapter is queued")
    }
    let work = queued.work
    if let beacon = lateBeacon(of: work) {
      switch work.judge(beacon, air[work.address]?.contradiction) {
      case .success(let evidence): finish(place, success(of: work), evidence: evidence)
      case .failure(let failure): end(place, work, after: failure.reason)
      }
      return
    }
    let found = blocker(
      to: work.room, at: work.address, wasTouched: work.wasTouched, air, request.known)
    if let found { return finish(place, work, stoppedBy: found) }
    if !canWrite(place, on: radios[index].id) {
      // An adapter of this computer has the room among its candidates, too.
      if !hasLocalRadio { finish(place, .actionRequired, reason: .localAdapterNeeded) }
      return
    }
    if work.attempts == 0 {
      recordBinding(of: work.room.id, to: work.address, work.basis, work.consent)
    }
    if !work.wasTouched {
      queued.work.hadIdentity = request.known.mayHaveHad(work.room, at: work.address, air)
    }
    let engaged = RoomState.Engaged(queued, on: radios[index], at: now)
    radios[index].connect(to: place, isSilent: work.isSilent, at: now)
    if work.room.family.lifecycle.isPerAction {
      rooms.move(place, to: .preparing(engaged))
      perform(.askForAction(engaged.attempt, work.room))
    } else {
      begin(place, engaged, action: nil)
    }
  }

  /// Begins the attempt: the moment of the action has come, or no person marks it.
  mutating func begin(_ attempt: AttemptID, action: MonotonicInstant?) {
    let place = rooms.place(of: attempt.room)
    guard !course.isEnding, case .preparing(let engaged) = rooms[place].state else { return }
    begin(place, engaged, action: action)
  }

  private mutating func begin(_ place: Int, _ engaged: RoomState.Engaged, action: MonotonicInstant?) {
    rooms.move(place, to: engaged.begun(at: now))
    let (work, id) = (engaged.work, engaged.attempt)
    record(
      .attemptStarted(
        .init(
          room: id.room, address: work.address, adapter: engaged.session.adapter, number: work.number,
          rssi: air[work.address]?.rssi, fresh: air[work.address]?.isWaiting == true ? nil : false)))
    var room = work.room
    limitTimeouts(of: &room, engaged.session, charged: work.budget.charged)
    perform(
      .begin(
        Attempt(
          id: id, number: work.number, session: engaged.session, room: room, address: work.address,
          action: action,
          recorded: recorded(for: work),
          leastSecurity: [request.known.lastKnown.securities[work.address], work.security].compactMap(\.self)
            .max(),
          hasProtectedBond: request.known.lastKnown.bonds[
            Bond(with: work.address, on: engaged.session.adapter)] == .protected,
          mayOverwrite: request.known.mayOverwrite(work.room))))
    // The adapter can be lost while a person chooses the moment of the action.
    if radios.index(of: engaged.session) == nil { perform(.endAttempt(id, .adapterLost)) }
  }

  /// Shortens the timeouts of an attempt that is not the last one, where the usual time of the family is known.
  private func limitTimeouts(of room: inout Room, _ session: RadioSession, charged: Int) {
    // An attempt that a person begins is not cut off before its timeout.
    guard !room.family.lifecycle.isPerAction, let index = radios.index(of: session) else { return }
    let (usual, history) = (room.family.answersWithin, radios[history: session.adapter])
    let connecting = ConnectPolicy.limit(
      answersWithin: usual, charged: charged, retries: room.retries, times: history.connectTimes,
      isShared: radios[index].isShared)
    if let connecting { room.timeouts.connect = min(room.timeouts.connect, connecting) }
    let discovery = ConnectPolicy.discoveryLimit(
      answersWithin: room.pairs ? nil : usual, charged: charged, retries: room.retries,
      sessions: history.sessionTimes, isShared: radios[index].isShared)
    if let discovery { room.timeouts.discover = min(room.timeouts.discover, discovery) }
  }

  /// The settings that an earlier attempt, of any run, wrote to the device of a room.
  private func recorded(for work: RoomWork) -> RecordedSettings? {
    let lastWrite = request.known.lastWrite(for: work.room, at: work.address)
    guard lastWrite != nil || work.wasTouched else { return nil }
    return RecordedSettings(
      values: lastWrite?.values(work.room.family) ?? [:],
      isSubmitted: work.wasTouched || lastWrite?.state == .submitted,
      isAccepted: work.isAccepted,
      wasAccepted: !work.wasTouched && request.known.isTaken(lastWrite, by: work.room),
      isProved: !work.wasTouched && request.known.isProved(lastWrite, of: work.room))
  }

  /// The written identity that the device sent only after the timeout of an earlier attempt.
  private func lateBeacon(of work: RoomWork) -> Evidence? {
    guard let submittedAt = work.submittedAt, let sighting = air[work.address],
      let received = sighting.identityReceived, received > submittedAt,
      let identity = sighting.identityAtWork, identity == work.room.identity
    else { return nil }
    return Evidence(
      grade: .freshBeacon, address: work.address, identity: identity, rssi: sighting.rssi,
      secondsAfterSave: submittedAt.duration(to: received).inSeconds)
  }

  /// Ends a room whose device must not be written any more.
  private mutating func finish(_ place: Int, _ work: RoomWork, stoppedBy blocker: Match) {
    if let refusal = work.refusal { return finish(place, .failed, reason: refusal) }
    switch blocker {
    case .done(let evidence, let settings):
      if work.attempts == 0 { recordBinding(of: work.room.id, to: work.address, work.basis, work.consent) }
      finish(place, .alreadyProvisioned, evidence: evidence, settings: settings)
    case .stopped(_, let reason) where reason.code == .contradictorySightings && work.submittedAt != nil:
      let response = SaveResponse(of: work.lastFailure)
      end(place, work, after: .contradictorySightings(reason[\.contradiction], response))
    case .stopped(_, let reason) where reason.code == .configuredOtherwise && work.submittedAt != nil:
      // This run wrote it.
      end(place, work, after: .wrongIdentity(reason[\.identity]))
    case .stopped(_, let reason) where reason.code == .ambiguousFamily && work.submittedAt != nil:
      // It was received as a device of another family only after this run wrote it.
      finish(place, .unconfirmed, reason: reason)
    case .stopped(let outcome, let reason):
      finish(place, outcome, reason: reason)
    case .device, .awaited:
      preconditionFailure("the match does not block the attempt")
    }
  }

  /// Permits attempts to write their device, or forbids it: another device with the identity of the room may have been
  /// received since the attempt began. While an adapter completes the survey, they wait.
  mutating func answerWriters() {
    guard radios.listener(at: now) == nil else { return }
    for attempt in writers {
      let place = rooms.place(of: attempt.room)
      guard case .connected(let engaged) = rooms[place].state else { continue }
      let work = engaged.work
      let found = blocker(to: work.room, at: work.address, wasTouched: work.wasTouched, air, request.known)
      let reason: FailureReason? = if case .stopped(_, let reason)? = found { reason } else { nil }
      perform(.answerWriter(attempt, reason))
    }
    writers = []
  }

  // MARK: The link

  /// The stack reports a link: its adapter may connect to the next device. The first exchange over this link is
  /// still to come, and it may fail.
  mutating func linked(_ attempt: AttemptID) {
    let place = rooms.place(of: attempt.room)
    guard case .connecting(let engaged) = rooms[place].state, engaged.attempt == attempt,
      let index = radios.index(of: engaged.session)
    else { return }
    radios.linked(index, to: place, at: engaged.work.address, at: now)
  }

  /// A link can be used.
  mutating func connected(_ attempt: AttemptID) {
    linked(attempt)
    let place = rooms.place(of: attempt.room)
    guard case .connecting(let engaged) = rooms[place].state, engaged.attempt == attempt else { return }
    rooms.move(place, to: .connected(engaged))
    noteLink(place, engaged.work, on: engaged.session.adapter, at: now)
    guard let index = radios.index(of: engaged.session) else { return }
    let known = radios[index].slots.measuredBeyondUsual
    radios[index].connected(to: place, at: now)
    if let links = radios[index].slots.measuredBeyondUsual, links != known {
      record(.linksHeld(.init(adapter: engaged.session.adapter, links: links)))
    }
    // The time of pairing says nothing about other connections.
    if !engaged.work.room.pairs {
      radios[history: engaged.session.adapter].connected(after: engaged.since.duration(to: now))
    }
  }

  /// Notes that the device of a room was in provisioning mode at this instant, because it accepted the link.
  private mutating func noteLink(
    _ place: Int, _ work: RoomWork, on adapter: AdapterID, at instant: MonotonicInstant
  ) {
    guard rooms[place].room.identity != nil, !rooms[place].room.family.lifecycle.isRewritable else { return }
    air.linked(work.address, on: adapter, at: instant)
  }

  /// Ends the GATT session of an attempt. If the device did not end the link, the run ends it now, and the
  /// adapter makes no connection meanwhile: when the kernel (6.1) ends a link while it makes another on the
  /// same adapter, it loses track of the new one, which can then never be ended (docs/internals/bluez.md).
  mutating func sessionEnded(_ attempt: AttemptID, _ report: AttemptResult) {
    let place = rooms.place(of: attempt.room)
    var report = report
    report.result = report.judged
    switch rooms[place].state {
    case .connecting(let engaged), .connected(let engaged):
      guard engaged.attempt == attempt else { return }
      if case .success(let submission) = report.result, case .connected = rooms[place].state {
        noteLink(place, engaged.work, on: engaged.session.adapter, at: submission.at)
        if !engaged.work.room.pairs {
          radios[history: engaged.session.adapter].saved(after: engaged.since.duration(to: now))
        }
      }
      var state = RoomState.Disconnecting(engaged, report)
      defer { rooms.move(place, to: .disconnecting(state)) }
      guard let index = radios.index(of: engaged.session) else { return }
      if report.hasLink { radios[index].disconnect(from: place) }
      guard case .failure(let failure) = report.result else { return }
      if failure.reason.code == .connectTimedOut {
        radios.timedOut(index, connectingTo: place, at: engaged.work.address)
      }
      // The controller may have refused it at any instant of the attempt, and links may have ended since.
      if failure.reason.code == .outOfSlots {
        state.linksAtRefusal = engaged.links
        radios[index].slots.suspect(holding: engaged.links)
      } else if engaged.isTrial, failure.reason.code == .connectFailed {
        radios[index].slots.mayHaveRefused(holding: engaged.links)
      }
    default:
      return
    }
  }

  /// The adapter no longer holds a link. If the adapter was lost and returned, the link belonged to an
  /// earlier session.
  mutating func linkEnded(_ attempt: AttemptID, _ cause: Disconnection.Cause?) {
    let place = rooms.place(of: attempt.room)
    guard case .disconnecting(var state) = rooms[place].state, state.attempt == attempt, state.holdsLink
    else { return }
    if let cause {
      record(
        .linkEnded(
          .init(
            room: attempt.room, attempt: state.work.number, cause: cause,
            expected: state.wasSubmitted || cause == .local)))
    }
    (state.holdsLink, state.linkEnd) = (false, cause)
    state.work.strongest = air[state.work.address]?.receptions.values.compactMap(\.rssi).max()
    rooms.update(place, .disconnecting(state))
    guard let index = radios.index(of: state.session) else { return }
    radios[index].linkEnded(to: place)
  }

  /// The link is down, and the stack has forgotten the device, so that its next report is a new
  /// advertisement.
  /// - Parameter isForgotten: false if the stack did not confirm it.
  mutating func takenDown(_ attempt: AttemptID, isForgotten: Bool) {
    let place = rooms.place(of: attempt.room)
    guard case .disconnecting(let state) = rooms[place].state, state.attempt == attempt else { return }
    let (address, adapter) = (state.work.address, state.session.adapter)
    if isForgotten {
      radios.leftovers.remove(address, on: adapter)
    } else {
      radios.leftovers.insert(address, on: adapter)
    }
    if state.mayHaveFoundNoSlot {
      air.mustBeReceivedAgain(address, on: adapter)
    } else {
      air.mustBeReceivedAgain(address)
    }
    switch state.result {
    case .failure(let failure):
      fail(place, state, failure.reason)
    case .success(let submission):
      if let refusal = state.work.refusal, submission.problem == refusal {
        return fail(place, state, refusal)
      }
      switch (rooms[place].room.family.proof, rooms[place].room.identity) {
      case (.onAir, let identity?): awaitProof(place, state, submission, identity)
      case (.onAir, nil): preconditionFailure("a device that is proved on air has an identity")
      case (.status, nil) where submission.problem != nil && rooms[place].room.family.showsConfiguredOnAir:
        awaitProof(place, state, submission, nil)
      case (.status, _), (.readBack, _), (.selfDisconnect, _): proveBySession(place, state, submission)
      }
    }
  }
}
