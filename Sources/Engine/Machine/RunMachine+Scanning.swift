import Bluetooth
import HeapModule
import Model
import Session

/// Scan windows: the advertisements in them, and refused scans.
extension RunMachine {
  /// Opens a scan window. The stack first forgets the leftovers of that adapter, so that no new sighting is
  /// lost.
  mutating func openWindow(_ index: Int) {
    let session = radios[index].session
    let purpose: ScanPurpose = course.isSurveying ? .survey : rooms.count(.proving) == 0 ? .sighting : .proof
    radios.open(.init(purpose: purpose, since: now), index)
    let forgetting = radios.leftovers.on(session.adapter).filter { address in
      // A device with a new connection is forgotten after it.
      rooms.owner(of: address).map { rooms[$0].state.kind.isEngaged } != true
    }
    record(.scanStarted(ScanPeriod(adapter: session.adapter, purpose: purpose)))
    perform(.scan(session, forgetting: forgetting))
  }

  mutating func closeWindow(_ index: Int) {
    guard let window = radios[index].state.window else { return }
    if case .closing = radios[index].state { return }
    radios[index].enter(.closing(window))
    perform(.endScan(radios[index].session))
  }

  mutating func scanEnded(in session: RadioSession, _ failure: CentralError?) {
    let failure = failure?.code == .cancelled ? nil : failure
    if let purpose = radios.close(session) {
      record(.scanStopped(ScanPeriod(adapter: session.adapter, purpose: purpose)))
    }
    // Without a match the adapter was lost meanwhile, and may be in another session.
    guard let index = radios.index(of: session), let window = radios[index].state.window else { return }
    let wasRequested = if case .closing = radios[index].state { true } else { false }
    radios[index].scanEnded(at: now)
    if failure == nil, window.didNotStart(at: now) {
      if !course.isStopping {
        scanRefused(in: session, CentralError(.timedOut, stackText: "the scan did not start"))
      }
      return
    }
    if window.didScan(at: now) || wasRequested { radios[history: session.adapter].health.scanned() }
    if course.isStopping || wasRequested && failure == nil || failure == nil && window.didScan(at: now) {
      return
    }
    switch failure?.code {
    case .adapterUnavailable?, .stackUnavailable?, .busUnavailable?:
      if window.didScan(at: now) { lose(session) } else { scanRefused(in: session, failure) }
    default:
      scanRefused(in: session, failure)
    }
  }

  /// The stack refused a scan. Each refusal in a row extends the cool-down; after
  /// `AdapterHealth.tolerableRefusals` the run gives the adapter up.
  private mutating func scanRefused(in session: RadioSession, _ failure: CentralError?) {
    guard let index = radios.index(of: session) else { return }
    let failure = failure ?? CentralError(.other, stackText: "the scan ended by itself at once")
    if failure.code == .permissionDenied, radios.allSatisfy({ $0.id.host == session.adapter.host }) {
      return stop(.radio(failure))
    }
    let end = radios[history: session.adapter].health.refused(
      at: now, isSilent: failure.code == .timedOut)
    if radios[history: session.adapter].health.isGivenUp {
      record(
        .adapterFaulted(
          .init(adapter: session.adapter, fault: .refusesToScan, stackText: failure.stackText)))
      if radios.allSatisfy({ radios[history: $0.id].health.isGivenUp }) { return stop(.radio(failure)) }
      return lose(session)
    }
    switch failure.code {
    case .adapterUnavailable, .stackUnavailable, .busUnavailable: lose(session)
    default: radios[index].coolDownEnd = end
    }
  }

  // MARK: Sightings

  /// Takes an advertisement. Returns whether decisions may follow.
  mutating func receive(_ advertisement: Advertisement, in session: RadioSession) -> Bool {
    guard let index = radios.index(of: session) else { return false }
    let isSign = !failuresInSilence(index).isEmpty
    radios[index].reported(at: now)
    return receive(advertisement) || isSign
  }

  private mutating func receive(_ advertisement: Advertisement) -> Bool {
    var mayDecide = false
    defer {
      if air.notesOverflow() {
        record(.adapterFaulted(.init(adapter: advertisement.adapter, fault: .tooManyDevices)))
      }
    }
    if let sighting = air.receive(advertisement), air.mayRecord(sighting) {
      record(
        .deviceSighted(
          .init(
            address: sighting.address, adapter: sighting.adapter, profile: sighting.life?.profile,
            rssi: sighting.rssi, identity: sighting.identityAtWork)))
    }
    // Also if the ledger knows the content: after a loss it must be received again.
    if case .surveying(var survey) = course.phase, survey.unreceived.contains(advertisement.address) {
      mayDecide = survey.received(advertisement.address)
      course.phase = .surveying(survey)
    }
    let owner = rooms.owner(of: advertisement.address)
    if owner != nil, let failure = hidden.receive(advertisement) {
      record(
        .adapterFaulted(
          .init(
            adapter: advertisement.adapter, fault: .keepsDevice, address: advertisement.address,
            stackText: failure.stackText)))
    }
    if let owner, receive(advertisement, of: owner) { mayDecide = true }
    // Any address may send an awaited identity: another address than the device's own proves nothing, but
    // explains a missing proof.
    if rooms.isAwaitingIdentities, let identity = air[advertisement.address]?.identityNow,
      let room = rooms.awaiting(identity), room != owner, receive(advertisement, of: room)
    {
      mayDecide = true
    }
    return mayDecide
  }

