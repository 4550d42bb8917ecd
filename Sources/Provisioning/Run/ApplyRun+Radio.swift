import Bluetooth

/// The adapters, and what is heard on them.
extension ApplyRun {
  /// Waits until an adapter can be used, for a bounded time, and takes all that can be.
  func selectAdapters() async throws(Stop) {
    // Nobody remembers anybody: adapters that are back, or their stack, have heard nobody.
    for adapter in adapters.keys { schedule.remove(adapter, at: clock.now) }
    adapters = [:]
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
    let others = present.filter { $0.id != first.id && $0.state == .ready && request.wants($0) }
    var refused: Stop?
    for adapter in [first] + others.sorted(by: { $0.name < $1.name }) {
      if let holder = try await take(adapter) {
        refused = refused ?? .refused(.adapterClaimed(adapter: adapter.name, by: holder))
      }
    }
    if adapters.isEmpty, let refused { throw refused }
  }

  /// Takes an adapter for this run. Returns who has it, if it cannot be had.
  func take(_ adapter: Adapter) async throws(Stop) -> String? {
    if case .refused(let holder) = await environment.claim(adapter) { return holder }
    adapters[adapter.id] = adapter
    coordinator.note(
      .adapterSelected(
        .init(adapter: adapter.id, name: adapter.name, stack: await central.stackVersion())))
    await releaseLeftLinks(on: adapter)
    nearby.take(adapter, namedBy: request.building.rooms)
    let slots = request.building.slots(of: adapter) ?? Schedule.Limits.slots
    schedule.add(adapter.id, slots: slots, at: clock.now)
    return nil
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
        coordinator.note(.linkReleased(.init(address: address, adapter: adapter.id)))
      }
    }
  }

  /// Finds out who is there. Ends early once every device that the manifest names was heard, but not before
  /// others had a chance: a minor that is on air from elsewhere must be heard before the first write. Where nearness
  /// is to decide, listens until it does.
  func survey() async throws(Stop) {
    let unbound = rooms.filter { $0.near != nil && request.known.device(of: $0) == nil }
    // Who sleeps most of the time is heard by its own session.
    let named = rooms.compactMap { room -> BluetoothAddress?? in
      let device = request.known.device(of: room)?.address
      if device == nil { return room.near == nil ? .some(nil) : nil }
      return profile(of: room).searchesItself ? nil : .some(device)
    }
    let shortest = min(.seconds(3), request.survey)
    // Where nearness decides, anew and not on: some chips report each device but once in a scan.
    let longest = unbound.isEmpty ? Schedule.Limits.longestWindow : shortest
    var began = clock.now
    var isFirst = true
    while true {
      let end = began.advanced(by: request.survey)
      let start = clock.now
      let left = min(isFirst ? shortest : longest, start.duration(to: end))
      let mayEndEarly = !isFirst && unbound.isEmpty
      let window = try await listen(for: left) { _, run in
        mayEndEarly && run.areHeard(named)
      }
      // What is decided next rests on having listened.
      guard window == .ran else {
        (began, isFirst) = (clock.now, true)
        continue
      }
      isFirst = false
      // A stack that ends it at once would never tell more.
      if clock.now >= end || clock.now == start || areHeard(named) && isSettled(unbound) { return }
    }
  }

  /// Whether all of these devices were heard; one that nobody knows was not.
  private func areHeard(_ devices: [BluetoothAddress?]) -> Bool {
    devices.allSatisfy { $0.map { air[$0]?.lastHeard != nil } ?? false }
  }

  /// Whether listening longer would not tell more of who is near which adapter.
  private func isSettled(_ rooms: [Room]) -> Bool {
    matches(of: rooms).values.allSatisfy { match in
      guard case .stopped(_, let reason) = match else { return true }
      return reason.code != .heardTooBriefly && reason.code != .noCandidate
    }
  }

  /// How a listening window ended.
  private enum Window: Hashable, Sendable {
    /// It heard enough, or had all its time.
    case ran
    /// The radio failed under it: who was not heard, was not listened to.
    case broke
  }

  /// Listens on all adapters until one has heard what `isEnough`, or the time is up. When one goes away meanwhile, waits for one and says
  /// that it broke.
  private func listen(
    for duration: Duration,
    until isEnough: @escaping @Sendable (Advertisement, isolated ApplyRun) -> Bool
  ) async throws(Stop) -> Window {
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      for adapter in adapters.keys.sorted() {
        group.addTask { await self.listen(on: adapter, for: duration, until: isEnough) }
      }
      var failure: CentralError?
      var isOver = false
      for await ended in group {
        guard let ended else {
          // What one has heard enough of, all have.
          isOver = true
          group.cancelAll()
          continue
        }
        if !isOver || ended.code != .cancelled { failure = failure ?? ended }
      }
      return failure
    }
    if Task.isCancelled { throw .interrupted }
    guard let failure else {
      surveyStumbles = 0
      return .ran
    }
    if failure.code == .cancelled { throw .interrupted }
    try await recover(from: failure)
    return .broke
  }

  private func listen(
    on adapter: AdapterID, for duration: Duration,
    until isEnough: @escaping @Sendable (Advertisement, isolated ApplyRun) -> Bool
  ) async -> CentralError? {
    let window = Listening(adapter: adapter, purpose: .survey)
    let central = central
    coordinator.note(.listeningStarted(window))
    let raced = await race(duration, on: clock) { () throws(CentralError) in
      try await central.listen(on: adapter) { (advertisements) throws(CentralError) in
        for try await advertisement in advertisements {
          if await self.hear(advertisement, isEnough) { return }
        }
      }
      if Task.isCancelled { throw CentralError(.cancelled) }
    }
    coordinator.note(.listeningStopped(window))
    return if case .failed(let error) = raced { error } else { nil }
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
      coordinator.note(
        .deviceSighted(
          .init(
            address: sighting.address, adapter: sighting.adapter, profile: sighting.life?.profile,
            rssi: sighting.rssi, minor: minor)))
    }
    let mayCall = schedule.heard(
      advertisement.address, on: advertisement.adapter, rssi: advertisement.rssi,
      at: advertisement.receivedAt)
    let isAwaited = waiting.hear(advertisement)
    for (room, settles) in proofs.hear(
      advertisement, firstHeard: air[advertisement.address]?.firstHeard)
    { schedule.proofSettles(of: room, at: settles) }
    if mayCall || isAwaited { bell.ring() }
  }

  /// What is done about an error of the radio during the survey: when an adapter or the stack went away, waits for
  /// one to be back; when the stack merely stumbled, pauses, and gives up when it does nothing else.
  private func recover(from error: CentralError) async throws(Stop) {
    switch error.code {
    case .busUnavailable, .permissionDenied:
      throw .radio(error)
    case .adapterUnavailable, .stackUnavailable:
      try await selectAdapters()
    default:
      surveyStumbles += 1
      guard surveyStumbles < Self.tolerableStumbles else { throw .radio(error) }
      guard (try? await clock.sleep(for: .seconds(1))) != nil else { throw .interrupted }
    }
  }
}
