import Bluetooth

/// The adapter, and listening on it.
extension ApplyRun {
  /// After so many listening windows in a row that the stack refuses, it is given up. Each costs a second.
  private static let tolerableStumbles = 10

  /// Waits until an adapter can be used, for a bounded time, and takes it.
  func selectAdapter() async throws(Stop) {
    adapter = nil
    // Another adapter has heard nobody, and one that is back, or its stack, remembers nobody.
    air.mustBeHeardAgain()
    let selection = AdapterSelection(
      central: central, clock: clock, wanted: request.adapter, patience: request.adapterPatience)
    let chosen: Adapter
    do throws(CentralError) {
      chosen = try await selection.adapter { [coordinator] awaited in
        await coordinator.note(.adapterAwaited(awaited))
      }
    } catch {
      throw error.code == .cancelled ? .interrupted : .radio(error)
    }
    if case .refused(let holder) = await environment.claim(chosen) {
      throw .refused(.adapterClaimed(adapter: chosen.name, by: holder))
    }
    adapter = chosen
    await coordinator.note(
      .adapterSelected(
        .init(adapter: chosen.id, name: chosen.name, stack: await central.stackVersion())))
    await releaseLeftLinks(on: chosen)
  }

  /// Ends links that a run left behind which was killed: nobody hears a sensor that is connected. Only devices
  /// that a room names or has on record, or that have the service of one of our families, are ours to let go.
  private func releaseLeftLinks(on adapter: Adapter) async {
    let central = central
    let found = await race(.seconds(5), on: clock) { () throws(CentralError) in
      try await central.connectedPeripherals(on: adapter.id)
    }
    guard case .value(let connected) = found else { return }
    let named = request.known.standing.claimed.union(request.building.rooms.compactMap(\.address))
    // Nobody of ours connects to what was configured elsewhere.
    let elsewhere = Set(
      request.building.rooms.filter(\.isRegistered).compactMap { request.known.device(of: $0)?.address })
    let services = Set(DeviceProfiles.all.filter { !$0.isServiceShared }.map(\.service))
    for peripheral in connected where !elsewhere.contains(peripheral.address) {
      let isOurs =
        named.contains(peripheral.address) || !services.isDisjoint(with: peripheral.serviceUUIDs)
      guard isOurs else { continue }
      let address = peripheral.address
      let forgotten = await race(.seconds(5), on: clock) { () throws(CentralError) in
        try await central.forget(address, on: adapter.id)
      }
      if case .value = forgotten {
        await coordinator.note(.linkReleased(.init(address: address, adapter: adapter.id)))
      }
    }
  }

  /// Finds out who is there. Ends early once every device that the manifest names was heard, but not before
  /// others had a chance: a minor that is on air from elsewhere must be heard before the first write.
  func survey() async throws(Stop) {
    // Who sleeps most of the time is heard by its own session.
    let named = request.rooms.compactMap { room -> BluetoothAddress?? in
      let device = request.known.device(of: room)?.address
      return device != nil && profile(of: room).searchesItself ? nil : .some(device)
    }
    let shortest = min(.seconds(3), request.survey)
    while true {
      let least = clock.now.advanced(by: shortest)
      let window = try await listen(.survey, for: named.isEmpty ? shortest : request.survey) {
        (advertisement, run) in
        advertisement.receivedAt >= least
          && named.allSatisfy { $0.map { run.air[$0]?.lastHeard != nil } ?? false }
      }
      // What is decided next rests on having listened.
      if window == .ran { return }
    }
  }

  /// A window for devices that must be heard again before they are dialled; ends with the first of them.
  func hearAgain(_ addresses: [BluetoothAddress], until: MonotonicInstant) async throws(Stop) {
    let began = clock.now
    let wanted = Set(addresses)
    let window = try await listen(.sighting, for: began.duration(to: until)) { (advertisement, run) in
      wanted.contains(advertisement.address) && run.air[advertisement.address] != nil
    }
    guard window == .ran else { return }
    let heard = addresses.filter { (air[$0]?.lastHeard).map { $0 >= began } ?? false }
    // A window that ended early says nothing about those it did not hear.
    let missed = heard.isEmpty ? addresses : heard
    schedule.windowEnded(for: missed, heard: Set(heard))
  }

  /// How a listening window ended.
  enum Window: Hashable, Sendable {
    /// It heard enough, or had all its time.
    case ran
    /// The radio failed under it: who was not heard, was not listened to. It took this long to recover.
    case broke(Duration)
  }

  /// Listens on the adapter until `isEnough` or the time is up. When the adapter goes away meanwhile, waits
  /// for one and returns: the schedule will ask again for what it misses.
  @discardableResult
  func listen(
    _ purpose: ListeningPurpose, room: RoomID? = nil, for duration: Duration,
    until isEnough: @escaping @Sendable (Advertisement, isolated ApplyRun) -> Bool
  ) async throws(Stop) -> Window {
    guard let adapter else { preconditionFailure("listening without an adapter") }
    await forgetLeftovers()
    let window = Listening(adapter: adapter.id, purpose: purpose, room: room)
    let central = central
    await coordinator.note(.listeningStarted(window))
    let raced = await race(duration, on: clock) { () throws(CentralError) in
      try await central.listen(on: adapter.id) { (advertisements) throws(CentralError) in
        for try await advertisement in advertisements {
          if await self.hear(advertisement, isEnough) { return }
        }
      }
      if Task.isCancelled { throw CentralError(.cancelled) }
    }
    await coordinator.note(.listeningStopped(window))
    switch raced {
    case .value, .timedOut:
      stumbles = 0
      return .ran
    case .failed(let error) where error.code == .cancelled:
      throw .interrupted
    case .failed(let error):
      let broke = clock.now
      try await recover(from: error)
      return .broke(broke.duration(to: clock.now))
    }
  }

  private func hear(
    _ advertisement: Advertisement, _ isEnough: @Sendable (Advertisement, isolated ApplyRun) -> Bool
  ) async -> Bool {
    await hear(advertisement)
    return isEnough(advertisement, self)
  }

  /// Takes in what was heard.
  func hear(_ advertisement: Advertisement) async {
    if let sighting = air.hear(advertisement) {
      var minor: UInt16?
      if let beacon = sighting.beaconAtWork { minor = beacon.minor }
      await coordinator.note(
        .deviceSighted(
          .init(
            address: sighting.address, adapter: sighting.adapter, profile: sighting.life?.profile,
            rssi: sighting.rssi, minor: minor)))
    }
  }

  /// What is done about an error of the radio that concerns the run: when the adapter or the stack went away,
  /// waits for one to be back; when the stack merely stumbled, pauses, and gives up when it does nothing else.
  func recover(from error: CentralError) async throws(Stop) {
    switch error.code {
    case .busUnavailable, .permissionDenied:
      throw .radio(error)
    case .adapterUnavailable, .stackUnavailable:
      try await selectAdapter()
    default:
      stumbles += 1
      guard stumbles < Self.tolerableStumbles else { throw .radio(error) }
      guard (try? await clock.sleep(for: .seconds(1))) != nil else { throw .interrupted }
    }
  }
}
