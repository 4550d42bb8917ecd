package import Bluetooth
import DBus
import Logging
import Waiting

/// This client's discovery on one adapter. BlueZ has at most one per client, so all scans of this client
/// share it.
struct Discovery {
  /// The current phase. A scan that starts during a transition waits for its end.
  enum Phase: Hashable {
    /// Objects with uncertain content are being removed.
    case preparing
    case starting
    case running
    case stopping
  }

  /// The number of this discovery. It distinguishes it from a later discovery on the same path, even on
  /// another adapter with the same name.
  let number: UInt64
  var phase = Phase.preparing
  var listeners: [UInt64: Listener] = [:]
  /// Objects with uncertain content, to be removed, in the order in which this was noticed.
  var doubtful: [ObjectPath] = []
  /// The maximum number of objects that wait for their removal: as many as BlueZ removes in about a second.
  static let mostDoubtful = 1024
  /// When the kernel's scan was last restarted.
  var restartedAt: MonotonicInstant?
  /// The number of reports per device; nil once `repeatsDevices` has been used, because a scan may last for hours.
  var reports: [ObjectPath: Int]? = [:]
  /// When a device was last reported.
  private(set) var reportedAt: MonotonicInstant?

  /// Counts a report of a device.
  mutating func count(_ path: ObjectPath, at now: MonotonicInstant) {
    reports?[path, default: 0] += 1
    reportedAt = now
  }

  /// Whether the controller reports a device repeatedly. A controller that reports each device once per scan
  /// still reports it twice if advertisement and scan response are separate.
  var repeatsDevices: Bool { reports?.values.contains { $0 > 2 } ?? false }

  /// Whether each report signals its data (`DuplicateData`): a discovery of this client runs or is about to
  /// start.
  var repeatsData: Bool { phase == .starting || phase == .running }

  /// A scan that uses this discovery.
  struct Listener {
    var source: AdvertisementStream.Source
    /// Signalled when there is something in `doubtful`.
    var doubts: AsyncStream<Void>.Continuation
  }
}

