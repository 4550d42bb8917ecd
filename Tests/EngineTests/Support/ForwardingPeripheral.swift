import Bluetooth

/// A `Peripheral` that forwards everything to another one. A test overrides what must differ.
protocol ForwardingPeripheral: Peripheral {
  var link: any Peripheral { get }
}

extension ForwardingPeripheral {
  var address: BluetoothAddress { link.address }
  var adapter: AdapterID { link.adapter }

  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService { try await link.discover(service, requiring: required) }
  func allServices() async throws(CentralError) -> [RemoteService] { try await link.allServices() }

  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
    try await link.read(characteristic)
  }
  func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8] {
    try await link.readDescriptor(uuid, of: characteristic)
  }
  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError) { try await link.write(value, to: characteristic, kind) }

  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    try await link.notifications(of: characteristic)
  }

  func disconnection() async -> Disconnection? { await link.disconnection() }
  func disconnect() async { await link.disconnect() }
}
