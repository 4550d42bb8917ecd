import Bluetooth
package import Model

/// The building's present state: the fold over the events of all its runs, in the order of `RunOrder`.
///
/// The fold accepts every prefix of every run, so the record of a killed run counts too. It ignores
/// rehearsals.
package struct BuildingRecord: Sendable {
  private var folded = LastKnownBuilding()

  /// The settings that each room's device confirmed in the current attempt. Of the run that was added last.
  private var written: [RoomID: Set<SettingName>] = [:]
  /// The devices of the attempts of that run.
  private var attempted: [RoomID: BluetoothAddress] = [:]
  /// The adapters of that run.
  private var adapters: Set<AdapterID> = []
  /// The last write to each further device of a room, where merged records have several.
  private var otherWrites: [RoomID: [BluetoothAddress: LastWrite]] = [:]
  /// The rooms that have each device on record.
  private var owners: [BluetoothAddress: Set<RoomID>] = [:]
  /// The rooms of the run that is being added, as it planned them.
  private var planned: [RoomID: PlannedRoom] = [:]
  private var touches: Touches
  private let order: RunOrder

  /// The state after these runs. Each must begin with its first event; their order does not matter.
  package init(_ runs: [[RunEvent]]) {
    let order = RunOrder(runs)
    self.init(in: order)
    for run in order.sorted { add(runs[run], of: runs[run].first?.fact.started?.run ?? "") }
  }

  /// The state before the first run of a record with this order.
  package init(in order: RunOrder) {
    touches = Touches(order)
    self.order = order
  }

  /// The last known state, from which the next run decides.
  package var lastKnown: LastKnownBuilding {
    var lastKnown = folded
    for (room, runs) in touches.unordered { lastKnown.rooms[room]?.unordered = runs }
    return lastKnown
  }

  /// Adds a run after those that it knows. It must begin with its first event, and may end anywhere.
  package mutating func add(_ events: [RunEvent], of run: String) {
    guard let started = events.first?.fact.started, !started.simulated else { return }
    (written, attempted, adapters) = ([:], [:], [])
    planned = Dictionary(started.rooms.map { ($0.room, $0) }, uniquingKeysWith: { first, _ in first })
    for family in started.families ?? [] { folded.families[family.id] = family }
    for room in started.rooms { name(room) }
    if started.command == .apply {
      let recorded = RecordedAt(run: run, at: events[0].at)
      for room in started.rooms { want(room, in: started, recorded) }
    }
    add(events, in: started, of: run)
  }

  /// Notes what the manifest of a run has for a room. An acceptance was about the device that the manifest had then.
  private mutating func want(_ planned: PlannedRoom, in run: RunStarted, _ recorded: RecordedAt) {
    let expected = folded.families[planned.profile]?.expectedSettings ?? []
    change(planned.room) { room in
      room.wanted = WantedRoom(planned, sealKey: run.sealKey, expected: expected)
        .over(room.wanted, room.lastWrite)
      if let device = planned.address { room.endAcceptances(ofOtherThan: device, recorded) }
    }
  }

  /// Adds further events of the run that was added last.
  /// - Parameter started: Its first event.
  package mutating func add(_ events: [RunEvent], in started: RunStarted, of run: String) {
    for event in events {
      if touches.add(event.fact, of: run), let room = event.fact.room {
        // A person accepted the room although nobody knows which of several writes came last.
        folded.rooms[room]?.lastWrite = nil
      }
      apply(event, in: started)
    }
  }

  private mutating func name(_ room: PlannedRoom) {
    func name(_ known: inout LastKnownRoom) { (known.name, known.profile) = (room.name, room.profile) }
    name(&folded.rooms[room.room, default: LastKnownRoom(name: room.name, profile: room.profile)])
  }

  private mutating func apply(_ event: RunEvent, in run: RunStarted) {
    switch event.fact {
    case .deviceSighted(let fact):
      note(fact)
      receive(fact, in: run.run)
    case .linksHeld(let fact):
      folded.linksHeld[fact.adapter] = fact.links
    case .bondIntended, .bondRemoved:
      folded.bonds.take(event.fact)
    case .eventsOmitted(let fact):
      if fact.omitted.contains(where: { $0.kind == "device_sighted" }) { folded.lacksSightings = true }
    case .settingWritten(let fact):
      written[fact.room, default: []].insert(fact.setting)
    case .deviceDescribed(let fact):
      let security = fact.details.first { $0.name == .security }.flatMap { Int($0.value, in: 0...255) }
      guard let device = attempted[fact.room], let security else { break }
      folded.securities[device] = max(folded.securities[device] ?? security, security)
    case .adapterSelected(let fact): adapters.insert(fact.adapter)
    case .bindingCommitted, .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .attemptStarted,
      .saveSubmitted, .statusReceived, .attemptEnded, .roomFinished:
      applyToRoom(event, in: run)
    case .runStarted, .adapterAwaited, .hostUnavailable, .adapterFaulted,
      .foreignScanDetected, .linkReleased,
      .scanStarted, .scanStopped, .canariesJudged, .deviceUnclaimed, .hostPaused, .operatorRequested,
      .operatorAwaited, .stageStarted, .stageEnded, .linkEnded, .proofReceived, .retryScheduled,
      .settingsRead,
      .wifiChecked, .elapsedSent, .runInterrupted, .runFinished:
      break
    }
  }

  private mutating func applyToRoom(_ event: RunEvent, in run: RunStarted) {
    guard let id = event.fact.room else { return }
    // A room is large, so it is changed in its place.
    var rooms: [RoomID: LastKnownRoom] = [:]
    swap(&rooms, &folded.rooms)
    apply(event, to: &rooms[id, default: LastKnownRoom(name: id.rawValue, profile: "")], id, in: run)
    swap(&rooms, &folded.rooms)
  }

  private mutating func change(_ id: RoomID, _ body: (inout LastKnownRoom) -> Void) {
    body(&folded.rooms[id, default: LastKnownRoom(name: id.rawValue, profile: "")])
  }

  private mutating func apply(
    _ event: RunEvent, to room: inout LastKnownRoom, _ id: RoomID, in run: RunStarted
  ) {
    let recorded = RecordedAt(run: run.run, at: event.at)
    switch event.fact {
    case .bindingCommitted(let fact):
      room.retirement = nil
      room.release = nil
      room.endAcceptances(ofOtherThan: fact.address, recorded)
      folded.retired[fact.address] = nil
      if !room.bindings.contains(where: { $0.address == fact.address }) {
        owners[fact.address, default: []].insert(id)
        room.bindings.append(
          Binding(address: fact.address, basis: fact.basis, run: run.run, at: event.at))
      }
    case .bindingReleased(let fact):
      owners[fact.address]?.remove(id)
      room.bindings.removeAll { $0.address == fact.address }
      room.absence = nil
      room.endAcceptances(recorded)
      room.earlierDevices.removeAll { $0 == fact.address }
      room.earlierDevices.append(fact.address)
      if room.bindings.isEmpty { room.release = Release(fact, recorded) }
      otherWrites[id]?[fact.address] = nil
      if room.lastWrite?.address == fact.address {
        room.lastWrite = room.binding.flatMap { otherWrites[id]?.removeValue(forKey: $0.address) }
      }
      if fact.cause != .rebound {
        folded.retired[fact.address] = Retirement(room: id, reason: fact.reason, at: event.at)
      }
    case .roomRetired(let fact):
      room.retirement = RoomRetirement(reason: fact.reason, recorded: recorded)
      room.endAcceptances(recorded)
    case .roomAccepted(let fact):
      let device = (planned[id]?.address ?? room.binding?.address).map { Acceptance.Subject.device($0) }
      room.acceptances.append(
        Acceptance(
          reason: fact.reason, by: fact.by, given: recorded,
          subject: run.manifestPath.isEmpty ? .unknown : device ?? .noDevice))
    case .roomVerified(let fact):
      verify(&room, fact, recorded)
    case .attemptStarted(let fact):
      (written[id], attempted[id]) = ([], fact.address)
      (room.last, room.lastRun) = (nil, run.run)
      keepOtherWrite(of: room, id, than: fact.address)
      // The device is waiting for a configuration now, so it keeps no earlier settings.
      if fact.fresh ?? true { room.lastWrite = nil }
    case .saveSubmitted(let fact):
      room.lastWrite = LastWrite(
        address: fact.address, state: .submitted, settings: settings(of: id, room.profile),
        identity: planned[id]?.identity, sealKey: run.sealKey, run: run.run, at: event.at)
      for setting in written[id, default: []] { room.lastWrite?.settingsRecorded[setting] = recorded }
      if let write = room.lastWrite, !folded.isRewritable(room.profile) { hold(write) }
    case .statusReceived(let fact):
      switch fact.meaning {
      case .saved: acknowledge(&room)
      case .refusal: refuse(&room)
      case .accepted: accept(&room, true)
      case .notAccepted: accept(&room, false)
      case .ready, .stale, .other: break
      }
    case .attemptEnded(let fact):
      switch fact.failure?.content {
      case .refused: refuse(&room)
      case .nothing: room.lastWrite = nil
      case .other, nil: break
      }
    case .roomFinished(let fact):
      finish(&room, fact, recorded, in: run)
    default: break
    }
  }

  // MARK: Devices that are not received

  /// A device was received: it is not missing if it has the identity that its room's record says.
  private mutating func receive(_ fact: DeviceSighted, in run: String) {
    guard fact.identity != nil else { return }
    for id in owners[fact.address] ?? [] {
      guard var room = folded.rooms[id], fact.identity == room.lastWrite?.identity,
        find(&room, with: fact.identity, in: run)
      else { continue }
      folded.rooms[id] = room
    }
  }

  /// Ends the absence of a room's device that was received with an identity, unless the run did not know the
  /// search: then it may have received the device before that. A search that received the same one agrees with it.
  /// - Returns: whether it ended the absence.
  private func find(_ room: inout LastKnownRoom, with identity: DeviceIdentity?, in run: String) -> Bool {
    guard let absence = room.absence else { return false }
    let last = absence.last.run
    guard run == last || order.knows(run, last) || identity != nil && identity == absence.held else {
      return false
    }
    room.absence = nil
    return true
  }

  /// A search did not find the device of a room as recorded.
  private func miss(
    _ room: inout LastKnownRoom, _ finding: RoomVerified.Finding, _ recorded: RecordedAt,
    held: DeviceIdentity? = nil
  ) {
    room.absence = Absence(
      finding: finding, since: room.absence?.since ?? recorded, last: recorded, held: held)
  }

  // MARK: What a device may hold

  /// A device was received with an identity of which nothing is on record.
  private mutating func note(_ fact: DeviceSighted) {
    guard let identity = fact.identity, let profile = fact.profile, !folded.isRewritable(profile),
      folded.holdings(of: fact.address, as: identity).isEmpty
    else { return }
    folded.holdings[fact.address, default: []].append(Holding(identity: identity))
  }

  /// From its submission on, a device may hold a write, besides everything that it may have held before.
  private mutating func hold(_ write: LastWrite) {
    guard let identity = write.identity else { return }
    folded.holdings[write.address, default: []].removeAll { $0.write?.gaveTheSame(as: write) == true }
    folded.holdings[write.address, default: []].append(Holding(identity: identity, write: write))
  }

  /// The device has the whole command, or does not carry it out.
  private func accept(_ room: inout LastKnownRoom, _ isAccepted: Bool) {
    guard var write = room.lastWrite, write.state == .submitted else { return }
    write.isAccepted = isAccepted
    for index in write.settings.indices where isAccepted && write.settings[index].state == .notWritten {
      write.settings[index].state = .written
    }
    room.lastWrite = write
  }

  /// The device acknowledged its save, so it holds nothing else.
  private mutating func acknowledge(_ room: inout LastKnownRoom) {
    guard var write = room.lastWrite, write.state == .submitted else { return }
    write.state = .acknowledged
    for index in write.settings.indices where write.settings[index].state == .written {
      write.settings[index].state = .acknowledged
    }
    room.lastWrite = write
    guard !folded.isRewritable(room.profile) else { return }
    folded.holdings[write.address] = nil
    hold(write)
  }

  /// The device refused what it got, so what it holds with this identity is unknown.
  private mutating func refuse(_ room: inout LastKnownRoom) {
    guard let write = room.lastWrite else { return }
    room.lastWrite = nil
    guard let identity = write.identity, !folded.isRewritable(room.profile) else { return }
    folded.holdings[write.address]?.removeAll { $0.write?.gaveTheSame(as: write) == true }
    folded.holdings[write.address, default: []].append(Holding(identity: identity))
  }

  /// Keeps the last write to a device that the room still has when another device is written: only merged
  /// records have such a room.
  private mutating func keepOtherWrite(
    of room: LastKnownRoom, _ id: RoomID, than address: BluetoothAddress
  ) {
    otherWrites[id]?[address] = nil
    guard let lastWrite = room.lastWrite, lastWrite.address != address,
      room.bindings.contains(where: { $0.address == lastWrite.address })
    else { return }
    otherWrites[id, default: [:]][lastWrite.address] = lastWrite
  }

  private func finish(
    _ room: inout LastKnownRoom, _ fact: RoomFinished, _ recorded: RecordedAt, in run: RunStarted
  ) {
    room.last = fact
    room.lastRun = run.run
    if fact.outcome.isSuccess, let evidence = fact.evidence {
      succeed(&room, fact, evidence, recorded, in: run)
    } else if let reason = fact.reason {
      // The run searched for this device, and gave it up.
      if fact.outcome == .unreachable, [.neverReceived, .notRecognised].contains(reason.code),
        room.prover(besides: adapters) == nil
      {
        miss(&room, .missing, recorded)
      }
      // As for `verify`: another device with its identity is on air, so its own beacon proves nothing until it is alone.
      if reason.code == .identityOnAir { miss(&room, .duplicate, recorded) }
      if room.lastWrite?.run == run.run, room.lastWrite?.address == fact.address {
        room.lastWrite?.settings = fact.settings
      }
      room.lastWrite = room.lastWrite.flatMap {
        after(reason, $0, isRewritable: folded.isRewritable(room.profile))
      }
    }
  }

  private func succeed(
    _ room: inout LastKnownRoom, _ fact: RoomFinished, _ evidence: Evidence, _ recorded: RecordedAt,
    in run: RunStarted
  ) {
    let address = room.binding?.address ?? evidence.address
    // The beacon of another address proves nothing, unless the run's manifest says that the device changes
    // its address.
    guard evidence.address == address || planned[fact.room]?.proof == .any
    else { return }
    if evidence.run == nil {
      room.endAcceptances(recorded)
      _ = find(&room, with: evidence.identity, in: run.run)
    }
    // What an earlier run saw is not a sighting of this run.
    let seen =
      evidence.run.map { earlier in evidence.seenAt.map { RecordedAt(run: earlier, at: $0) } } ?? recorded
    if fact.outcome == .alreadyProvisioned, room.lastWrite == nil, let identity = evidence.identity {
      // It was put into provisioning mode, and returned with what it held before.
      room.lastWrite = folded.holdings(of: address, as: identity).last?.write
    }
    if fact.outcome == .alreadyProvisioned, room.lastWrite?.address == address {
      // The device was on air as wanted, or it was read. Neither says anything about the settings that were
      // not read, so their last write still counts.
      room.lastWrite?.state = .proved(evidence)
      if evidence.run == nil {
        room.lastWrite?.seen = recorded
        room.lastWrite?.take(fact.settings.filter { $0.state == .proved }, recorded: recorded)
      }
    } else {
      var lastWrite = LastWrite(
        address: address, state: .proved(evidence), settings: fact.settings,
        identity: planned[fact.room]?.identity, sealKey: run.sealKey, run: evidence.run ?? run.run,
        at: recorded.at)
      lastWrite.seen = seen
      lastWrite.provedBy = fact.adapter ?? room.lastWrite?.provedBy
      for setting in fact.settings where setting.state.isConfirmed {
        lastWrite.settingsRecorded[setting.name] = seen
      }
      room.lastWrite = lastWrite
    }
  }

  /// A sighting of the proved device is newer evidence. Any other finding changes nothing: a device that was
  /// not received may be out of range, and the next run judges what else was received.
  private func verify(_ room: inout LastKnownRoom, _ fact: RoomVerified, _ recorded: RecordedAt) {
    room.verification = RecordedVerification(fact, recorded: recorded)
    // It may be the identity of a write that the verification did not know: records of two laptops were merged.
    let isAsWritten = fact.held != nil && fact.held == room.lastWrite?.identity
    if fact.isDeviation, !isAsWritten { miss(&room, fact.finding, recorded, held: fact.held) }
    if fact.finding == .onAir, find(&room, with: fact.identity, in: recorded.run) {
      room.endAcceptances(recorded)
    }
    guard fact.finding == .onAir, let lastWrite = room.lastWrite, lastWrite.state != .submitted,
      fact.address == lastWrite.address || fact.address == lastWrite.receivedAt
    else { return }
    room.lastWrite?.state = .proved(
      Evidence(grade: .beaconOnAir, address: lastWrite.receivedAt, identity: fact.identity, rssi: fact.rssi))
    room.lastWrite?.seen = recorded
    room.lastWrite?.provedBy = fact.adapter ?? lastWrite.provedBy
  }

  /// The last write after a failed attempt: changed or nil when the failure contradicts it.
  private func after(_ reason: FailureReason, _ lastWrite: LastWrite, isRewritable: Bool) -> LastWrite? {
    var lastWrite = lastWrite
    switch reason.code {
    case .wrongIdentity where isRewritable:
      // The device confirmed the settings but its beacon shows others. A rewritable device can be written
      // again.
      lastWrite.state = .submitted
      return lastWrite
    case .wrongIdentity, .configuredOtherwise:
      return nil
    case .contradictorySightings:
      // Another device sends with its address, or it was changed: its beacon proves nothing any more.
      lastWrite.withdrawProof()
      return lastWrite
    case .foreignSettings
    where lastWrite.state != .submitted && lastWrite.identity?.description != reason.held:
      // Another client has written other settings since. A laptop that does not know the last write also
      // reports its own settings as foreign.
      return nil
    default:
      return lastWrite
    }
  }

  /// The settings of a room whose device is about to keep them. A family without a save command keeps each
  /// write at once, and its writes follow.
  private func settings(of room: RoomID, _ profile: FamilyID) -> [SettingResult] {
    let unwritten: SettingState = folded.isRewritable(profile) ? .submitted : .notWritten
    return (planned[room]?.settings ?? []).map { setting in
      var setting = setting
      setting.state = written[room]?.contains(setting.name) == true ? .written : unwritten
      return setting
    }
  }
}