extension BlueZCentral {
  /// Scans with an adapter while `body` runs. Several scans can run at the same time; the last one to end
  /// stops discovery.
  ///
  /// Most controllers report each device once per scan, and a report is complete only if it creates the
  /// object. So before the scan starts, objects with uncertain content are removed (`RemoveDevice`): those
  /// that existed before and those in doubt, except those that are connected or that the user has paired,
  /// trusted or blocked. Shortly afterwards the scan is restarted, because BlueZ loses reports that arrive
  /// before it is ready. If an object's content becomes doubtful during the scan, the object is removed, and
  /// the scan is restarted unless the device is reported again by itself.
  package func scan<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    let path = try await readyAdapter(adapter)
    let (stream, source) = AdvertisementStream.makeStream()
    let (doubts, doubt) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let ticket = try await join(path, Discovery.Listener(source: source, doubts: doubt))
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in doubts { await self.settleDoubts(during: ticket) } }
      group.addTask { await self.repeatStart(of: ticket) }
      if tree.host != nil { group.addTask { await self.keepAsking() } }
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

  /// How often BlueZ is asked during a scan on another host.
  private static let askingInterval = Duration.milliseconds(200)

  /// Asks BlueZ again and again. Through a network, advertisements may arrive seconds after their reception, when they no
  /// longer show the state of the device; BlueZ's messages keep their order, so each of them is younger than the last
  /// answered question, and counts as received at that time.
  private func keepAsking() async {
    while !Task.isCancelled {
      await ask()
      try? await clock.sleep(for: Self.askingInterval)
    }
  }

  /// Identifies one scan within a discovery.
  private struct Ticket: Sendable {
    var path: ObjectPath
    var discovery: UInt64
    var listener: UInt64

    /// Whether this scan has started the discovery.
    var isFirst: Bool { discovery == listener }
  }

  // MARK: Joining and leaving

  private func join(_ path: ObjectPath, _ listener: Discovery.Listener) async throws(CentralError) -> Ticket {
    // Whether another client scans cannot be observed during a discovery of this client, nor for long after it.
    if foreignScans.isFirst(path) { _ = await isScannedByOthers(path) }
    while let phase = discoveries[path]?.phase, phase != .running {
      guard !Task.isCancelled else { throw CentralError(.cancelled) }
      await change(of: path)
    }
    let number = nextNumber()
    if let running = discoveries[path] {
      discoveries[path]?.listeners[number] = listener
      return Ticket(path: path, discovery: running.number, listener: number)
    }
    // Advertisements that arrive between the call and its reply already count.
    discoveries[path] = Discovery(number: number, listeners: [number: listener])
    scansChanged()
    let ticket = Ticket(path: path, discovery: number, listener: number)
    await removeUncertainObjects(under: path)
    await awaitStart(of: path)
    if discoveries[path]?.number == number { discoveries[path]?.phase = .starting }
    do throws(CentralError) {
      try await start(path)
    } catch {
      // It is unknown how much of the start was carried out.
      await stop(ticket)
      throw explained(error, on: path)
    }
    if discoveries[path]?.number == number {
      discoveries[path]?.phase = .running
      log.debug("\(path.text): discovery started")
      wake(path)
    }
    return ticket
  }

  private func leave(_ ticket: Ticket) async {
    guard discoveries[ticket.path]?.number == ticket.discovery else { return }
    discoveries[ticket.path]?.listeners[ticket.listener] = nil
    if discoveries[ticket.path]?.listeners.isEmpty == true { await stop(ticket) }
  }

  /// Waits until another adapter's start is over.
  private func awaitStart(of path: ObjectPath) async {
    let now = clock.now
    let start =
      lastStart.map { $0.path == path ? now : max(now, $0.at.advanced(by: Self.startInterval)) } ?? now
    lastStart = (path, start)
    if start > now { try? await clock.sleep(until: start, tolerance: nil) }
  }

  // MARK: Calls to BlueZ

  /// A discovery filter that selects every report of every LE device. The minimum RSSI excludes nothing. But
  /// a filter with an RSSI makes BlueZ signal the RSSI of each report, instead of only changes of 8 dB or
  /// more, and also report devices that are not discoverable (`adapter.c`: `filtered_discovery`).
  ///
  /// Two consecutive filters always differ. bluetoothd restarts the kernel's discovery for a different
  /// filter; for an equal one it does not, even if it has missed that the kernel stopped (docs/internals/bluez.md, trap
  /// 59).
  private func everything() -> DBusValue {
    filtersSet = filtersSet % 8 + 1
    return .vardict([
      ("Transport", .string("le")), ("DuplicateData", .bool(true)), ("RSSI", .int16(-128 + filtersSet)),
    ])
  }

  private static let attemptsToStart = 4

  /// Starts discovery. `InProgress` means that an earlier stop of this client was lost, or that another start
  /// is in progress. If it cannot be stopped, BlueZ still counts it as this client's discovery, and it runs
  /// with the new filter.
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

  /// Ends a discovery and its remaining scans. Nothing is reported from now on, whether BlueZ replies or not.
  private func stop(_ ticket: Ticket) async {
    guard discoveries[ticket.path]?.number == ticket.discovery else { return }
    discoveries[ticket.path]?.phase = .stopping
    // If the discovery could not start, its scan is still among them.
    discoveries[ticket.path]?.listeners = [:]
    let restarted = discoveries[ticket.path]?.restartedAt?.advanced(by: Self.restartTakes)
    let refusal: CentralError? = await shielded {
      // BlueZ refuses a stop during a restart (`InProgress`).
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
    log.debug("\(ticket.path.text): discovery stopped\(refusal.map { " (\($0.code))" } ?? "")")
    if discoveries[ticket.path]?.number == ticket.discovery {
      discoveries[ticket.path] = nil
      // A discovery that BlueZ cannot stop, or whose stop it does not confirm, still belongs to this client.
      foreignScans.stopped(
        ticket.path, wasCarriedOut: refusal?.code != .busy && refusal?.code != .timedOut, at: clock.now)
      scansChanged()
    }
    wake(ticket.path)
  }

  func endDiscoveries(_ reason: (ObjectPath) -> CentralError?) {
    for (path, discovery) in discoveries.sorted(by: { $0.key < $1.key }) {
      guard let error = reason(path) else { continue }
      discoveries[path] = nil
      for (_, listener) in discovery.listeners.sorted(by: { $0.key < $1.key }) {
        listener.source.finish(throwing: error)
      }
    }
  }

  // MARK: Received reports

  /// Handles a new device object.
  func deviceAdded(_ path: ObjectPath, _ added: Properties) {
    guard let device = tree.device(path) else { return }
    let (state, sighting) = ReceivedContent.created(added)
    receivedContent[path] = state
    if let sighting { report(sighting, path, device) }
  }

  func deviceChanged(_ path: ObjectPath, _ changed: Properties) {
    guard let device = tree.device(path) else { return }
    let repeatsData = path.parent.flatMap { discoveries[$0] }?.repeatsData ?? false
    if let sighting = receivedContent[path, default: .remembered].take(
      changed, device: device, repeatsData: repeatsData)
    {
      report(sighting, path, device)
    }
    connectionChanged(path, changed)
  }

  private func report(_ sighting: ReceivedContent.Sighting, _ path: ObjectPath, _ device: Properties) {
    if let parent = path.parent { foreignScans.reported(parent) }
    guard let parent = path.parent, let listeners = discoveries[parent]?.listeners, !listeners.isEmpty,
      let adapter = tree.adapter(at: parent),
      let address = device.text(Name.Property.address).flatMap({ BluetoothAddress($0) })
    else { return }
    let now = clock.now
    discoveries[parent]?.count(path, at: now)
    var advertisement = sighting.advertisement(
      of: address, by: adapter.id, at: tree.host == nil ? now : askedAt)
    advertisement.hasChangingAddress =
      device.text(Name.Property.addressType) == "random" && !address.isStatic
    // Only a new object can show the content, and BlueZ keeps the old one.
    if sighting.wantsCleanSlate {
      advertisement.contentFailure = refusedRemovals[path]?.error ?? CleanSlates.tie(of: device, at: path)
    }
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener.source.yield(advertisement) }
    // A device that finds no place is reported again.
    if sighting.wantsCleanSlate,
      discoveries[parent].map({ $0.doubtful.count < Discovery.mostDoubtful }) == true,
      isUncertain(path), cleanSlates.grants(path, device, at: now)
    {
      discoveries[parent]?.doubtful.append(path)
      listeners.min { $0.key < $1.key }?.value.doubts.yield()
    }
  }

  // MARK: Uncertain content

  /// How long the removal of objects may delay a scan. Remaining objects are removed when they are reported.
  private static let removalLimit = Duration.seconds(2)
  /// The maximum number of concurrent `RemoveDevice` calls. BlueZ handles one call after the other, and a bus
  /// refuses more than 128 pending calls (dbus-daemon's `max_replies_per_connection`).
  private static let removalsAtOnce = 16
  /// How long to wait for a device to be reported again by itself after its object was removed: several
  /// advertising intervals of most devices.
  private static let repetition = Duration.milliseconds(250)
  /// The time in which a controller that repeats reports sends three of a device that advertises every 100
  /// ms.
  private static let firstReports = Duration.milliseconds(400)
  /// Without a report for this long, bluetoothd has processed those of the start: many devices advertise every
  /// 100 ms.
  private static let silence = Duration.milliseconds(200)
  /// The time between the starts of two adapters. Each brings a report of every device, which bluetoothd must
  /// process before the next ones.
  static let startInterval = Duration.milliseconds(400)
  /// The minimum time between two restarts of the kernel's scan because of uncertain content.
  private static let restartInterval = Duration.seconds(1)
  /// The time from a new filter until the kernel's scan has stopped and started.
  private static let restartTakes = Duration.milliseconds(500)

  /// Removes the objects of an adapter with uncertain content, before a scan starts.
  private func removeUncertainObjects(under adapter: ObjectPath) async {
    let devices = tree.devices(under: adapter)
    _ = await race(limit(Self.removalLimit), on: clock) { await self.removeUncertain(devices) }
  }

  /// Removes the given objects whose content is uncertain.
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
    // Since the removal was requested, a connection may have begun, or a report may have confirmed the
    // content.
    guard let adapter = path.parent, isUncertain(path),
      refusedRemovals.mayRemove(path, at: clock.now)
    else { return }
    do throws(CentralError) {
      _ = try await call(
        adapter, Name.Interface.adapter, Name.Member.removeDevice, [.objectPath(path)], during: .forget)
    } catch {
      // Without the object, somebody removed it, or the daemon is gone.
      guard error.code != .cancelled, tree.device(path) != nil else { return }
      let text = "RemoveDevice \(path.text): \(error.stackText ?? "\(error.code)")"
      log.debug("\(path.text): not removed (\(error.code))")
      refusedRemovals.refused(path, CentralError(error.code, stackText: text), at: clock.now)
    }
  }

  /// Whether an object's content may be outdated and the object may be removed.
  private func isUncertain(_ path: ObjectPath) -> Bool {
    guard isIdle(path), let device = tree.device(path), !CleanSlates.isTied(device) else { return false }
    return receivedContent[path]?.isCertain != true
  }

  /// Removes the objects in doubt. A controller that reports each device once per scan reports them again
  /// only after a restart of the scan. If no other client scans for everything, a different filter makes
  /// BlueZ restart it (docs/internals/bluez.md, trap 59).
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

  /// Restarts the scan once if the controller reports each device once per scan. BlueZ loses reports that
  /// arrive before it has read that the scan runs: 0 to 2 of 40 devices (docs/internals/bluez.md, "Reports lost at the
  /// start of a scan").
  ///
  /// The restart makes the controller report every device again. While reports of the first start arrive,
  /// bluetoothd may be behind with them: on top of them, the second ones would overflow its socket, and it would lose
  /// the kernel's events (docs/internals/bluez.md, trap 59).
  private func repeatStart(of ticket: Ticket) async {
    // A scan that joins a running discovery does not need the restart.
    guard ticket.isFirst else { return }
    try? await clock.sleep(for: Self.firstReports)
    while isScanning(ticket), discoveries[ticket.path]?.repeatsDevices == false,
      let last = discoveries[ticket.path]?.reportedAt, clock.now < last.advanced(by: Self.silence)
    {
      try? await clock.sleep(until: last.advanced(by: Self.silence), tolerance: nil)
    }
    guard let discovery = discoveries[ticket.path], discovery.number == ticket.discovery else { return }
    discoveries[ticket.path]?.reports = nil
    if !discovery.repeatsDevices, discovery.restartedAt == nil { await restartScan(ticket) }
  }

  /// Makes BlueZ restart the kernel's scan by setting a different filter. It has no effect if another client
  /// scans without a filter.
  private func restartScan(_ ticket: Ticket) async {
    guard isScanning(ticket) else { return }
    discoveries[ticket.path]?.restartedAt = clock.now
    _ = try? await call(
      ticket.path, Name.Interface.adapter, Name.Member.setDiscoveryFilter, [everything()],
      timeout: .seconds(5))
  }

  /// Removes the objects in doubt while a scan can receive the new ones. Returns the removed paths.
  private func removeDoubtful(during ticket: Ticket) async -> [ObjectPath] {
    guard isScanning(ticket), let doubtful = discoveries[ticket.path]?.doubtful else { return [] }
    discoveries[ticket.path]?.doubtful = []
    await removeUncertain(doubtful)
    return doubtful
  }

  private func isScanning(_ ticket: Ticket) -> Bool {
    !Task.isCancelled && discoveries[ticket.path]?.listeners[ticket.listener] != nil
  }
}
