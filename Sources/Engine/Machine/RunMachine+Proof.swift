import Bluetooth
import Model
import Session
import HeapModule

/// The proof: an advertisement of the device that shows its new settings.
extension RunMachine {
  /// Waits for the proof of a device. Only the scan time of the adapter that wrote it counts, and the wait
  /// reserves nothing.
  mutating func awaitProof(
    _ place: Int, _ state: RoomState.Disconnecting, _ submission: Submission, _ identity: DeviceIdentity?
  ) {
    let (room, adapter) = (state.work.room, state.session.adapter)
    // Nothing else ties a beacon from another address to this device.
    let mayMove = room.proofAddress == .any && submission.acknowledgement != nil
    let watch = ProofWatch(
      identity: identity, family: rooms[place].room.sharedFamily, address: state.work.address,
      mayMove: mayMove, isAccepted: submission.isAccepted, isUnderWay: submission.isUnderWay,
      submittedAt: submission.at, began: now, known: mayMove ? devices(ofOthersThan: place) : [])
    let timeout = room.timeouts.verify
    let index = radios.index(of: adapter)
    let limit = (index.map { radios[$0].scanTime.total(at: now) } ?? leastScanTime) + timeout
    rooms.move(
      place,
      to: .proving(
        .init(
          state, submission, watch, identity, adapter: index == nil ? nil : adapter, limit: limit, at: now)))
    if let index {
      radios[index].proofs.insert(Due(at: limit, room: place))
    } else {
      rooms.timers.orphans.insert(Due(at: limit, room: place))
    }
    record(
      .stageStarted(
        .init(
          room: room.id, attempt: state.work.number, stage: .verify, timeout: timeout.inSeconds)))
    if course.isStopping { endProof(place, isOver: false) }
  }

  /// Ends the waits for proofs whose time is over.
  mutating func endOverdueProofs() {
    var over: Set<Int> = []
    for index in radios.indices where !radios[index].proofs.isEmpty {
      let (adapter, scanned) = (radios[index].id, radios[index].scanTime.total(at: now))
      while let due = radios[index].proofs.min {
        let isAwaited = isAwaited(due, from: adapter)
        if isAwaited, due.at > scanned { break }
        radios[index].proofs.removeMin()
        if isAwaited { over.insert(due.room) }
      }
    }
    while let due = rooms.timers.orphans.min {
      let isAwaited = isAwaited(due, from: nil)
      if isAwaited, due.at > leastScanTime { break }
      rooms.timers.orphans.removeMin()
      if isAwaited { over.insert(due.room) }
    }
    for place in over.sorted() { endProof(place, isOver: true) }
  }

  private func isAwaited(_ due: Due<Duration>, from adapter: AdapterID?) -> Bool {
    guard let awaited = rooms[due.room].state.awaitedProof else { return false }
    return awaited.limit == due.at && awaited.adapter == adapter
  }

  /// Ends the wait for a proof.
  /// - Parameter isOver: whether the time of the device is over, or no further advertisement can change the
  ///   result.
  mutating func endProof(_ place: Int, isOver: Bool) {
    guard case .proving(let state) = rooms[place].state else { return }
    let result = verdict(of: state, isOver: isOver)
    let failure: FailureReason? = if case .failure(let failure) = result { failure.reason } else { nil }
    let id = state.past.attempt
    record(
      .stageEnded(
        .init(
          room: id.room, attempt: state.work.number, stage: .verify,
          seconds: state.since.duration(to: now).inSeconds,
          failure: failure)))
    switch result {
    case .success(let evidence):
      record(.proofReceived(.init(room: id.room, attempt: state.work.number, evidence: evidence)))
      succeed(place, state.work, id, began: state.past.began, evidence)
    case .failure(let failure):
      fail(place, state.past, failure.reason)
    }
  }

  /// Proves a device by what it did over the link.
  mutating func proveBySession(
    _ place: Int, _ state: RoomState.Disconnecting, _ submission: Submission
  ) {
    let (wanted, grade, failure): (Evidence.Grade, Evidence.Grade, FailureReason) =
      switch rooms[place].room.family.proof {
      case .status:
        (.savedStatus, .deviceStatus, .notReceivedAfterSave(SaveResponse(of: submission.problem)))
      case .readBack:
        (.readBack, .settingsReadBack, .notReceivedAfterSave(SaveResponse(of: submission.problem)))
      case .selfDisconnect, .onAir:
        (.selfDisconnect, .selfDisconnect, submission.problem ?? .noSelfDisconnect())
      }
    if submission.acknowledgement == wanted {
      let evidence = Evidence(grade: grade, address: state.work.address)
      succeed(place, state.work, state.attempt, began: state.began, evidence)
    } else {
      fail(place, state, failure)
    }
  }

