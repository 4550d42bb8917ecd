import Bluetooth
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// A stack that delivers notifications late: after the response to a write, or after the end of the link, as
/// an actor or a busy bus may.
struct Mistimed: WrappingCentral {
  let base: VirtualCentral
  let clock: VirtualClock
  /// The delay of each notification.
  let delay: Duration

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    MistimedPeripheral(
      link: try await base.connect(to: address, on: adapter, linked: linked), clock: clock, delay: delay)
  }
}

private struct MistimedPeripheral: Peripheral {
  let link: any Peripheral
  let clock: VirtualClock
  let delay: Duration

  var address: BluetoothAddress { link.address }
  var adapter: AdapterID { link.adapter }

  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification> {
    let source = Source(try await link.notifications(of: characteristic))
    return AsyncStream(unfolding: { [clock, delay] in
      guard let next = await source.next() else { return nil }
      try? await clock.sleep(until: next.receivedAt.advanced(by: delay), tolerance: nil)
      return next
    })
  }

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
  func disconnection() async -> Disconnection? { await link.disconnection() }
  func disconnect() async { await link.disconnect() }
}

/// An iterator that a closure may share; there is one reader.
private actor Source {
  private let stream: AsyncStream<CharacteristicNotification>

  init(_ stream: AsyncStream<CharacteristicNotification>) { self.stream = stream }

  func next() async -> CharacteristicNotification? { await stream.first { _ in true } }
}
