import Bluetooth
import DBus

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

  /// BLUEZ.md "Connecting": returns when the link is up, before services are resolved; with a dead peripheral
  /// never.
  private func connect(_ id: DeviceID) async throws(DBusError) {
    switch self[id]?.link {
    case .up, nil: return
    case .connecting: throw BlueZFailure.connectUnderWay
    case .down: break
    }
    let number = nextNumber()
    self[id]?.temporary = false
    self[id]?.link = .connecting(number)
    store(id)
    do throws(LinkError) {
      let link = try await world.connect(to: id.address, on: id.adapter)
      linkIsUp(link, id)
    } catch {
      guard case .connecting(number) = self[id]?.link else {
        // Removed meanwhile: BLUEZ.md "Connecting", no answer, "not even when its object was removed".
        if self[id] == nil { await never() }
        throw BlueZFailure.connectionCanceled
      }
      self[id]?.link = .down
      throw Self.failure(of: error)
    }
  }

  /// Returns when the daemon ends.
  private func never() async { await OneShot<Void>().value() }

  /// BLUEZ.md "Names of failure".
  private static func failure(of error: LinkError) -> DBusError {
    switch error {
    case .connectFailed, .outOfSlots: BlueZFailure.connectionAborted
    case .adapterUnavailable: BlueZFailure.inputOutput
    case .alreadyConnecting: BlueZFailure.connectUnderWay
    case .cancelled, .linkLost, .notConnected, .stackStopped, .busy, .unknownAttribute, .att:
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
    let objects = attributes.objects(below: device.path, mtu: world.scenario.radio.mtu)
    for object in objects where object.lateBy == .zero { tree.add(object.path, object.interfaces) }
    addUUIDs(attributes.services.map(\.uuid), to: device.path)
    tree.set(device.path, BlueZInterfaces.device, "ServicesResolved", .bool(true))
    tell()
    // BLUEZ.md "Connecting": `ServicesResolved: true` may precede some characteristics.
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
    case .connecting:
      // BLUEZ.md "Connecting": works while connecting; the pending `Connect` fails at once.
      await world.cancelConnect(to: id.address, on: id.adapter)
    case .up:
      await takeDown(id)
    case .down, nil:
      throw BlueZFailure.notConnected
    }
  }

  /// BLUEZ.md "Connecting": it takes 2.0–2.8 s, and until then the link can be used.
  func takeDown(_ id: DeviceID) async {
    guard let link = self[id]?.upLink?.id else { return }
    await world.disconnect(link)
    linkIsDown(link)
  }

  /// A link has ended, whoever ended it.
  func linkIsDown(_ link: LinkID) {
    endedLinks.insert(link)
    if let id = devices.first(where: { self[$0]?.upLink?.id == link }) { linkIsDown(id) }
  }

  /// BLUEZ.md "Cached data lies": the attributes stay as objects, until the device is removed.
  func linkIsDown(_ id: DeviceID) {
    guard let device = self[id], device.upLink != nil else { return }
    self[id]?.link = .down
    for characteristic in device.notifying.keys.sorted() {
      tree.set(characteristic, BlueZInterfaces.characteristic, "Notifying", .bool(false))
    }
    self[id]?.notifying = [:]
    tree.set(device.path, BlueZInterfaces.device, "ServicesResolved", .bool(false))
    tree.set(device.path, BlueZInterfaces.device, "Connected", .bool(false))
    tell()
  }
}
