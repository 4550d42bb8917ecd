import Bluetooth

/// A `Central` that forwards everything to another one. A test overrides what must differ.
protocol WrappingCentral: ForwardingCentral {
  associatedtype Base: Central
  var base: Base { get }
}

extension WrappingCentral {
  func responsible(for host: HostName?) async throws(CentralError) -> any Central { base }
  func adapters() async throws(CentralError) -> [Adapter] { try await base.adapters() }
  func adapterChanges() async -> AsyncStream<[Adapter]> { await base.adapterChanges() }
}
