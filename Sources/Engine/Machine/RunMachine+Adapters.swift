import Bluetooth
import HeapModule
import Model
import Session

/// The adapters: which ones are used, in which sessions, and the effects of a lost session.
extension RunMachine {
  /// Waits for an adapter, for a bounded time.
  mutating func awaitAdapter() {
    // The stack has forgotten all devices: adapters that return have received nothing yet.
    air.mustBeReceivedAgain()
    radios.presence.refusal = nil
    radios.presence.wait = .init(
      until: now.advanced(by: request.adapterTimeout),
      failure: CentralError(.adapterUnavailable(.absent)))
  }

  /// Lists the adapters again when they may have changed, and ends the wait for one when its time is over.
  mutating func lookAfterAdapters() {
    guard !course.isStopping else { return }
    if let wait = radios.presence.wait {
      if radios.presence.isWatchEnded { return stop(.radio(CentralError(.busUnavailable))) }
      if wait.until <= now, !radios.presence.isListing {
        if wait.isOver { return stop(.radio(wait.failure)) }
        radios.presence.wait?.isOver = true
        radios.presence.mayHaveChanged = true
      }
    }
    let isDue = radios.dueAt.map { $0 <= now } ?? false
    guard radios.presence.mayHaveChanged || isDue, !radios.presence.isListing else { return }
    (radios.presence.isListing, radios.presence.mayHaveChanged) = (true, false)
    perform(.listAdapters)
  }

  /// Takes adapters that appeared, and ends the sessions of those that disappeared.
  mutating func take(_ hosts: [HostAdapters]) {
    radios.presence.isListing = false
    guard !course.isStopping else { return }
    // They may have changed again since the stack listed them.
    let haveChanged = radios.presence.mayHaveChanged
    note(hosts)
    for failure in hosts.compactMap(\.failure) {
      switch failure.code {
      case .cancelled: return
      case .stackUnavailable, .busUnavailable: radios.presence.stackLostAt[failure.host] = now
      default: break
      }
    }
    // The failure of one host is none of the others.
    let lack = AdapterLack(hosts, wanted: request.adapters)
    if lack.isRefused { return stop(.radio(lack.failure)) }
    let present = hosts.flatMap { (try? $0.result.get()) ?? [] }
    let usable = present.filter(isUsable).sorted(by: Adapter.areInOrder)
    for radio in radios where !usable.contains(where: { $0.id == radio.id }) { lose(radio.session) }
    // The losses above are known, and adapters that can be used again are claimed below.
    radios.presence.mayHaveChanged = haveChanged
    radios.presence.claiming = radios.presence.claiming.filter { claimed in
      usable.contains { $0.id == claimed.key }
    }
    radios.expireCoolDowns(at: now)
    // A restart of the stack removes its adapters.
    radios.endStuckness(ofAllExcept: present.map(\.id))
    for adapter in usable {
      if let index = radios.index(of: adapter.id) {
        noteForeignScan(on: adapter, radios[index].session)
      } else if radios.presence.claiming[adapter.id] == nil,
        !radios[history: adapter.id].health.isCoolingDown(at: now)
      {
        radios.presence.claiming[adapter.id] = adapter
        perform(.claim(adapter))
      }
    }
    if !usable.isEmpty {
      radios.presence.wait = nil
    } else if radios.presence.powerCycling.isEmpty {
      // An adapter that the run itself has just switched off returns by itself.
      if radios.presence.wait == nil { awaitAdapter() }
      recordWait(lack)
    }
  }

  /// Records why a host cannot be used, once for each cause until it can.
  private mutating func note(_ hosts: [HostAdapters]) {
    for host in hosts {
      guard let name = host.host else { continue }
      let fact = HostUnavailable(host)
      if let fact, fact.cause != radios.presence.unavailable[name] { record(.hostUnavailable(fact)) }
      radios.presence.unavailable[name] = fact?.cause
    }
  }

