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
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    MistimedPeripheral(
      link: try await base.connect(to: address, on: adapter, pairing: pairing, linked: linked), clock: clock,
      delay: delay)
  }
}

private struct MistimedPeripheral: ForwardingPeripheral {
  let link: any Peripheral
  let clock: VirtualClock
  let delay: Duration

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
}

/// An iterator that a closure may share; there is one reader.
private actor Source {
  private let stream: AsyncStream<CharacteristicNotification>

  init(_ stream: AsyncStream<CharacteristicNotification>) { self.stream = stream }

  func next() async -> CharacteristicNotification? { await stream.first { _ in true } }
}
