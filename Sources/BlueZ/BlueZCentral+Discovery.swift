public import Bluetooth
import DBus

/// Our discovery on one adapter. BlueZ knows one per client, so those who listen share it.
struct Discovery {
  /// What is under way. While it changes, the next one waits.
  enum Phase: Hashable {
    case starting
    case running
    case stopping
  }

  /// Which discovery: a later one on the same path, or on another adapter of the same name, is not this one.
  let number: UInt64
  var phase = Phase.starting
  var listeners: [UInt64: Listener] = [:]

  /// One who listens.
  struct Listener {
    var source: AdvertisementStream.Source
    /// Objects to remove so that they tell the truth again.
    var cleanSlates: AsyncStream<ObjectPath>.Continuation
  }
}

extension BlueZCentral {
  /// Discovers on an adapter for exactly as long as `body` runs; several can at the same time, and the last one
  /// to end stops discovery.
  ///
  /// While it runs, objects about which BlueZ says nothing certain are removed (`RemoveDevice`), so that the
  /// next report makes them anew: those that were there before and those that have changed their mind, if
  /// nobody is connected to them or has paired, trusted or blocked them.
  public func listen<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    let path = try await readyAdapter(adapter)
    let (stream, source) = AdvertisementStream.makeStream()
    let (removals, removal) = AsyncStream.makeStream(
      of: ObjectPath.self, bufferingPolicy: .bufferingNewest(256))
    let ticket = try await join(path, Discovery.Listener(source: source, cleanSlates: removal))
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.makeCleanSlates(removals, during: ticket) }
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
    let refusal: CentralError? = await shielded {
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
      foreignScans.stopped(ticket.path, wasCarriedOut: refusal?.code != .busy && refusal?.code != .timedOut)
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
        listener.cleanSlates.finish()
      }
    }
  }

  // MARK: Hearing

  /// An object has appeared.
  func deviceAdded(_ path: ObjectPath) {
    guard let device = tree.device(path) else { return }
    let (state, hearing) = DeviceNews.born(device)
    news[path] = state
    if let hearing { report(hearing, path, device) }
  }

  /// An object says something new.
  func deviceChanged(_ path: ObjectPath, _ changed: Properties) {
    guard let device = tree.device(path) else { return }
    if let hearing = news[path, default: .remembered].take(changed, device: device) {
      report(hearing, path, device)
    }
    connectionChanged(path, changed)
  }

  private func report(_ hearing: DeviceNews.Hearing, _ path: ObjectPath, _ device: Properties) {
    guard let parent = path.parent, let listeners = discoveries[parent]?.listeners, !listeners.isEmpty,
      let adapter = tree.adapter(at: parent),
      let address = device.text(Name.Property.address).flatMap({ BluetoothAddress($0) })
    else { return }
    let now = clock.now
    let advertisement = hearing.advertisement(of: address, by: adapter.id, at: now)
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener.source.yield(advertisement) }
    if hearing.wantsCleanSlate, isIdle(path), cleanSlates.grants(path, device, at: now) {
      listeners.min { $0.key < $1.key }?.value.cleanSlates.yield(path)
    }
  }

  /// Removes the objects that are asked for, as long as there is somebody to hear the new ones.
  private func makeCleanSlates(_ paths: AsyncStream<ObjectPath>, during ticket: Ticket) async {
    for await path in paths {
      // Whether it may be removed was decided when it was asked for; a connection may have begun since.
      guard discoveries[ticket.path]?.listeners[ticket.listener] != nil, isIdle(path),
        tree.device(path)?.flag(Name.Property.connected) == false
      else { continue }
      _ = try? await call(
        ticket.path, Name.Interface.adapter, Name.Member.removeDevice, [.objectPath(path)], during: .forget)
    }
  }
}