  /// Takes an advertisement that concerns a room. Returns whether decisions may follow.
  private mutating func receive(_ advertisement: Advertisement, of place: Int) -> Bool {
    let adapter = advertisement.adapter
    rooms.reached(place, by: adapter, rssi: advertisement.rssi)
    if let queue = rooms[place].state.queue {
      // A device of unknown content is no candidate: its window would end for it at once, again and again.
      guard !queue.candidacies.contains(adapter), advertisement.address == queue.device,
        rooms[place].isPerAction || isFresh(advertisement.address, on: adapter)
      else { return false }
      enlist(place, on: adapter)
      return true
    }
    switch rooms[place].state {
    case .diagnosing(let state):
      guard state.awaitsSighting, advertisement.address == state.work.address,
        isFresh(advertisement.address, on: adapter)
      else { return false }
      judge(place, state)
      return true
    case .exhausted(let state) where !course.isEnding:
      return receive(advertisement, of: place, exhausted: state)
    case .proving(var state):
      let (settled, wasAccepted) = (state.watch.settlesAt, state.watch.isAccepted)
      let sighting = air[advertisement.address]
      state.watch.receive(
        advertisement, with: sighting?.identityNow, firstReceived: sighting?.firstReceived)
      rooms.update(place, .proving(state))
      if settled == nil, let settles = state.watch.settlesAt {
        rooms.timers.instants.insert(Due(at: settles, room: place))
      }
      if state.watch.isAccepted, !wasAccepted {
        record(
          .statusReceived(
            .init(
              room: state.work.room.id, attempt: state.past.work.number, text: "on air: it joins its network",
              meaning: .accepted)))
      }
      if state.watch.isDecided { endProof(place, isOver: true) }
      return state.watch.isDecided || settled != state.watch.settlesAt
    case .awaitingOperator where !course.isEnding:
      takeUp(place)
      return true
    case .awaited where !course.isEnding:
      finishRegistered(place)
      return true
    case .finished:
      return withdraw(place, contradictedBy: advertisement)
    case .unmatched, .open, .awaited, .awaitingOperator, .deferred, .queued, .exhausted, .preparing,
      .connecting, .connected, .disconnecting, .backingOff, .stopped:
      return false
    }
  }

  /// Takes an advertisement of a device whose retries are exhausted. It is clearly received again when it is
  /// stronger than before, or returns after a long absence.
  private mutating func receive(
    _ advertisement: Advertisement, of place: Int, exhausted state: RoomState.Exhausted
  ) -> Bool {
    guard advertisement.address == state.work.address else { return false }
    let received = advertisement.rssi ?? air[advertisement.address]?.receptions[advertisement.adapter]?.rssi
    let least = leastScanTime
    let isBack = least - state.receivedAt >= RadioLimits.absence
    let isStronger = state.rssi.flatMap { old in received.map { $0 >= old + RadioLimits.stronger } } ?? false
    guard isBack || isStronger else {
      var state = state
      (state.rssi, state.receivedAt) = (state.rssi ?? received, least)
      rooms.update(place, .exhausted(state))
      return false
    }
    admission.renewed()
    record(
      .retryScheduled(.init(room: rooms[place].room.id, attempt: state.work.number, delay: 0)))
    enqueue(place, state.renewed(silenceLimit: silenceLimit(of: state.work.room)))
    return true
  }

  // MARK: Deaf adapters

  /// Takes the result of switching an adapter off and on.
  mutating func powerCycled(_ session: RadioSession, _ failure: CentralError?) {
    let fault = radios.presence.powerCycling.removeValue(forKey: session.adapter) ?? .receivesNothing
    radios.presence.mayHaveChanged = true
    guard !course.isStopping else { return }
    // A stack that does not even switch an adapter has lost track of it, and refuses every further request.
    let isStuck = failure?.code == .timedOut
    radios[history: session.adapter].health.isStuck = isStuck
    record(
      .adapterFaulted(
        .init(
          adapter: session.adapter, fault: isStuck ? .serviceStuck : fault,
          wasPowerCycled: failure == nil ? true : nil, stackText: failure?.stackText)))
    lose(session)
  }
}