  private mutating func recordWait(_ lack: AdapterLack) {
    let isStuck = lack.eligible.contains { radios[history: $0.id].health.isStuck }
    let stuck = isStuck ? CentralError(.timedOut) : nil
    radios.presence.wait?.failure = stuck ?? lack.failure
    let awaited = lack.awaited(stuck, for: request.adapterTimeout)
    if awaited != radios.presence.wait?.recorded { record(.adapterAwaited(awaited)) }
    radios.presence.wait?.recorded = awaited
  }

  /// Takes the response to a claim: this run may use the adapter, or another run has it.
  mutating func take(_ claim: AdapterClaim, of id: AdapterID, stack: String?, _ hardware: AdapterHardware?) {
    guard let adapter = radios.presence.claiming.removeValue(forKey: id), !course.isStopping else { return }
    switch claim {
    case .granted:
      use(adapter, stack: stack, hardware)
    case .unlocked(let reason):
      use(adapter, stack: stack, hardware)
      record(.adapterFaulted(.init(adapter: id, fault: .notLocked, stackText: reason)))
    case .refused(let holder):
      radios.presence.refusal = radios.presence.refusal ?? .adapterClaimed(adapter: adapter.name, by: holder)
    }
    if let refusal = radios.presence.refusal, radios.isEmpty, radios.presence.claiming.isEmpty,
      radios.dueAt == nil,
      radios.presence.powerCycling.isEmpty
    {
      stop(.refused(refusal))
    }
  }

  private mutating func use(_ adapter: Adapter, stack: String?, _ hardware: AdapterHardware?) {
    let description = request.building.description(of: adapter)
    let slots =
      radios[history: adapter.id].slots
      ?? LinkSlots(
        stated: request.building.slots(of: adapter),
        recorded: request.known.lastKnown.linksHeld[adapter.id])
    record(
      .adapterSelected(
        .init(
          adapter: adapter.id, name: adapter.name, alias: description?.alias, place: description?.place,
          stack: stack, hardware: hardware, slots: slots.limit)))
    matching.nearby.take(adapter, namedBy: request.building.rooms)
    let session = radios.add(adapter.id, slots: slots, at: now)
    radios[history: adapter.id].health.began(at: now)
    for place in rooms.places([.queued]) where rooms[place].isPerAction {
      enlist(place, on: adapter.id)
    }
    radios.presence.releasing.insert(session)
    let bonds = goal == .apply ? request.known.lastKnown.bonds.devices(.temporary)[adapter.id] ?? [] : []
    perform(.findLeftLinks(session, removingBonds: bonds.sorted()))
    noteForeignScan(on: adapter, session)
  }

  /// Ends a session of an adapter. Its links end by themselves.
  mutating func lose(_ session: RadioSession) {
    guard let index = radios.index(of: session) else { return }
    if radios.isOpen(session) { perform(.endScan(session)) }
    let radio = radios.remove(index, at: now)
    air.mustBeReceivedAgain(on: session.adapter)
    let (least, total) = (leastScanTime, radio.scanTime.total(at: now))
    rooms.lose(session.adapter)
    // If the adapter returns within milliseconds, an attempt that has not connected yet would connect in the new
    // session, which does not count its link.
    endAttempts([.connecting], .adapterLost) { $0.session == session }
    for place in rooms.places([.proving]) {
      guard case .proving(var state) = rooms[place].state, state.adapter == session.adapter else { continue }
      (state.adapter, state.limit) = (nil, least + max(state.limit - total, .zero))
      rooms.update(place, .proving(state))
      rooms.timers.orphans.insert(Due(at: state.limit, room: place))
    }
    for place in rooms.places([.queued]) {
      guard let device = rooms[place].state.work?.address else { continue }
      // Without an adapter of this computer, such a room ends when the next adapter takes it.
      let ends = !hasLocalRadio && rooms[place].room.family.proof.isSelfDisconnect
      for radio in radios where ends || isFresh(device, on: radio.id) { enlist(place, on: radio.id) }
    }
    noteLoss(of: session.adapter)
  }

