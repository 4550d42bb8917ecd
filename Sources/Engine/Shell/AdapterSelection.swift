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
  /// - Throws: `adapterUnavailable` with the state of the first permitted adapter when the time is over,
  ///   `stackUnavailable` if the stack is missing too; `busUnavailable`, `permissionDenied`, `cancelled`.
  package func adapters(
    besides others: Set<AdapterID> = [], waiting: @escaping @Sendable (AdapterAwaited) async -> Void
  ) async throws(CentralError) -> [Adapter] {
    let raced = await race(timeout, on: clock) { () throws(CentralError) in
      var reported: AdapterAwaited?
      for await adapters in await central.adapterChanges() {
        let eligible = eligible(adapters)
        let ready = eligible.filter { $0.state == .ready && !others.contains($0.id) }
        if !ready.isEmpty { return ready }
        let isUnknown = eligible.isEmpty ? await lostHost() != nil : false
        let awaited = AdapterAwaited(
          problem: isUnknown
            ? nil : adapters.isEmpty ? try await problemWithoutAdapters() : eligible.problem,
          adapter: eligible.first?.name ?? wanted.first?.text, seconds: timeout.inSeconds)
        if awaited != reported { await waiting(awaited) }
        reported = awaited
      }
      throw CentralError(Task.isCancelled ? .cancelled : .busUnavailable)
    }
    switch raced {
    case .value(let adapters): return adapters
    case .failed(let error): throw error
    case .timedOut:
      if let lost = await lostHost() { throw lost }
      throw CentralError(.adapterUnavailable(eligible(try await central.adapters()).problem))
    }
  }

  /// Why the host of a permitted adapter cannot be reached: nobody knows then whether it has the adapter.
  private func lostHost() async -> CentralError? {
    await central.hosts().first { lost in lost.failure != nil && wanted.contains { $0.host == lost.host } }?
      .failure
  }

  private func eligible(_ adapters: [Adapter]) -> [Adapter] {
    adapters.filter(wanted.want).sorted(by: Adapter.areInOrder)
  }

  /// Why there is no adapter; nil if the stack or the bus is missing, which needs another remedy.
  private func problemWithoutAdapters() async throws(CentralError) -> CentralError.AdapterProblem? {
    do throws(CentralError) {
      return try await central.adapters().problem
    } catch  where error.code == .stackUnavailable || error.code == .busUnavailable {
      return nil
    }
  }
}

extension [Adapter] {
  /// Why none of these adapters can be used, by the first of them.
  var problem: CentralError.AdapterProblem {
    switch first?.state {
    case nil, .ready: .absent
    case .poweredOff: .poweredOff
    case .blocked: .blocked
    }
  }
}
