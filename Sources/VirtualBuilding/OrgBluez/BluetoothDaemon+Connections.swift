import Bluetooth
import DBus
import VirtualTime
import Waiting

/// `Connect` and `Disconnect`, and what a link goes through in between.
extension BluetoothDaemon {
  func carryOutDevice(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    guard let id = deviceID(at: call.path) else { throw BlueZFailure.unknownObject(call) }
    switch call.member {
    case "Connect":
      try await connect(id)
    case "Disconnect":
      try await disconnect(id)
    case "Pair":
      // None of these sensors pairs: they answer "Pairing Not Supported".
      throw self[id]?.upLink == nil ? BlueZFailure.connectionAborted : BlueZFailure.authenticationFailed
    case "CancelPairing":
      throw BlueZFailure.doesNotExist
    case "ConnectProfile", "DisconnectProfile":
      throw BlueZFailure.notAvailable
    default:
      throw BlueZFailure.unknownMethod(call)
    }
    return []
  }

  // MARK: Connecting

  /// docs/bluez.md, "Connecting": returns when the link is up, before services are resolved; with a dead peripheral
  /// never.
  private func connect(_ id: DeviceID) async throws(DBusError) {
    switch self[id]?.link {
    case .up, nil: return
    case .connecting: throw BlueZFailure.connectUnderWay
    case .down: break
    }
    let wasPowered = adapters[id.adapter]?.adapter.isPowered == true
    let attempt = OneShot<Void>()
    self[id]?.temporary = false
    self[id]?.link = .connecting(attempt)
    store(id)
    // Fulfilled when the answer has gone out.
    defer { afterAnswer { attempt.fulfill() } }
    do throws(LinkError) {
      let link = try await world.connect(to: id.address, on: id.adapter)
      linkIsUp(link, id)
    } catch {
      guard case .connecting(let current) = self[id]?.link, current === attempt else {
        // Removed meanwhile: docs/bluez.md, trap 21: no answer, not even then.
        if self[id] == nil {
          attempt.fulfill()
          await never()
        }
        throw BlueZFailure.connectionCanceled
      }
      if error == .connectFailed { await showFailedLink(id) }
      if error == .connectTimedOut {
        // docs/bluez.md, "Connecting to a device that advertises rarely": only `InterfacesRemoved`.
        remove(id)
        attempt.fulfill()
        await never()
      }
      self[id]?.link = .down
      // Recorded traces: an attempt that ends with the adapter's power has succeeded, says the answer that comes then.
      if case .adapterUnavailable = error, wasPowered {
        if let switching = adapters[id.adapter]?.switching {
          await switching.value()
        } else {
          await pause(random.duration(in: DaemonTiming.newsFollows))
        }
        return
      }
      throw Self.failure(of: error)
    }
  }

  /// Recorded traces: a link that is not established (0x3E) is there for a moment; the answer comes before its end.
  private func showFailedLink(_ id: DeviceID) async {
    guard let path = self[id]?.path else { return }
    tree.set(path, BlueZInterfaces.device, "Connected", .bool(true))
    tell()
    await pause(DaemonTiming.failedLink)
    follow(after: DaemonTiming.newsFollows) { await self.tellEnd(of: id) }
  }

  /// Returns when the daemon ends.
  private func never() async { await OneShot<Void>().value() }

  /// docs/bluez.md, "Names of failure".
  private static func failure(of error: LinkError) -> DBusError {
    switch error {
    case .outOfSlots: BlueZFailure.connectionAborted
    case .adapterUnavailable: BlueZFailure.inputOutput
    case .alreadyConnecting: BlueZFailure.connectUnderWay
    // Recorded traces: also for an attempt that fails at the link.
    case .connectFailed, .connectTimedOut, .cancelled, .linkLost, .notConnected, .stackStopped, .busy,
      .unknownAttribute, .att:
      BlueZFailure.connectionCanceled
    }
  }

