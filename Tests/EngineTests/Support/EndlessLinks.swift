import Bluetooth
import VirtualBuilding
import VirtualCentral

/// A radio that never reports the end of a link after a request to disconnect.
struct EndlessLinks: WrappingCentral {
  let base: VirtualCentral

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    EndlessLink(link: try await base.connect(to: address, on: adapter, linked: linked))
  }
}

private struct EndlessLink: Peripheral {
  let link: any Peripheral

  var address: BluetoothAddress { link.address }
  var adapter: AdapterID { link.adapter }

  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService {
    try await link.discover(service, requiring: required)
  }

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
  ) async throws(CentralError) {
    try await link.write(value, to: characteristic, kind)
  }

  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    try await link.notifications(of: characteristic)
  }

  /// Never returns, except after a cancellation.
  func disconnection() async -> Disconnection? {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    defer { end.finish() }
    for await _ in never {}
    return nil
  }

  func disconnect() async {}
}
