import Bluetooth
import DBus
import Waiting

/// `Connect`, `Disconnect`, and the states of a link in between.
extension BluetoothDaemon {
  func carryOutDevice(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    guard let id = deviceID(at: call.path), let client = call.sender else {
      throw BlueZFailure.unknownObject(call)
    }
    switch call.member {
    case "Connect":
      try await connect(id)
    case "Disconnect":
      try await disconnect(id)
    case "Pair":
      try await pair(id, for: client)
    case "CancelPairing":
      try await cancelPairing(id)
    case "ConnectProfile", "DisconnectProfile":
      throw BlueZFailure.notAvailable
    default:
      throw BlueZFailure.unknownMethod(call)
    }
    return []
  }

  // MARK: Connecting

  /// Recorded traces: signals `Connected: true` when the link is up, and returns after the first exchange over it, before
  /// services are resolved. Never returns for a dead peripheral.
  private func connect(_ id: DeviceID) async throws(DBusError) {
    switch self[id]?.link {
    case .up, nil: return
    case .connecting: throw BlueZFailure.connectUnderWay(version)
    case .down: break
    }
    let wasPowered = adapters[id.adapter]?.adapter.isPowered == true
    let attempt = OneShot<Void>()
    self[id]?.temporary = false
    self[id]?.link = .connecting(attempt)
    store(id)
    // Fulfilled when the reply was sent.
    defer { afterAnswer { attempt.fulfill() } }
    do throws(LinkError) {
      let link = try await world.connect(to: id.address, on: id.adapter)
      linkIsUp(link, id)
    } catch {
      guard case .connecting(let current) = self[id]?.link, current === attempt else {
        // Removed in the meantime. docs/internals/bluez.md, trap 21: there is no reply.
        if self[id] == nil {
          attempt.fulfill()
          await never()
        }
        throw BlueZFailure.connectionCanceled
      }
      if error == .connectFailed { await showFailedLink(id) }
      if error == .connectTimedOut || error == .outOfSlots {
        // docs/internals/bluez.md, "Connecting to a device that advertises rarely" and "Connections": only
        // `InterfacesRemoved` is signalled.
        remove(id)
        attempt.fulfill()
        await never()
      }
      self[id]?.link = .down
      if version == .debian13, error == .adapterUnavailable(.poweredOff), wasPowered {
        // docs/internals/bluez.md, trap 46: the object goes before the power, and there is no reply.
        remove(id)
        attempt.fulfill()
        await never()
      }
      // Recorded traces: an attempt that ends with the adapter's power gets a success reply.
      if case .adapterUnavailable = error, wasPowered {
        if let switching = adapters[id.adapter]?.switching {
          await switching.value()
        } else {
          await pause(random.duration(in: DaemonTiming.signalDelay))
        }
        return
      }
      throw failure(of: error)
    }
  }

  /// Recorded traces: a link that is not established (0x3E) appears for a moment. The reply comes before its
  /// end.
  private func showFailedLink(_ id: DeviceID) async {
    guard let path = self[id]?.path else { return }
    tree.set(path, BlueZInterfaces.device, "Connected", .bool(true))
    emit()
    await pause(DaemonTiming.failedLink)
    follow(after: DaemonTiming.signalDelay) { await self.announceEnd(of: id) }
  }

  /// Returns when the daemon ends.
  func never() async { await OneShot<Void>().value() }

  /// docs/internals/bluez.md, "Names of failure".
  private func failure(of error: LinkError) -> DBusError {
    switch error {
    case .adapterUnavailable: BlueZFailure.inputOutput
    case .alreadyConnecting: BlueZFailure.connectUnderWay(version)
    // Recorded traces: also for an attempt that fails in the link layer.
    case .connectFailed, .connectTimedOut, .outOfSlots, .cancelled, .linkLost, .notConnected, .stackStopped,
      .busy,
      .unknownAttribute, .att, .pairingFailed:
      BlueZFailure.connectionCanceled
    }
  }

