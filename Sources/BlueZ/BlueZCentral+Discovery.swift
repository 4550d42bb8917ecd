public import Bluetooth
import DBus
import Waiting

/// Our discovery on one adapter. BlueZ knows one per client, so those who listen share it.
struct Discovery {
  /// What is under way. While it changes, the next one waits.
  enum Phase: Hashable {
    /// Objects whose content is not certain are removed.
    case preparing
    case starting
    case running
    case stopping
  }

  /// Which discovery: a later one on the same path, or on another adapter of the same name, is not this one.
  let number: UInt64
  var phase = Phase.preparing
  var listeners: [UInt64: Listener] = [:]
  /// Objects whose content is in doubt, in the order in which that was noticed; they are to be removed.
  var doubtful: [ObjectPath] = []
  /// When the kernel's scan was started anew the last time.
  var restartedAt: MonotonicInstant?
  /// How often each device was reported so far, until that is known to be enough.
  var reports: [ObjectPath: Int]? = [:]

  /// Takes a report of a device into account.
  mutating func count(_ path: ObjectPath) {
    reports?[path, default: 0] += 1
  }

  /// Whether the controller reports a device again and again. One that reports each device once per scan reports it twice
  /// where advertisement and scan response come apart.
  var repeatsDevices: Bool { reports?.values.contains { $0 > 2 } ?? false }

  /// Whether each report signals its data (`DuplicateData`), since a discovery of ours runs or is about to.
  var repeatsData: Bool { phase == .starting || phase == .running }

  /// One who listens.
  struct Listener {
    var source: AdvertisementStream.Source
    /// Fired when there is something in `doubtful`.
    var doubts: AsyncStream<Void>.Continuation
  }
}

