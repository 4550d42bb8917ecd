import Bluetooth
import DBus

/// Requests to a peripheral's attributes.
extension BluetoothDaemon {
  /// The target of a request.
  private struct Place {
    var device: DeviceID
    var link: LinkID
    var characteristic: AttributeTable.Characteristic
  }

  /// docs/internals/bluez.md, "GATT": without a link `Failed: Not connected`.
  private func place(of path: ObjectPath, _ call: MethodCall) throws(DBusError) -> Place {
    guard let device = path.parent?.parent.flatMap(deviceID(at:)) else {
      throw BlueZFailure.unknownObject(call)
    }
    guard let link = self[device]?.upLink else { throw BlueZFailure.gattNotConnected }
    guard let found = link.attributes?.characteristic(at: path) else {
      // The attribute belongs to an earlier connection and was not found in this one. The peripheral refuses
      // the request.
      throw BlueZFailure.att(0x01)
    }
    return Place(device: device, link: link.id, characteristic: found)
  }

  func carryOutCharacteristic(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    let place = try place(of: call.path, call)
    switch call.member {
    case "ReadValue": return [.bytes(try await read(call, place))]
    case "WriteValue": try await write(call, place)
    case "StartNotify": try await startNotify(call, place)
    case "StopNotify": try stopNotify(call, place)
    default: throw BlueZFailure.unknownMethod(call)
    }
    return []
  }

  /// One descriptor is the description. The other one configures notifications: bluetoothd manages it. No client
  /// may write either.
  func carryOutDescriptor(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    guard let characteristic = call.path.parent else { throw BlueZFailure.unknownObject(call) }
    let place = try place(of: characteristic, call)
    guard call.member == "ReadValue" else { throw BlueZFailure.att(0x03) }
    let value: DBusValue
    if tree[call.path, BlueZInterfaces.descriptor, "UUID"] == .uuid(.userDescription) {
      let offset = try offset(in: call.body[0])
      let text = try await mapped(
        over: place.link, await world.describe(place.characteristic.handle, over: place.link))
      guard offset <= text.count else { throw BlueZFailure.att(0x07) }
      value = .bytes(Array(text[offset...]))
    } else {
      let notifying = tree[characteristic, BlueZInterfaces.characteristic, "Notifying"] == .bool(true)
      value = .bytes([notifying ? 1 : 0, 0])
    }
    tree.set(call.path, BlueZInterfaces.descriptor, "Value", value, again: true)
    return [value]
  }

  // MARK: Values

  private func read(_ call: MethodCall, _ place: Place) async throws(DBusError) -> [UInt8] {
    let offset = try offset(in: call.body[0])
    let value = try await mapped(
      over: place.link, await world.read(place.characteristic.handle, over: place.link))
    guard offset <= value.count else { throw BlueZFailure.att(0x07) }
    let result = Array(value[offset...])
    // docs/internals/bluez.md, "GATT": a value that was read is signalled like a notified one.
    tree.set(call.path, BlueZInterfaces.characteristic, "Value", .bytes(result), again: true)
    return result
  }

