import Bluetooth

/// The devices whose proof is awaited.
struct ProofsInHand: Sendable {
  private struct Entry: Sendable {
    var watch: ProofWatch
    let identity: BeaconIdentity
    let over: Bell
    /// Whether it had all the time it was given.
    var isOver = false
  }

  private var entries: [RoomID: Entry] = [:]
  private var byAddress: [BluetoothAddress: RoomID] = [:]
  private var byIdentity: [BeaconIdentity: RoomID] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Watches a device. The bell rings when the verdict is in, or the time is up.
  mutating func add(_ room: RoomID, _ watch: ProofWatch, identity: BeaconIdentity) -> Bell {
    let over = Bell()
    entries[room] = Entry(watch: watch, identity: identity, over: over)
    byAddress[watch.address] = room
    byIdentity[identity] = room
    return over
  }

  /// Takes in what was heard. Returns the rooms whose verdict is in at an instant, by what was heard now.
  /// - Parameter firstHeard: when its sender was first heard.
  mutating func hear(
    _ advertisement: Advertisement, firstHeard: MonotonicInstant?
  ) -> [(RoomID, MonotonicInstant)] {
    guard !entries.isEmpty else { return [] }
    let own = byAddress[advertisement.address]
    let other = advertisement.iBeacon.flatMap { byIdentity[$0.identity] }
    // Nearly always it concerns nobody, or its own room alone.
    if own == nil, other == nil { return [] }
    return Set([own, other].compactMap(\.self)).sorted().compactMap { room in
      entries[room]?.watch.hear(advertisement, firstHeard: firstHeard)
      guard let watch = entries[room]?.watch else { return nil }
      if watch.isProved { entries[room]?.over.ring() }
      return watch.settlesAt.map { (room, $0) }
    }
  }

  /// A room's time is up.
  mutating func end(_ room: RoomID) {
    entries[room]?.isOver = true
    entries[room]?.over.ring()
  }

  /// Ends the watch, and says what it saw and whether it had all its time.
  mutating func take(_ room: RoomID) -> (watch: ProofWatch, isOver: Bool)? {
    guard let entry = entries.removeValue(forKey: room) else { return nil }
    if byAddress[entry.watch.address] == room { byAddress[entry.watch.address] = nil }
    if byIdentity[entry.identity] == room { byIdentity[entry.identity] = nil }
    return (entry.watch, entry.isOver || entry.watch.isProved)
  }
}

/// The proof: hearing from the device itself that it is at work as it was told.
extension ApplyRun {
  /// Stage `verify`: waits until the proof is heard or the time is up. Only time in which somebody listens counts, and
  /// nothing of the radio is held meanwhile.
  func prove(
    _ work: RoomWork, _ submission: Submission, _ identity: BeaconIdentity, on adapter: AdapterID
  ) async -> Result<Evidence, AttemptFailure> {
    let room = work.room
    let timeout = room.timeouts.verify
    let began = clock.now
    let mayMove = room.proofAddress == .any && !submission.isRefused
    let watch = ProofWatch(
      proof: .beacon(identity), profile: profile(of: room), address: work.address, mayMove: mayMove,
      submittedAt: submission.at, began: began, known: mayMove ? devices(ofOthersThan: room.id) : [])
    let over = proofs.add(room.id, watch, identity: identity)
    schedule.awaitProof(of: room.id, on: adapter, for: timeout, at: began)
    bell.ring()
    coordinator.note(
      .stageStarted(.init(room: room.id, stage: .verify, timeout: timeout.inSeconds)))
    await over.wait()
    schedule.proofEnded(of: room.id)
    let seen = proofs.take(room.id) ?? (watch, false)
    let result = verdict(seen.watch, isOver: seen.isOver, of: submission, identity)
    let failure: FailureReason? = if case .failure(let failure) = result { failure.reason } else { nil }
    coordinator.note(
      .stageEnded(
        .init(
          room: room.id, stage: .verify, seconds: began.duration(to: clock.now).inSeconds, failure: failure)))
    if case .success(let evidence) = result {
      coordinator.note(.proofHeard(.init(room: room.id, evidence: evidence)))
    }
    return result
  }

  /// The devices of all rooms but one: those of the manifest, of the record and of this run, and the addresses from
  /// which they were proved.
  private func devices(ofOthersThan room: RoomID) -> Set<BluetoothAddress> {
    let recorded = request.known.standing.rooms.filter { $0.key != room }.compactMap {
      $0.value.deed?.heardAt
    }
    let here = works.filter { $0.key != room }.map(\.value.address)
    let proved = outcomes.filter { $0.key != room }.compactMap { $0.value.evidence?.address }
    return devicesOfRooms.union(recorded).union(here).union(proved)
  }

  /// Why the wait for a proof ended before its time: then nothing can be said of the device.
  private var cutShort: FailureReason.Code {
    switch stop {
    case .radio(let error): error.endedRadio
    case .record: .recordUnwritable
    case .interrupted, .refused, nil: .interrupted
    }
  }

  /// What the watch says of a device.
  /// - Parameter isOver: whether the device had all its time.
  private func verdict(
    _ watch: ProofWatch, isOver: Bool, of submission: Submission, _ identity: BeaconIdentity
  ) -> Result<Evidence, AttemptFailure> {
    switch watch.verdict(isOver: isOver) {
    case .proved(var evidence):
      if submission.isUnchanged { (evidence.grade, evidence.secondsAfterSave) = (.beaconOnAir, nil) }
      return .success(evidence)
    case .other(let minor):
      return .failure(AttemptFailure(.init(.wrongIdentity, stage: .verify, minor: minor)))
    case .backAgain:
      // It waits as before: nothing was kept. What it said instead of `saved` is the better reason.
      return .failure(AttemptFailure(submission.trouble ?? .init(.saveNotKept, stage: .verify)))
    case .silent, .heardElsewhere:
      let others = watch.otherAddresses
      let unproved: FailureReason.Code = others.isEmpty ? .notHeardAfterSave : .heardFromOtherAddress
      var reason = FailureReason(
        isOver ? unproved : cutShort, stage: .verify, deviceText: submission.trouble?.deviceText,
        stackText: submission.trouble?.stackText)
      if !others.isEmpty {
        (reason.minor, reason.addresses) = (identity.minor, others)
        reason.candidates = watch.otherSenders
      }
      return .failure(AttemptFailure(reason))
    }
  }
}

extension Submission {
  /// Whether the device itself said no.
  fileprivate var isRefused: Bool {
    trouble.map { AttemptFailure($0).failureClass == .refused } ?? false
  }
}
