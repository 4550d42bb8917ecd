package import Bluetooth
import DBus
import Waiting

extension BlueZPeripheral {
  /// How long after `ServicesResolved` a characteristic may appear; up to 95 ms was measured. The limit is
  /// much longer, because only a peripheral that lacks a characteristic waits for all of it, and a
  /// rehearsal's clock may run many times faster.
  static let lateCharacteristics = Duration.seconds(2)

  /// Waits until BlueZ has resolved the services, and until this service has everything that is required.
  /// - Throws: `attributeMissing`, `attributeAmbiguous`, `disconnected`, `cancelled`.
  package func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService {
    let central = central
    let path = path
    return try await whileLinked { () async throws(CentralError) in
      try await central.resolved(path)
      _ = await race(Self.lateCharacteristics, on: central.clock) {
        await central.completed(service, required, of: path)
      }
      if Task.isCancelled { throw CentralError(.cancelled) }
      switch await central.tree.service(service, requiring: required, of: path) {
      case .complete(let service): return service
      case .missing(let uuid): throw CentralError(.attributeMissing(uuid))
      case .ambiguous(let uuid):
        throw CentralError(.attributeAmbiguous(uuid), stackText: "BlueZ has more than one object for \(uuid)")
      }
    }
  }

  /// Waits until BlueZ has resolved the services, and for late characteristics.
  /// - Throws: `disconnected`, `cancelled`.
  package func allServices() async throws(CentralError) -> [RemoteService] {
    let central = central
    let path = path
    return try await whileLinked { () async throws(CentralError) in
      try await central.resolved(path)
      try await central.clock.pause(Self.lateCharacteristics)
      return await central.tree.services(of: path)
    }
  }

  /// Reads a value.
  /// - Throws: `att`, `notPermitted`, `attributeMissing`, `disconnected`, `cancelled`; `busy` while another
  ///   read of the characteristic is in progress.
  package func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
    try await value(of: try attribute(characteristic), Name.Interface.gattCharacteristic, characteristic.uuid)
  }

  /// Reads a descriptor. Its object may appear as late as a characteristic.
  /// - Throws: Same as `read`.
  package func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8] {
    let path = try attribute(characteristic)
    let (central, device) = (central, self.path)
    let descriptor = try await whileLinked { () async throws(CentralError) in
      _ = await race(Self.lateCharacteristics, on: central.clock) {
        await central.appeared(uuid, of: path, of: device)
      }
      if Task.isCancelled { throw CentralError(.cancelled) }
      return await central.tree.descriptor(uuid, of: path)
    }
    guard let descriptor else { throw CentralError(.attributeMissing(uuid)) }
    return try await value(of: descriptor, Name.Interface.gattDescriptor, uuid)
  }

  private func value(
    of path: ObjectPath, _ interface: InterfaceName, _ uuid: BluetoothUUID
  ) async throws(CentralError) -> [UInt8] {
    let answer = try await gatt(path, interface, uuid, Name.Member.readValue, [.vardict([])])
    guard let value = answer.first?.asBytes else {
      throw CentralError(.other, stackText: "ReadValue was answered with something else")
    }
    guard value.count <= Self.longestValue else {
      throw CentralError(
        .other, stackText: "ReadValue was answered with \(value.count) bytes; an attribute has at most 512")
    }
    return value
  }

  /// The maximum length of an attribute value in bytes (Bluetooth Core, Vol 3 Part F 3.2.9).
  static let longestValue = 512

  /// Writes a value. BlueZ splits a value that exceeds the MTU.
  /// - Throws: Same as `read`.
  package func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError) {
    let type =
      switch kind {
      case .withResponse: "request"
      case .withoutResponse: "command"
      }
    let options = DBusValue.vardict([("type", .string(type))])
    _ = try await gatt(
      try attribute(characteristic), Name.Interface.gattCharacteristic, characteristic.uuid,
      Name.Member.writeValue, [.bytes(value), options])
  }

  /// Subscribes (`StartNotify`). The subscription ends with the link.
  /// - Throws: `notPermitted` if the peripheral refuses it; otherwise the same as `read`.
  package func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    let path = try attribute(characteristic)
    // A value may arrive before the reply.
    let stream = await addSink(path)
    _ = try await gatt(
      path, Name.Interface.gattCharacteristic, characteristic.uuid, Name.Member.startNotify, [],
      during: .notify)
    return stream
  }

  /// Calls a method of a characteristic or descriptor. BlueZ limits the peripheral's response time to 30 s, so there is no
  /// other limit.
  private func gatt(
    _ path: ObjectPath, _ interface: InterfaceName, _ uuid: BluetoothUUID, _ member: MemberName,
    _ body: [DBusValue], during operation: ErrorTable.Operation = .gatt
  ) async throws(CentralError) -> [DBusValue] {
    let central = central
    do throws(CentralError) {
      return try await whileLinked { () async throws(CentralError) in
        try await central.call(path, interface, member, body, during: operation, timeout: nil)
      }
    } catch  where error.code == .disconnected || error.code == .att(0x0E) {
      // BlueZ reports 0x0E for a link that was lost, but a peripheral may also send it.
      if await endsSoon() { throw CentralError(.disconnected, stackText: error.stackText) }
      let isMissing = await central.tree.properties(path, interface) == nil
      throw isMissing ? CentralError(.attributeMissing(uuid), stackText: error.stackText) : error
    }
  }

  /// The path of a characteristic of this link.
  private func attribute(_ characteristic: RemoteCharacteristic) throws(CentralError) -> ObjectPath {
    guard let path = ObjectPath(characteristic.handle), path != self.path, path.isAtOrBelow(self.path) else {
      throw CentralError(.attributeMissing(characteristic.uuid))
    }
    return path
  }
}

extension BlueZCentral {
  /// Waits until BlueZ has resolved a device's services, which may never happen.
  func resolved(_ device: ObjectPath) async throws(CentralError) {
    while tree.device(device)?.flag(Name.Property.servicesResolved) != true {
      guard !Task.isCancelled else { throw CentralError(.cancelled) }
      await change(of: device)
    }
  }

  /// Waits until the service has everything that is required, or the task is cancelled.
  func completed(_ service: BluetoothUUID, _ required: [BluetoothUUID], of device: ObjectPath) async {
    while !Task.isCancelled {
      guard case .missing = tree.service(service, requiring: required, of: device) else { return }
      await change(of: device)
    }
  }

  /// Waits until a characteristic has this descriptor, or the task is cancelled.
  func appeared(_ descriptor: BluetoothUUID, of characteristic: ObjectPath, of device: ObjectPath) async {
    while !Task.isCancelled, tree.descriptor(descriptor, of: characteristic) == nil {
      await change(of: device)
    }
  }
}