  /// A link is up; the first to say so counts, be it the kernel's event or the end of our own request.
  func linkIsUp(_ link: LinkID, _ id: DeviceID) {
    guard let device = self[id], device.upLink?.id != link, !endedLinks.contains(link) else { return }
    self[id]?.link = .up(DeviceRecord.UpLink(id: link))
    tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(true))
    tell()
    tasks.start { await self.resolveServices(id, link) }
  }

  private func resolveServices(_ id: DeviceID, _ link: LinkID) async {
    // A link that is lost meanwhile tells so itself.
    guard let attributes = try? await world.resolve(link), self[id]?.upLink?.id == link, let device = self[id]
    else {
      return
    }
    self[id]?.link = .up(DeviceRecord.UpLink(id: link, attributes: attributes))
    let objects = attributes.without(world.scenario.radio.servicesOfTheStack)
      .objects(below: device.path, mtu: world.scenario.radio.mtu)
    for object in objects where object.lateBy == .zero { tree.add(object.path, object.interfaces) }
    // The peripheral's GAP service counts, though it is bluetoothd's own business and no object.
    addUUIDs([BluetoothUUID(short: 0x1800)] + attributes.services.map(\.uuid), to: device.path)
    store(id)
    tree.set(device.path, BlueZInterfaces.device, "ServicesResolved", .bool(true))
    tell()
    // docs/bluez.md, "Connecting": `ServicesResolved: true` may precede some characteristics.
    for late in Set(objects.map(\.lateBy)).sorted() where late > .zero {
      let due = attributes.resolvedAt.advanced(by: late)
      guard await pause(clock.now.duration(to: due)), self[id]?.upLink?.id == link else { return }
      for object in objects where object.lateBy == late { tree.add(object.path, object.interfaces) }
      tell()
    }
  }

  // MARK: Disconnecting

  private func disconnect(_ id: DeviceID) async throws(DBusError) {
    switch self[id]?.link {
    case .connecting(let attempt):
      // docs/bluez.md, "Connecting": works while connecting; the pending `Connect` fails at once. Recorded traces: and is
      // answered first.
      await world.cancelConnect(to: id.address, on: id.adapter)
      await attempt.value()
    case .up:
      await takeDown(id)
    case .down, nil:
      // Recorded traces: nothing to do is no error.
      break
    }
  }

  /// docs/bluez.md, "Connecting": it takes 2.0–2.8 s, and until then the link can be used.
  func takeDown(_ id: DeviceID) async {
    guard let link = self[id]?.upLink?.id else { return }
    takenDown.insert(link)
    await world.disconnect(link)
    linkIsDown(link, .local)
    takenDown.remove(link)
  }

  /// A link has ended, whoever ended it.
  func linkIsDown(_ link: LinkID, _ cause: Disconnection.Cause) {
    endedLinks.insert(link)
    if let id = devices.first(where: { self[$0]?.upLink?.id == link }) { linkIsDown(id, cause) }
  }

  /// docs/bluez.md, trap 41: the attributes stay as objects, until the device is removed.
  ///
  /// Recorded traces: nobody is told that notifications are over; and an end that we asked for is told in two parts, with
  /// the answer in between.
  func linkIsDown(_ id: DeviceID, _ cause: Disconnection.Cause) {
    guard let device = self[id], device.upLink != nil else { return }
    self[id]?.link = .down
    for characteristic in device.notifying.keys.sorted() {
      tree.setSilently(characteristic, BlueZInterfaces.characteristic, "Notifying", .bool(false))
    }
    self[id]?.notifying = [:]
    tree.set(device.path, BlueZInterfaces.device, "ServicesResolved", .bool(false))
    if cause != .local {
      tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(false))
      return tell()
    }
    tell()
    follow(after: DaemonTiming.endFollows) { await self.tellEnd(of: id) }
  }

  /// Tells that a device is no longer connected, unless it is again.
  private func tellEnd(of id: DeviceID) {
    guard let device = self[id], device.upLink == nil else { return }
    tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(false))
    tell()
  }

  /// Takes the link of a device down that is to be removed. Recorded traces: the answer comes before the removal.
  func takeDownForGood(_ id: DeviceID) async {
    await takeDown(id)
    guard let path = self[id]?.path else { return }
    let delay = DaemonTiming.endFollows.upperBound + .milliseconds(2)
    follow(after: delay...delay) {
      await self.tellEnd(of: id)
      // It may have gone by other ways, and come back.
      if await self[id]?.path == path, await self[id]?.upLink == nil { await self.remove(id) }
    }
  }
}
