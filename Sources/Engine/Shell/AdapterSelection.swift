public import Bluetooth
public import Model
import Session
import Waiting

/// Chooses the adapter to work with, and waits for one to become ready where none is.
public struct AdapterSelection: Sendable {
  private let central: any Central
  private let clock: any TimeSource
  private let wanted: [AdapterReference]
  private let patience: Duration

  /// A selection.
  /// - Parameters:
  ///   - wanted: any when empty.
  ///   - patience: how long to wait for one to be ready.
  public init(central: any Central, clock: any TimeSource, wanted: [AdapterReference], patience: Duration) {
    self.central = central
    self.clock = clock
    self.wanted = wanted
    self.patience = patience
  }

  /// The first adapter, by name, that is ready.
  /// - Parameter waiting: told, once for each change, what is waited for.
  /// - Throws: `adapterUnavailable` with the trouble of the best of them when the time is up, `stackUnavailable`
  ///   when not even the stack came; `busUnavailable`, `permissionDenied`, `cancelled`.
  public func adapter(
    waiting: @escaping @Sendable (AdapterAwaited) async -> Void
  ) async throws(CentralError) -> Adapter {
    let raced = await race(patience, on: clock) { () throws(CentralError) in
      var told: AdapterAwaited?
      for await adapters in await central.adapterChanges() {
        let eligible = eligible(adapters)
        if let ready = eligible.first(where: { $0.state == .ready }) { return ready }
        let awaited = AdapterAwaited(
          trouble: adapters.isEmpty ? try await troubleWithoutAdapters() : eligible.trouble,
          adapter: eligible.first?.name ?? wanted.first?.text, seconds: patience.inSeconds)
        if awaited != told { await waiting(awaited) }
        told = awaited
      }
      throw CentralError(Task.isCancelled ? .cancelled : .busUnavailable)
    }
    switch raced {
    case .value(let adapter): return adapter
    case .failed(let error): throw error
    case .timedOut:
      throw CentralError(.adapterUnavailable(eligible(try await central.adapters()).trouble))
    }
  }

  private func eligible(_ adapters: [Adapter]) -> [Adapter] {
    adapters.filter(wanted.want).sorted { $0.name < $1.name }
  }

  /// Without any adapter it may be the stack that is missing, or the bus to it, which has another cure.
  private func troubleWithoutAdapters() async throws(CentralError) -> CentralError.AdapterTrouble? {
    do throws(CentralError) {
      return try await central.adapters().trouble
    } catch  where error.code == .stackUnavailable || error.code == .busUnavailable {
      return nil
    }
  }
}

extension [Adapter] {
  /// Why none of these can be used, by the first of them.
  var trouble: CentralError.AdapterTrouble {
    switch first?.state {
    case nil, .ready: .absent
    case .poweredOff: .poweredOff
    case .blocked: .blocked
    }
  }
}
