package import Bluetooth
package import Model
import Session
import Waiting

/// Chooses the adapters to work with, and waits for one to become ready if none is.
package struct AdapterSelection: Sendable {
  private let central: any Central
  private let clock: any TimeSource
  private let wanted: [AdapterReference]
  private let timeout: Duration

  /// - Parameters:
  ///   - wanted: the permitted adapters; any when empty.
  ///   - timeout: how long to wait for a ready adapter.
  package init(central: any Central, clock: any TimeSource, wanted: [AdapterReference], timeout: Duration) {
    self.central = central
    self.clock = clock
    self.wanted = wanted
    self.timeout = timeout
  }

  /// All ready adapters, in order.
  /// - Parameters:
  ///   - others: adapters that do not count.
  ///   - waiting: receives, once for each change, what the wait is for.
  /// - Throws: the failure of `AdapterLack` when the time is over, and at once if each host refuses its permission;
  ///   `busUnavailable`, `cancelled`.
  package func adapters(
    besides others: Set<AdapterID> = [], waiting: @escaping @Sendable (AdapterAwaited) async -> Void
  ) async throws(CentralError) -> [Adapter] {
    let raced = await race(timeout, on: clock) { () throws(CentralError) in
      var reported: AdapterAwaited?
      for await adapters in await central.adapterChanges() {
        let ready = adapters.filter { wanted.want($0) && $0.state == .ready && !others.contains($0.id) }
        if !ready.isEmpty { return ready.sorted(by: Adapter.areInOrder) }
        let lack = AdapterLack(await central.hosts(), wanted: wanted)
        if lack.isRefused { throw lack.failure }
        let awaited = lack.awaited(for: timeout)
        if awaited != reported { await waiting(awaited) }
        reported = awaited
      }
      throw CentralError(Task.isCancelled ? .cancelled : .busUnavailable)
    }
    switch raced {
    case .value(let adapters): return adapters
    case .failed(let error): throw error
    case .timedOut: throw AdapterLack(await central.hosts(), wanted: wanted).failure
    }
  }
}