  /// The devices of all other rooms: those of the manifest, of the record and of this run, and the addresses
  /// from which they were proved. The room's own device may be among them: only other addresses are compared.
  private func devices(ofOthersThan place: Int) -> Set<BluetoothAddress> {
    let room = rooms[place].room.id
    var devices = request.devices
    devices.formUnion(
      request.known.lastKnown.rooms.filter { $0.key != room }.compactMap { $0.value.lastWrite?.receivedAt })
    for other in rooms.indices {
      if let work = rooms[other].state.work { devices.insert(work.address) }
      if let finished = rooms.outcome(of: other) {
        devices.formUnion([finished.address, finished.evidence?.address].compactMap(\.self))
      }
    }
    return devices
  }

  /// The reason when the wait for a proof ended early: the state of the device is unknown.
  private func cutShort(_ save: FailureContext) -> FailureReason {
    switch course.stop {
    case .radio(let error): error.endedRadio(save)
    case .record: .recordUnwritable(save)
    case .interrupted, .refused, nil: .interrupted(save)
    }
  }

  /// The result of the wait for a proof.
  private func verdict(of state: RoomState.Proving, isOver: Bool) -> Result<Evidence, AttemptFailure> {
    let (watch, submission) = (state.watch, state.submission)
    switch watch.verdict(isOver: isOver) {
    case .proved(let evidence) where evidence.address == watch.address:
      var work = state.work
      work.lastFailure = submission.problem
      return work.judge(evidence, air[watch.address]?.contradiction)
    case .contradicted(let contradiction):
      return .failure(
        AttemptFailure(.contradictorySightings(contradiction, SaveResponse(of: submission.problem))))
    case .proved(let evidence):
      return .success(evidence)
    case .other(let identity):
      return .failure(AttemptFailure(.wrongIdentity(identity)))
    case .gaveUp:
      return .failure(AttemptFailure(.gaveUpJoining))
    case .unexplained:
      return .failure(AttemptFailure(.settingsUnknown(nil)))
    case .backAgain:
      // The device waits as before: it kept nothing. The failure of the save is the better reason.
      return .failure(AttemptFailure(submission.problem ?? .saveNotKept))
    case .silent, .receivedElsewhere:
      let response = SaveResponse(of: submission.problem)
      let others = watch.otherSenders
      guard isOver else {
        return .failure(AttemptFailure(cutShort(.awaitingProof(response, others: others))))
      }
      return .failure(
        AttemptFailure(
          others.map { .receivedFromOtherAddress($0, response) } ?? .notReceivedAfterSave(response)))
    }
  }

  // MARK: Proofs of finished rooms

  /// The beacon of this run that makes a room's outcome a success; nil for any other evidence.
  func beaconProof(of place: Int, _ finished: RoomFinished) -> BeaconProof? {
    guard finished.outcome.isSuccess, let evidence = finished.evidence, evidence.run == nil,
      let sighting = air[evidence.address], let identity = rooms[place].room.identity,
      sighting.identity == identity
    else { return nil }
    return BeaconProof(
      address: evidence.address, device: rooms[place].state.work?.address ?? evidence.address,
      identity: identity, adapter: sighting.adapter, at: sighting.identityReceived ?? now)
  }

  /// Takes a proof back if a later advertisement of this run contradicts it: the room gets a second outcome, which
  /// replaces the first one. Returns whether it did.
  mutating func withdraw(_ place: Int, contradictedBy advertisement: Advertisement) -> Bool {
    guard let proof = rooms[place].state.beaconProof else { return false }
    let sighting = air[advertisement.address]
    let found = proof.contradiction(
      by: advertisement, with: sighting?.identityNow, of: rooms[place].room.family, sighting?.contradiction)
    guard let contradiction = found, let finished = rooms.outcome(of: place) else { return false }
    let outcome = finished.withdrawn(device: proof.device, contradiction)
    rooms.update(place, .finished(.init(outcome)))
    admission.failedOne()
    record(.roomFinished(outcome))
    return true
  }
}
