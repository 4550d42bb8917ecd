import Bluetooth
import VirtualBuilding
import VirtualCentral

/// A radio that never reports the end of a link after a request to disconnect.
struct EndlessLinks: WrappingCentral {
  let base: VirtualCentral

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    EndlessLink(link: try await base.connect(to: address, on: adapter, pairing: pairing, linked: linked))
  }
}

private struct EndlessLink: ForwardingPeripheral {
  let link: any Peripheral

  /// Never returns, except after a cancellation.
  func disconnection() async -> Disconnection? {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    defer { end.finish() }
    for await _ in never {}
    return nil
  }

  func disconnect() async {}
}