  /// Whether an adapter of this computer is in use.
  var hasLocalRadio: Bool { radios.contains { $0.id.host == nil } }

  /// Gives up an adapter that comes and goes without end.
  private mutating func noteLoss(of adapter: AdapterID) {
    radios[history: adapter].health.lost(at: now)
    guard radios[history: adapter].health.comesAndGoes else { return }
    let failure = CentralError(
      .adapterUnavailable(.absent),
      stackText: "it was lost \(AdapterHealth.tolerableFlaps) times in a row within 30 s")
    record(.adapterFaulted(.init(adapter: adapter, fault: .comesAndGoes, stackText: failure.stackText)))
    if radios.isEmpty, radios.presence.claiming.isEmpty { stop(.radio(failure)) }
  }

  // MARK: Other programs

  /// Notes whether another program seems to scan with an adapter in use, and asks which one.
  private mutating func noteForeignScan(on adapter: Adapter, _ session: RadioSession) {
    guard let index = radios.index(of: session) else { return }
    radios[index].isShared = adapter.isScannedByOthers
    switch (adapter.isScannedByOthers, radios[history: adapter.id].foreignScan) {
    case (true, .none):
      radios[history: adapter.id].foreignScan = .asked
      perform(.askScanningClients(session))
    case (false, .asked): radios[history: adapter.id].foreignScan = .none
    case (true, .asked), (_, .noted), (false, .none): break
    }
  }

  /// Records once that another program scans.
  /// - Parameter clients: The other programs that use the stack. Nil if this user cannot find out; if there are
  ///   none, nobody else scans, and the stack is late to report the end of a scan.
  mutating func noteForeignScan(by clients: [String]?, in session: RadioSession) {
    guard radios[history: session.adapter].foreignScan != .noted, clients?.isEmpty != true else { return }
    radios[history: session.adapter].foreignScan = .noted
    record(.foreignScanDetected(.init(adapter: session.adapter, clients: clients ?? [])))
  }

  // MARK: Links of an earlier run

  /// Ends links that a killed run left behind: a connected sensor does not advertise. Only devices that a
  /// room names or has on record, or that offer the service of a built-in family, may be disconnected.
  mutating func release(_ peripherals: [ConnectedPeripheral]?, in session: RadioSession) {
    let isCurrent = !course.isStopping && radios.index(of: session) != nil
    let left = isCurrent ? (peripherals ?? []).filter(isLeftBehind).map(\.address) : []
    if left.isEmpty {
      radios.presence.releasing.remove(session)
    } else {
      perform(.releaseLinks(left, session))
    }
  }

  private func isLeftBehind(_ peripheral: ConnectedPeripheral) -> Bool {
    // A link of this run may still exist when its adapter returns.
    if let place = rooms.owner(of: peripheral.address), rooms[place].state.kind.isEngaged { return false }
    let known = request.known
    let isElsewhere = request.building.rooms.contains {
      $0.isRegistered && known.device(of: $0)?.address == peripheral.address
    }
    guard !isElsewhere else { return false }
    let isNamed =
      known.lastKnown.claimed.contains(peripheral.address)
      || request.building.rooms.contains { $0.address == peripheral.address }
    let services = request.building.families.all.filter { !$0.isServiceShared }.map(\.service)
    return isNamed || !Set(services).isDisjoint(with: peripheral.serviceUUIDs)
  }

  // MARK: Selection of adapters

  private func isUsable(_ adapter: Adapter) -> Bool {
    adapter.state == .ready && request.adapters.want(adapter) && !radios[history: adapter.id].health.isGivenUp
  }

  /// When the adapters need a decision at the latest.
  var presenceWake: MonotonicInstant? {
    [radios.dueAt, radios.presence.wait?.until].compactMap(\.self).min()
  }

  /// The least scan time of all adapters in use.
  var leastScanTime: Duration { radios.leastScanTime(at: now) }
}