  private func write(_ call: MethodCall, _ place: Place) async throws(DBusError) {
    // An attribute holds 512 bytes at most (Bluetooth Core, Vol 3 Part F 3.2.9).
    guard let value = call.body[0].asBytes, value.count <= 512 else { throw BlueZFailure.invalidArguments }
    guard try offset(in: call.body[1]) == 0 else { throw BlueZFailure.att(0x07) }
    let type = call.body[1].asVardict?["type"]?.asString
    // Recorded traces: an unknown type of write gives NotSupported, not InvalidArguments.
    guard [nil, "request", "command", "reliable"].contains(type) else { throw BlueZFailure.notSupported }
    let properties = place.characteristic.properties
    if type == nil, properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
      throw BlueZFailure.notSupported
    }
    let isConfirmed = type.map { $0 != "command" } ?? !properties.contains(.writeWithoutResponse)
    // The reply is sent before the write reaches the peripheral.
    if !isConfirmed { await pause(random.duration(in: DaemonTiming.command)) }
    try await mapped(
      over: place.link,
      await world.write(
        value, to: place.characteristic.handle, isConfirmed ? .withResponse : .withoutResponse,
        over: place.link))
  }

  private func offset(in options: DBusValue) throws(DBusError) -> Int {
    guard let options = options.asVardict else { throw BlueZFailure.invalidArguments }
    guard let offset = options["offset"] else { return 0 }
    guard let value = offset.asUInt16 else { throw BlueZFailure.invalidArguments }
    return Int(value)
  }

  /// Runs a request and translates its error for D-Bus. If the peripheral demands a secure link and can pair, bluetoothd
  /// pairs first.
  private func mapped<Value: Sendable>(
    over link: LinkID, _ request: @autoclosure () async throws(LinkError) -> Value
  ) async throws(DBusError) -> Value {
    do throws(LinkError) {
      return try await request()
    } catch {
      if error == .att(ATTCode.insufficientAuthentication), await world.pairs(over: link),
        let id = devices.first(where: { self[$0]?.upLink?.id == link })
      {
        try await secure(id, link)
        return try await mapped(over: link, await request())
      }
      // Recorded traces: the end of the link is signalled before the failed request gets its reply.
      if !takenDown.contains(link), let end = await world.formerEnd(of: link) { linkIsDown(link, end.cause) }
      throw switch error {
      case .att(let code): BlueZFailure.att(code)
      // docs/internals/bluez.md, "GATT": parallel requests are possible for different characteristics; for the same one
      // `In Progress`.
      case .busy: BlueZFailure.inProgress
      case .unknownAttribute: BlueZFailure.att(0x01)
      case .notConnected: BlueZFailure.gattNotConnected
      // docs/internals/bluez.md, "GATT": the peer disconnected during a request.
      case .linkLost, .stackStopped, .adapterUnavailable, .connectFailed, .connectTimedOut, .cancelled,
        .outOfSlots, .alreadyConnecting, .pairingFailed:
        BlueZFailure.peerGone
      }
    }
  }

  // MARK: Notifications

  private func startNotify(_ call: MethodCall, _ place: Place) async throws(DBusError) {
    guard let client = call.sender, place.characteristic.configuration != nil else {
      throw BlueZFailure.notSupported
    }
    let isFirst = self[place.device]?.notifying[call.path]?.isEmpty ?? true
    // Registered before the request, because the first value may arrive before the response.
    self[place.device]?.notifying[call.path, default: []].insert(client)
    if isFirst {
      do {
        // docs/internals/bluez.md, "GATT": refused if the peripheral refuses the write of its configuration.
        try await mapped(
          over: place.link, await world.subscribe(true, to: place.characteristic.handle, over: place.link))
      } catch {
        self[place.device]?.notifying[call.path] = nil
        throw error
      }
      guard self[place.device]?.upLink?.id == place.link else { throw BlueZFailure.peerGone }
    }
    tree.set(call.path, BlueZInterfaces.characteristic, "Notifying", .bool(true))
  }

  private func stopNotify(_ call: MethodCall, _ place: Place) throws(DBusError) {
    guard let client = call.sender, self[place.device]?.notifying[call.path]?.contains(client) == true else {
      throw BlueZFailure.noNotifySession
    }
    endNotifications(of: call.path, for: client, from: place.device)
  }

  /// Ends the subscriptions of a client that leaves the bus.
  func stopNotifications(for client: BusName, from device: DeviceID) {
    for (path, clients) in (self[device]?.notifying ?? [:]).sorted(by: { $0.key < $1.key })
    where clients.contains(client) {
      endNotifications(of: path, for: client, from: device)
    }
  }

  private func endNotifications(of path: ObjectPath, for client: BusName, from device: DeviceID) {
    self[device]?.notifying[path]?.remove(client)
    guard self[device]?.notifying[path]?.isEmpty == true else { return }
    self[device]?.notifying[path] = nil
    tree.set(path, BlueZInterfaces.characteristic, "Notifying", .bool(false))
    guard let link = self[device]?.upLink, let characteristic = link.attributes?.characteristic(at: path)
    else { return }
    // No task waits for the response.
    tasks.start { [world] in try? await world.subscribe(false, to: characteristic.handle, over: link.id) }
  }

  /// Handles a notification of a peripheral.
  func notified(_ link: LinkID, _ handle: AttributeHandle, _ value: [UInt8]) {
    guard let device = devices.first(where: { self[$0]?.upLink?.id == link }).flatMap({ self[$0] }),
      let element = device.upLink?.attributes?.characteristic(at: handle)?.pathElement,
      let path = device.notifying.keys.first(where: { $0.text.hasSuffix("/" + element) })
    else { return }
    tree.set(path, BlueZInterfaces.characteristic, "Value", .bytes(value), again: true)
  }
}
