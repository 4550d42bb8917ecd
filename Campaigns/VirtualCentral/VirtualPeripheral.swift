import Bluetooth
import VirtualBuilding
import Waiting

/// A link of the in-process `Central`.
struct VirtualPeripheral: Peripheral {
  let central: VirtualCentral
  let address: BluetoothAddress
  let adapter: AdapterID
  let link: LinkID
  /// The end of the link as it arrives through the network, or is lost with it; nil without a network.
  let end: OneShot<Disconnection>?

  private var world: World { central.world }

  private func ask<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(CentralError) -> Value {
    guard end?.peeked == nil else { throw CentralError(.disconnected) }
    return try await central.ask(work)
  }

  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService {
    try await ask { () throws(CentralError) in try await discoverOnHost(service, requiring: required) }
  }

  private func discoverOnHost(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService {
    let table = try await CentralError.translating(await world.resolve(link))
    guard let found = table.services.first(where: { $0.uuid == service }),
      !world.scenario.radio.servicesOfTheStack.contains(service)
    else {
      throw CentralError(.attributeMissing(service), stackText: "virtual: no such service")
    }
    let wanted = found.characteristics.filter { required.contains($0.uuid) }
    let ambiguous = required.first { uuid in wanted.count { $0.uuid == uuid } > 1 }
    if let ambiguous = table.services.count(where: { $0.uuid == service }) > 1 ? service : ambiguous {
      throw CentralError(.attributeAmbiguous(ambiguous), stackText: "virtual: more than one \(ambiguous)")
    }
    let missing = required.first { uuid in !wanted.contains { $0.uuid == uuid } }
    let wait = missing == nil ? wanted.map(\.lateBy).max() ?? .zero : VirtualCentral.grace
    do {
      try await central.clock.sleep(until: table.resolvedAt.advanced(by: wait), tolerance: nil)
    } catch {
      throw CentralError(.cancelled)
    }
    guard await world.isUp(link) else { throw CentralError(.disconnected) }
    if let missing {
      throw CentralError(.attributeMissing(missing), stackText: "virtual: no such characteristic")
    }
    return RemoteService(found)
  }

  func allServices() async throws(CentralError) -> [RemoteService] {
    try await ask { () throws(CentralError) in try await allServicesOnHost() }
  }

  private func allServicesOnHost() async throws(CentralError) -> [RemoteService] {
    let table = try await CentralError.translating(await world.resolve(link))
    do {
      try await central.clock.sleep(
        until: table.resolvedAt.advanced(by: VirtualCentral.grace), tolerance: nil)
    } catch {
      throw CentralError(.cancelled)
    }
    guard await world.isUp(link) else { throw CentralError(.disconnected) }
    let kept = world.scenario.radio.servicesOfTheStack
    return table.services.filter { !kept.contains($0.uuid) }.map(RemoteService.init)
  }

  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
    let handle = try attribute(characteristic)
    return try await ask { () throws(CentralError) in
      try await CentralError.translating(await world.read(handle, over: link))
    }
  }

  func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8] {
    let handle = try attribute(characteristic)
    return try await ask { () throws(CentralError) in
      let table = try await CentralError.translating(await world.resolve(link))
      guard uuid == .userDescription, table.characteristic(at: handle)?.description != nil else {
        throw CentralError(.attributeMissing(uuid), stackText: "virtual: no such descriptor")
      }
      return try await CentralError.translating(await world.describe(handle, over: link))
    }
  }

  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError) {
    let handle = try attribute(characteristic)
    try await ask { () throws(CentralError) in
      try await CentralError.translating(await world.write(value, to: handle, kind, over: link))
    }
  }

  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    let handle = try attribute(characteristic)
    // The stream exists before the subscription, so that no value is missed.
    let (stream, subscriber) = central.switchboard.subscribe(to: handle, over: link)
    do {
      try await ask { () throws(CentralError) in
        try await CentralError.translating(await world.subscribe(true, to: handle, over: link))
      }
    } catch {
      central.switchboard.unsubscribe(subscriber, from: link)
      throw error
    }
    return stream
  }

  func disconnection() async -> Disconnection? {
    if let end { return await end.value() }
    return try? await world.ending(of: link)
  }

  func disconnect() async {
    try? await ask { await world.disconnect(link) }
  }

  private func attribute(_ characteristic: RemoteCharacteristic) throws(CentralError) -> AttributeHandle {
    guard let handle = AttributeHandle(characteristic.handle) else {
      throw CentralError(.other, stackText: "virtual: not a handle of ours: \(characteristic.handle)")
    }
    return handle
  }
}

extension RemoteService {
  fileprivate init(_ service: AttributeTable.Service) {
    self.init(
      uuid: service.uuid,
      characteristics: service.characteristics.map {
        // Both types use the bits of the declaration.
        RemoteCharacteristic(
          uuid: $0.uuid, access: $0.properties, handle: String($0.handle))
      })
  }
}
