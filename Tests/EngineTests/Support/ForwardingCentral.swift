import Bluetooth

/// A `Central` that forwards everything to another one. A test overrides what must differ.
protocol ForwardingCentral: Central {
  associatedtype Base: Central
  var base: Base { get }
}

extension ForwardingCentral {
  func stackVersion(on host: HostName?) async -> String? { await base.stackVersion(on: host) }
  func roundTrip(to host: HostName?) async -> Duration? { await base.roundTrip(to: host) }
  func adapters() async throws(CentralError) -> [Adapter] { try await base.adapters() }
  func adapterChanges() async -> AsyncStream<[Adapter]> { await base.adapterChanges() }

  func scan<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    try await base.scan(on: adapter, body)
  }

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    try await base.connect(to: address, on: adapter, linked: linked)
  }

  func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral] {
    try await base.connectedPeripherals(on: adapter)
  }

  func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError) -> Bool {
    try await base.forget(address, on: adapter)
  }

  func powerCycle(_ adapter: AdapterID) async throws(CentralError) { try await base.powerCycle(adapter) }

  func scanningClients(on adapter: AdapterID) async -> [String]? { await base.scanningClients(on: adapter) }
}
