import Bluetooth

/// The adapters: which are used, in which sessions, and what becomes of a session that is lost.
extension ApplyRun {
  /// Waits until an adapter can be used, for a bounded time, and takes all that can be.
  func selectAdapters() async throws(Stop) {
    // The stack remembers nobody: adapters that are back, or their stack, have heard no device yet.
    for session in radios.values.sorted(by: { $0.number < $1.number }) { lose(session) }
    air.mustBeHeardAgain()
    schedule.mustBeHeardAgain()
    let selection = AdapterSelection(
      central: central, clock: clock, wanted: request.adapters, patience: request.adapterPatience)
    let first: Adapter
    do throws(CentralError) {
      first = try await selection.adapter { [coordinator] awaited in
        coordinator.note(.adapterAwaited(awaited))
      }
    } catch {
      throw error.code == .cancelled ? .interrupted : .radio(error)
    }
    let present = (try? await central.adapters()) ?? []
    let others = present.filter { $0.id != first.id && isUsable($0) }
    var refused: Stop?
    for adapter in [first] + others.sorted(by: { $0.name < $1.name }) {
      if let holder = try await take(adapter) {
        refused = refused ?? .refused(.adapterClaimed(adapter: adapter.name, by: holder))
      }
    }
    if radios.isEmpty, let refused { throw refused }
  }

  /// Takes adapters that have come, and does without those that have gone; where none is left, waits for one.
  func refreshAdapters() async throws(Stop) {
    adaptersMayHaveChanged = false
    let present: [Adapter]
    do throws(CentralError) {
      present = try await central.adapters()
    } catch {
      switch error.code {
      case .cancelled: throw .interrupted
      case .permissionDenied: throw .radio(error)
      case .stackUnavailable, .busUnavailable: stackLostAt = clock.now
      default: break
      }
      present = []
    }
    let usable = present.filter(isUsable).sorted { $0.name < $1.name }
    for (adapter, session) in radios.sorted(by: { $0.key < $1.key })
    where !usable.contains(where: { $0.id == adapter }) {
      lose(session)
    }
    // What is lost just now is known to be; and an adapter that may be used again is taken below, if it is there.
    adaptersMayHaveChanged = false
    for adapter in health.keys { health[adapter]?.expire(at: clock.now) }
    for adapter in usable where radios[adapter.id] == nil && !isHeld(adapter.id) {
      _ = try await take(adapter)
    }
    for adapter in usable { await noteForeignScan(on: adapter) }
    // One that the run itself has just switched off comes back by itself.
    if usable.isEmpty, powerCycling.isEmpty { try await selectAdapters() }
  }

  /// Takes an adapter for this run. Returns who has it, if it cannot be had.
  private func take(_ adapter: Adapter) async throws(Stop) -> String? {
    if case .refused(let holder) = await environment.claim(adapter) { return holder }
    let stackVersion = await central.stackVersion()
    guard radios[adapter.id] == nil else { return nil }
    coordinator.note(
      .adapterSelected(.init(adapter: adapter.id, name: adapter.name, stack: stackVersion)))
    nearby.take(adapter, namedBy: request.building.rooms)
    let slots = request.building.slots(of: adapter) ?? Schedule.Limits.slots
    let session = schedule.add(
      adapter.id, slots: slots, wasPowerCycled: health[adapter.id]?.wasPowerCycled ?? false, at: clock.now)
    radios[adapter.id] = session
    schedule.setReleasing(true, session)
    await teardown.start { await self.releaseLeftLinks(in: session) }
    await noteForeignScan(on: adapter)
    return nil
  }

  private func isUsable(_ adapter: Adapter) -> Bool {
    adapter.state == .ready && request.wants(adapter) && health[adapter.id]?.isGivenUp != true
  }

  private func isHeld(_ adapter: AdapterID) -> Bool { health[adapter]?.isHeld(at: clock.now) == true }

  /// When an adapter that refused to scan may next be taken; nil when there is none.
  var adapterDueAt: MonotonicInstant? {
    health.filter { radios[$0.key] == nil && !$0.value.isGivenUp }.compactMap(\.value.heldUntil).min()
  }

  /// Whether an adapter that refused to scan may be taken again.
  var isAdapterDue: Bool { adapterDueAt.map { $0 <= clock.now } ?? false }

  /// A session of an adapter is over, as far as is known now.
  func lose(_ session: RadioSession) {
    windows[session]?.close()
    guard schedule.isCurrent(session) else { return }
    schedule.remove(session, at: clock.now)
    air.mustBeHeardAgain(on: session.adapter)
    radios[session.adapter] = nil
    adaptersMayHaveChanged = true
    bell.ring()
  }

  func followAdapters() async {
    for await _ in await central.adapterChanges() {
      adaptersMayHaveChanged = true
      bell.ring()
    }
  }

  // MARK: What an earlier run left behind

  /// Ends links that a killed run left behind: nobody hears a sensor that is connected. Only devices that a room names or
  /// has on record, or that have the service of one of our families, are ours to let go. Ending a link takes BlueZ 2 to
  /// 3 s, so all are ended at the same time, while the adapter already scans.
  private func releaseLeftLinks(in session: RadioSession) async {
    let (central, adapter) = (central, session.adapter)
    let found = await race(.seconds(5), on: clock) { () throws(CentralError) in
      try await central.connectedPeripherals(on: adapter)
    }
    if case .value(let connected) = found {
      await withDiscardingTaskGroup { group in
        for peripheral in connected where isLeftBehind(peripheral) {
          group.addTask { await self.release(peripheral.address, in: session) }
        }
      }
    }
    schedule.setReleasing(false, session)
    bell.ring()
  }

  private func isLeftBehind(_ peripheral: ConnectedPeripheral) -> Bool {
    // Also a link of our own may be there still when its adapter comes back.
    guard !schedule.isEngaged(peripheral.address) else { return false }
    let known = request.known
    let elsewhere = request.building.rooms.contains {
      $0.isRegistered && known.device(of: $0)?.address == peripheral.address
    }
    guard !elsewhere else { return false }
    let isNamed =
      known.standing.claimed.contains(peripheral.address)
      || request.building.rooms.contains { $0.address == peripheral.address }
    let services = DeviceProfiles.all.filter { !$0.isServiceShared }.map(\.service)
    return isNamed || !Set(services).isDisjoint(with: peripheral.serviceUUIDs)
  }

  private func release(_ address: BluetoothAddress, in session: RadioSession) async {
    let central = central
    let forgotten = await race(.seconds(5), on: clock) { () throws(CentralError) in
      try await central.forget(address, on: session.adapter)
    }
    guard case .value = forgotten else { return }
    coordinator.note(.linkReleased(.init(address: address, adapter: session.adapter)))
  }
}
