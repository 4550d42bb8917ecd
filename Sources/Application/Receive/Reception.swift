package import Bluetooth
import Host
package import Model
import Waiting

/// The advertisements that all adapters receive, each in consecutive scan windows. It continues after a loss of an
/// adapter, the stack or the bus, and uses adapters that become ready later.
///
/// Most chips report each device once per scan (docs/internals/bluez.md), so a further report needs a new scan window.
package struct Reception: Sendable {
  package enum Event: Sendable {
    /// An adapter starts to scan: at the beginning, and after each loss.
    case scanning(Adapter)
    case received(Advertisement)
    /// Its scan failed: it receives nothing until `scanning`.
    case lost(Adapter)
  }

  let stack: BluetoothStack
  /// The adapters to use. Only the wait at the beginning has a limit.
  let adapters: AdapterChoice
  /// The building whose names for adapters apply.
  let building: Building?
  let window: ScanWindow

  package init(stack: BluetoothStack, adapters: AdapterChoice, building: Building?, window: ScanWindow) {
    (self.stack, self.adapters, self.building, self.window) = (stack, adapters, building, window)
  }

  /// The time between a failed scan and the next one.
  private static let pause = Duration.seconds(1)
  /// The time after which an adapter of another run is claimed again.
  private static let refusalPause = Duration.seconds(10)
  private static let forever = Duration.seconds(365 * 86_400)

  /// Scans for a time that counts from the first scan, or until cancelled.
  /// - Parameters:
  ///   - bound: The time; nil to scan until cancelled.
  ///   - pace: The interval of `tick`.
  ///   - tick: Called at each interval; false ends the reception.
  ///   - handle: Receives each event.
  /// - Throws: `CommandFailure` if no scan can begin. A later loss is reported on stderr, and the scan
  ///   resumes when the adapter is ready.
  package func run(
    for bound: Duration?, every pace: Duration, _ tick: @escaping @Sendable () async -> Bool,
    _ handle: @escaping @Sendable (Event) async -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await run(beside: { try? await stack.clock.sleep(for: bound ?? Self.forever) }, handle)
      }
      group.addTask {
        while (try? await stack.clock.sleep(for: pace)) != nil {
          guard await tick() else { return }
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Scans while `body` runs, which begins with the first scan.
  /// - Throws: As `run(for:)`; what `body` throws.
  package func run<Result: Sendable>(
    beside body: @escaping @Sendable () async throws -> Result,
    _ handle: @escaping @Sendable (Event) async -> Void
  ) async throws -> Result {
    let begun = OneShot<Void>()
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        try await AdapterUse.with(stack, adapters, of: building) { use in
          try await scan(use) { event in
            await handle(event)
            if case .scanning = event { begun.fulfill(()) }
          }
        }
        return nil
      }
      group.addTask { await begun.value() == nil ? nil : try await body() }
      defer { group.cancelAll() }
      while let ended = try await group.next() { if let result = ended { return result } }
      throw CancellationError()
    }
  }

  /// What a task of the reception ended with.
  private enum Step {
    case ready([Adapter])
    /// The adapter never scanned.
    case failed(Adapter, CentralError)
  }

  private func scan(
    _ use: AdapterUse, _ handle: @escaping @Sendable (Event) async -> Void
  ) async throws {
    let first = try await use.adapters()
    try await withThrowingTaskGroup(of: Step.self) { group in
      var used: Set<AdapterID> = []
      var failed = 0
      group.addTask { .ready(first) }
      for try await step in group {
        if Task.isCancelled { return }
        switch step {
        case .ready(let adapters):
          used.formUnion(adapters.map(\.id))
          for adapter in adapters {
            group.addTask { .failed(adapter, await scan(on: adapter, use, handle)) }
          }
          group.addTask { [used] in .ready(await others(than: used, use)) }
        case .failed(let adapter, let error):
          failed += 1
          guard failed < used.count else { throw adapters.failure(error) }
          Messages.say("roboprov: warning: \(AdapterUse.ended(adapter, adapters.failure(error)))")
        }
      }
    }
  }

  /// Waits for adapters that become ready, or that another run releases.
  private func others(than used: Set<AdapterID>, _ use: AdapterUse) async -> [Adapter] {
    while !Task.isCancelled {
      if let adapters = try? await use.adapters(besides: used, within: Self.forever) {
        return adapters
      }
      try? await stack.clock.sleep(for: Self.refusalPause)
    }
    return []
  }

  /// Scans on an adapter, again after each loss, until cancelled.
  /// - Returns: The error that prevented its first scan.
  private func scan(
    on adapter: Adapter, _ use: AdapterUse, _ handle: @escaping @Sendable (Event) async -> Void
  ) async -> CentralError {
    var (adapter, isScanning, hasScanned) = (adapter, false, false)
    while !Task.isCancelled {
      let (scanned, error) = await stack.scan(
        on: adapter, until: window,
        begun: { [adapter, isScanning] in if !isScanning { await handle(.scanning(adapter)) } },
        { await handle(.received($0)) })
      isScanning = isScanning || scanned != nil
      hasScanned = hasScanned || isScanning
      guard let error, !Task.isCancelled else { continue }
      guard hasScanned else { return error }
      if isScanning {
        await handle(.lost(adapter))
        Messages.say(
          "roboprov: warning: \(AdapterUse.ended(adapter, adapters.failure(error))). It is awaited.")
      }
      isScanning = false
      try? await stack.clock.sleep(for: Self.pause)
      adapter = await returned(adapter, use)
    }
    return CentralError(.cancelled)
  }

  /// Waits until an adapter is ready again, and no other run has it.
  private func returned(_ lost: Adapter, _ use: AdapterUse) async -> Adapter {
    while !Task.isCancelled {
      for await present in await stack.central.adapterChanges() {
        guard let adapter = present.first(where: { $0.id == lost.id && $0.state == .ready }) else { continue }
        if await use.holder(of: adapter) == nil { return adapter }
        break
      }
      try? await stack.clock.sleep(for: Self.refusalPause)
    }
    return lost
  }
}
