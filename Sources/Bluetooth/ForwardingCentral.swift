/// A central that passes each operation with an adapter to the central of that adapter's host.
package protocol ForwardingCentral: Central {
  /// The central that has the adapters of a host.
  /// - Throws: what each operation with such an adapter throws.
  func responsible(for host: HostName?) async throws(CentralError) -> any Central
}

extension ForwardingCentral {
  package func stackVersion(on host: HostName?) async -> String? {
    await (try? responsible(for: host))?.stackVersion(on: host)
  }

  package func stackIdentity(on host: HostName?) async -> String? {
    await (try? responsible(for: host))?.stackIdentity(on: host)
  }

  package func roundTrip(to host: HostName?) async -> Duration? {
    await (try? responsible(for: host))?.roundTrip(to: host)
  }

  package func scan<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    try await responsible(for: adapter.host).scan(on: adapter, body)
  }

  package func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    try await responsible(for: adapter.host).connect(
      to: address, on: adapter, pairing: pairing, linked: linked)
  }

  package func connectedPeripherals(
    on adapter: AdapterID
  ) async throws(CentralError) -> [ConnectedPeripheral] {
    try await responsible(for: adapter.host).connectedPeripherals(on: adapter)
  }

  @discardableResult
  package func forget(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async throws(CentralError) -> Bool {
    try await responsible(for: adapter.host).forget(address, on: adapter, removingBond: removingBond)
  }

  package func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    try await responsible(for: adapter.host).powerCycle(adapter)
  }

  /// Without its central, nothing shows that another program scans.
  package func scanningClients(on adapter: AdapterID) async -> [String]? {
    guard let central = try? await responsible(for: adapter.host) else { return [] }
    return await central.scanningClients(on: adapter)
  }
}