extension BlueZCentral {
  /// Discovers on an adapter for exactly as long as `body` runs; several can at the same time, and the last one
  /// to end stops discovery.
  ///
  /// Most controllers report each device once per scan, and a report says everything only where it makes the object.
  /// So before the scan starts, the objects whose content is not certain are removed (`RemoveDevice`): those that were
  /// there before us and those in doubt, unless somebody is connected to them or has paired, trusted or blocked them.
  /// Soon after it, the scan is started anew: what the controller reports before BlueZ is ready for it is lost.
  /// Where content comes into doubt while the scan runs, the object is removed, and the scan is started anew unless
  /// the device is reported again by itself.
  public func listen<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    let path = try await readyAdapter(adapter)
    let (stream, source) = AdvertisementStream.makeStream()
    let (doubts, doubt) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let ticket = try await join(path, Discovery.Listener(source: source, doubts: doubt))
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in doubts { await self.settleDoubts(during: ticket) } }
      group.addTask { await self.repeatStart(of: ticket) }
      let result: Swift.Result<Result, CentralError>
      do throws(CentralError) {
        result = .success(try await body(stream))
      } catch {
        result = .failure(error)
      }
      group.cancelAll()
      return result
    }
    await leave(ticket)
    return try result.get()
  }

  /// The right to one listener's place.
  private struct Ticket: Sendable {
    var path: ObjectPath
    var discovery: UInt64
    var listener: UInt64

    /// Whether this listener has started the discovery.
    var isFirst: Bool { discovery == listener }
  }

  // MARK: Joining and leaving

  private func join(_ path: ObjectPath, _ listener: Discovery.Listener) async throws(CentralError) -> Ticket {
    while let phase = discoveries[path]?.phase, phase != .running {
      guard !Task.isCancelled else { throw CentralError(.cancelled) }
      await change(of: path)
    }
    let number = nextNumber()
    if let running = discoveries[path] {
      discoveries[path]?.listeners[number] = listener
      return Ticket(path: path, discovery: running.number, listener: number)
    }
    // What is heard between the start and its answer is news already.
    discoveries[path] = Discovery(number: number, listeners: [number: listener])
    scansChanged()
    let ticket = Ticket(path: path, discovery: number, listener: number)
    await removeUncertainObjects(under: path)
    if discoveries[path]?.number == number { discoveries[path]?.phase = .starting }
    do throws(CentralError) {
      try await start(path)
    } catch {
      // Nobody knows how much of it has been done.
      await stop(ticket)
      throw explained(error, on: path)
    }
    if discoveries[path]?.number == number {
      discoveries[path]?.phase = .running
      wake(path)
    }
    return ticket
  }

  private func leave(_ ticket: Ticket) async {
    guard discoveries[ticket.path]?.number == ticket.discovery else { return }
    discoveries[ticket.path]?.listeners[ticket.listener] = nil
    if discoveries[ticket.path]?.listeners.isEmpty == true { await stop(ticket) }
  }

  // MARK: Talking to BlueZ

  /// Every report of every LE device. The weakest strength there is selects nothing, but that one is given
  /// makes BlueZ signal each report's strength, which it otherwise does after a change of 8 dB, and also report
  /// those who do not call themselves discoverable (`adapter.c`: `filtered_discovery`).
  ///
  /// No two filters in a row are the same. bluetoothd starts the kernel's discovery anew for a filter that is another, and
  /// else not, where it has missed that the kernel has stopped (docs/bluez.md, trap 59).
  private func everything() -> DBusValue {
    filtersSet = filtersSet % 8 + 1
    return .vardict([
      ("Transport", .string("le")), ("DuplicateData", .bool(true)), ("RSSI", .int16(-128 + filtersSet)),
    ])
  }

  private static let attemptsToStart = 4

  /// `InProgress` means that an earlier stop of ours was lost, or that another start is being worked on. What cannot be
  /// stopped after all is on record as ours, and runs with the new filter.
  private func start(_ path: ObjectPath) async throws(CentralError) {
    var attempt = 1
    while true {
      do throws(CentralError) {
        _ = try await call(path, Name.Interface.adapter, Name.Member.setDiscoveryFilter, [everything()])
        _ = try await call(path, Name.Interface.adapter, Name.Member.startDiscovery)
        return
      } catch  where error.code == .busy {
        guard attempt < Self.attemptsToStart else { return }
        attempt += 1
        _ = try? await call(path, Name.Interface.adapter, Name.Member.stopDiscovery, timeout: .seconds(5))
        try? await clock.sleep(for: .milliseconds(250))
      }
    }
  }

  /// Ends a discovery and what is left of its listeners. Whether BlueZ answers or not, nothing is reported from
  /// here on.
  private func stop(_ ticket: Ticket) async {
    guard discoveries[ticket.path]?.number == ticket.discovery else { return }
    discoveries[ticket.path]?.phase = .stopping
    discoveries[ticket.path]?.listeners = [:]
    let restarted = discoveries[ticket.path]?.restartedAt?.advanced(by: Self.restartTakes)
    let refusal: CentralError? = await shielded {
      // A stop that meets a restart is refused (`InProgress`).
      if let restarted, self.clock.now < restarted {
        try? await self.clock.sleep(until: restarted, tolerance: nil)
      }
      do throws(CentralError) {
        _ = try await self.call(
          ticket.path, Name.Interface.adapter, Name.Member.stopDiscovery, timeout: .seconds(5))
        return nil
      } catch {
        return error
      }
    }
    if discoveries[ticket.path]?.number == ticket.discovery {
      discoveries[ticket.path] = nil
      // What BlueZ cannot stop, or does not say that it has, is still ours.
      foreignScans.stopped(
        ticket.path, wasCarriedOut: refusal?.code != .busy && refusal?.code != .timedOut, at: clock.now)
      scansChanged()
    }
    wake(ticket.path)
  }

  /// Discovery has ended by itself wherever `reason` gives one.
  func endDiscoveries(_ reason: (ObjectPath) -> CentralError?) {
    for (path, discovery) in discoveries.sorted(by: { $0.key < $1.key }) {
      guard let error = reason(path) else { continue }
      discoveries[path] = nil
      for (_, listener) in discovery.listeners.sorted(by: { $0.key < $1.key }) {
        listener.source.finish(throwing: error)
        listener.doubts.finish()
      }
    }
  }

  // MARK: Hearing

  /// An object has appeared.
  func deviceAdded(_ path: ObjectPath) {
    guard let device = tree.device(path) else { return }
    removals[path] = nil
    let (state, hearing) = DeviceNews.born(device)
    news[path] = state
    if let hearing { report(hearing, path, device) }
  }

  /// An object says something new.
  func deviceChanged(_ path: ObjectPath, _ changed: Properties) {
    guard let device = tree.device(path) else { return }
    let repeatsData = path.parent.flatMap { discoveries[$0] }?.repeatsData ?? false
    if let hearing = news[path, default: .remembered].take(changed, device: device, repeatsData: repeatsData)
    {
      report(hearing, path, device)
    }
    connectionChanged(path, changed)
  }

  private func report(_ hearing: DeviceNews.Hearing, _ path: ObjectPath, _ device: Properties) {
    guard let parent = path.parent, let listeners = discoveries[parent]?.listeners, !listeners.isEmpty,
      let adapter = tree.adapter(at: parent),
      let address = device.text(Name.Property.address).flatMap({ BluetoothAddress($0) })
    else { return }
    discoveries[parent]?.count(path)
    let now = clock.now
    let advertisement = hearing.advertisement(of: address, by: adapter.id, at: now)
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener.source.yield(advertisement) }
    if hearing.wantsCleanSlate, isIdle(path), cleanSlates.grants(path, device, at: now) {
      discoveries[parent]?.doubtful.append(path)
      listeners.min { $0.key < $1.key }?.value.doubts.yield()
    }
  }

  // MARK: Certainty

  /// How long removing objects may delay a scan. What is left is removed when it is reported.
  private static let removalLimit = Duration.seconds(2)
  /// BlueZ carries out one call after the other; a bus refuses more than 128 that are not answered (dbus-daemon's
  /// `max_replies_per_connection`).
  private static let removalsAtOnce = 16
  /// For so long a device whose object was removed may be reported again by itself: several advertising intervals of
  /// most devices.
  private static let repetition = Duration.milliseconds(250)
  /// In this time a device that advertises every 100 ms is reported three times, by a controller that repeats itself.
  private static let firstReports = Duration.milliseconds(400)
  /// Between two starts of the kernel's scan for the sake of doubts.
  private static let restartInterval = Duration.seconds(1)
  /// From setting another filter until the kernel's scan has been stopped and started.
  private static let restartTakes = Duration.milliseconds(500)

  /// Removes the objects of an adapter whose content is not certain, before a scan starts.
  private func removeUncertainObjects(under adapter: ObjectPath) async {
    let devices = tree.devices(under: adapter)
    _ = await race(Self.removalLimit, on: clock) { await self.removeUncertain(devices) }
  }

  /// Removes those of these objects whose content is not certain.
  private func removeUncertain(_ paths: [ObjectPath]) async {
    await withTaskGroup(of: Void.self) { group in
      var underWay = 0
      for path in paths where isUncertain(path) {
        if underWay == Self.removalsAtOnce { await group.next() } else { underWay += 1 }
        group.addTask { await self.removeUncertain(path) }
      }
    }
  }

  private func removeUncertain(_ path: ObjectPath) async {
    // A connection may have begun since this was wanted, or a report may have told what the object says.
    guard !Task.isCancelled, let adapter = path.parent, isUncertain(path) else { return }
    _ = try? await call(
      adapter, Name.Interface.adapter, Name.Member.removeDevice, [.objectPath(path)], during: .forget)
  }

  /// Whether what an object holds need not be what the device says, and the object may be removed.
  private func isUncertain(_ path: ObjectPath) -> Bool {
    guard isIdle(path), let device = tree.device(path), !CleanSlates.isTied(device) else { return false }
    return news[path]?.isCertain != true
  }

  /// Removes the objects in doubt. A controller that reports each device once per scan says nothing more of them
  /// before the scan starts anew; where nobody else scans for everything, another filter makes BlueZ do that
  /// (docs/bluez.md, trap 59).
  private func settleDoubts(during ticket: Ticket) async {
    var removed = await removeDoubtful(during: ticket)
    try? await clock.sleep(for: Self.repetition)
    removed += await removeDoubtful(during: ticket)
    if let last = discoveries[ticket.path]?.restartedAt {
      try? await clock.sleep(until: last.advanced(by: Self.restartInterval), tolerance: nil)
    }
    guard removed.contains(where: { tree.device($0) == nil }) else { return }
    await restartScan(ticket)
  }

  /// BlueZ loses what the controller reports before it has read that the scan runs: 0 to 2 of 40 devices (docs/bluez.md,
  /// "Reports lost at the start of a scan"). One that reports each device once per scan has to be asked once more.
  private func repeatStart(of ticket: Ticket) async {
    // Whoever joins a scan that runs need not repeat its start.
    guard discoveries[ticket.path]?.reports != nil, ticket.isFirst else { return }
    try? await clock.sleep(for: Self.firstReports)
    guard let discovery = discoveries[ticket.path], discovery.number == ticket.discovery else { return }
    discoveries[ticket.path]?.reports = nil
    if !discovery.repeatsDevices, discovery.restartedAt == nil { await restartScan(ticket) }
  }

  /// Has BlueZ start the kernel's scan anew, which it does for another filter unless another client wants everything
  /// anyway.
  private func restartScan(_ ticket: Ticket) async {
    guard isListening(ticket) else { return }
    discoveries[ticket.path]?.restartedAt = clock.now
    _ = try? await call(
      ticket.path, Name.Interface.adapter, Name.Member.setDiscoveryFilter, [everything()],
      timeout: .seconds(5))
  }

  /// Removes the objects in doubt, as long as there is somebody to hear the new ones; returns which.
  private func removeDoubtful(during ticket: Ticket) async -> [ObjectPath] {
    guard isListening(ticket), let doubtful = discoveries[ticket.path]?.doubtful else { return [] }
    discoveries[ticket.path]?.doubtful = []
    await removeUncertain(doubtful)
    return doubtful
  }

  private func isListening(_ ticket: Ticket) -> Bool {
    !Task.isCancelled && discoveries[ticket.path]?.listeners[ticket.listener] != nil
  }
}