  /// Handles a new link. Both the kernel's event and the end of the daemon's own request report it; the first
  /// one counts.
  func linkIsUp(_ link: LinkID, _ id: DeviceID) {
    guard let device = self[id], device.upLink?.id != link, !endedLinks.contains(link) else { return }
    self[id]?.link = .up(DeviceRecord.UpLink(id: link))
    tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(true))
    emit()
    // bluetoothd opens its ATT channel only once the device is paired.
    if device.pairsFor == nil { tasks.start { await self.resolveServices(id, link) } }
  }

  func resolveServices(_ id: DeviceID, _ link: LinkID) async {
    // If the link is lost in the meantime, its end is handled elsewhere.
    guard let attributes = try? await world.resolve(link), self[id]?.upLink?.id == link, let device = self[id]
    else {
      return
    }
    self[id]?.link = .up(DeviceRecord.UpLink(id: link, attributes: attributes))
    let objects = attributes.without(world.scenario.radio.servicesOfTheStack)
      .objects(below: device.path, mtu: world.scenario.radio.mtu)
    for object in objects where object.lateBy == .zero { tree.add(object.path, object.interfaces) }
    // The peripheral's GAP service is listed, although bluetoothd keeps it for itself and exports no object.
    addUUIDs([BluetoothUUID(short: 0x1800)] + attributes.services.map(\.uuid), to: device.path)
    store(id)
    tree.set(device.path, BlueZInterfaces.device, "ServicesResolved", .bool(true))
    emit()
    // docs/internals/bluez.md, "Connecting": `ServicesResolved: true` may precede some characteristics.
    for late in Set(objects.map(\.lateBy)).sorted() where late > .zero {
      let due = attributes.resolvedAt.advanced(by: late)
      guard await pause(clock.now.duration(to: due)), self[id]?.upLink?.id == link else { return }
      for object in objects where object.lateBy == late { tree.add(object.path, object.interfaces) }
      emit()
    }
  }

  // MARK: Disconnecting

  private func disconnect(_ id: DeviceID) async throws(DBusError) {
    switch self[id]?.link {
    case .connecting(let attempt):
      // docs/internals/bluez.md, "Connecting": works during a connection attempt; the pending `Connect` fails at once.
      // Recorded traces: it gets its reply first.
      await world.cancelConnect(to: id.address, on: id.adapter)
      await attempt.value()
    case .up:
      // The first exchange may be pending, and with it the reply to `Connect`.
      await world.cancelConnect(to: id.address, on: id.adapter)
      await takeDown(id)
    case .down, nil:
      // Recorded traces: no error if there is nothing to do.
      break
    }
  }

  /// docs/internals/bluez.md, "Connecting": it takes 2.0–2.8 s, and the link can be used until then.
  func takeDown(_ id: DeviceID) async {
    guard let link = self[id]?.upLink?.id else { return }
    takenDown.insert(link)
    await world.disconnect(link)
    linkIsDown(link, .local)
    takenDown.remove(link)
  }

  /// Handles the end of a link, whoever ended it.
  func linkIsDown(_ link: LinkID, _ cause: Disconnection.Cause) {
    endedLinks.insert(link)
    if let id = devices.first(where: { self[$0]?.upLink?.id == link }) { linkIsDown(id, cause) }
  }

  /// docs/internals/bluez.md, trap 41: the attributes remain as objects until the device is removed.
  ///
  /// Recorded traces: the end of notifications is not signalled. An end that was requested is signalled by 5.66 in
  /// two parts, with the reply in between.
  func linkIsDown(_ id: DeviceID, _ cause: Disconnection.Cause) {
    guard let device = self[id], device.upLink != nil else { return }
    self[id]?.link = .down
    for characteristic in device.notifying.keys.sorted() {
      tree.setSilently(characteristic, BlueZInterfaces.characteristic, "Notifying", .bool(false))
    }
    self[id]?.notifying = [:]
    if !device.hasBond { tree.set(device.path, BlueZInterfaces.device, "Paired", .bool(false)) }
    tree.set(device.path, BlueZInterfaces.device, "ServicesResolved", .bool(false))
    if cause != .local || version == .debian13 {
      tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(false))
      return emit()
    }
    emit()
    follow(after: DaemonTiming.endFollows) { await self.announceEnd(of: id) }
  }

  /// Signals that a device is no longer connected, unless it is connected again.
  private func announceEnd(of id: DeviceID) {
    guard let device = self[id], device.upLink == nil else { return }
    tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(false))
    emit()
  }

  /// Ends the link of a device that is to be removed. Recorded traces: the reply comes before the removal.
  func takeDownForGood(_ id: DeviceID) async {
    await takeDown(id)
    guard let path = self[id]?.path else { return }
    let delay = DaemonTiming.endFollows.upperBound + .milliseconds(2)
    follow(after: delay...delay) {
      await self.announceEnd(of: id)
      // It may have been removed otherwise and have appeared again.
      if await self[id]?.path == path, await self[id]?.upLink == nil { await self.remove(id) }
    }
  }
}
