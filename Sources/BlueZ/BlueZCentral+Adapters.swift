public import Bluetooth
import DBus
import Synchronization
import Waiting

extension BlueZCentral {
  /// `BlueZ 5.66`, read from an adapter's `Modalias`; nil without an adapter.
  public func stackVersion() async -> String? {
    try? await ready()
    return tree.stackVersion
  }

  /// The adapters as they are now, ordered by identity.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  public func adapters() async throws(CentralError) -> [Adapter] {
    try await ready()
    return knownAdapters
  }

  /// The adapters, each with what is known of others who scan with it.
  private var knownAdapters: [Adapter] {
    let now = clock.now
    return tree.adapters.map { adapter in
      var adapter = adapter
      adapter.isScannedByOthers =
        tree.path(of: adapter.id).map { foreignScans.isScanning($0, at: now) } ?? false
      return adapter
    }
  }

  /// When it is next settled whether another client scans with one of the adapters.
  private var nextSettling: MonotonicInstant? {
    let now = clock.now
    return tree.adapterPaths.compactMap { foreignScans.settles($0, after: now) }.min()
  }

  /// The adapters, at once and after each change. Also tells of a daemon that comes later, and of one that
  /// comes again. Whoever reads the stream does its work; nothing goes on while nobody does.
  public func adapterChanges() -> AsyncStream<[Adapter]> {
    let last = Mutex<AdapterNews?>(nil)
    return AsyncStream { [self] in
      let next = await adapterNews(after: last.withLock { $0 })
      last.withLock { $0 = next }
      return next?.adapters
    }
  }

  /// A list, and how many changes it has seen.
  private struct AdapterNews: Sendable {
    var generation: UInt64
    var adapters: [Adapter]
  }

  private func adapterNews(after last: AdapterNews?) async -> AdapterNews? {
    while !Task.isCancelled {
      // Without an answer there are no adapters for us; the next change of the stack is worth another try.
      if last?.generation != adapterGeneration { try? await ready() }
      guard stack != .busLost, !Task.isCancelled else { return nil }
      let now = AdapterNews(generation: adapterGeneration, adapters: knownAdapters)
      if now.adapters != last?.adapters { return now }
      if let settles = nextSettling {
        _ = await race(clock.now.duration(to: settles), on: clock) { await self.change(of: Name.root) }
      } else {
        await change(of: Name.root)
      }
    }
    return nil
  }

  /// Why an adapter cannot be used; nil when it can.
  func trouble(at path: ObjectPath?) -> CentralError.AdapterTrouble? {
    switch path.flatMap(tree.adapter(at:))?.state {
    case .ready: nil
    case .poweredOff: .poweredOff
    case .blocked: .blocked
    case nil: .absent
    }
  }

  /// Where an adapter is that can be used.
  /// - Throws: `adapterUnavailable`, `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  func readyAdapter(_ adapter: AdapterID) async throws(CentralError) -> ObjectPath {
    try await ready()
    let path = tree.path(of: adapter)
    if let trouble = trouble(at: path) { throw CentralError(.adapterUnavailable(trouble)) }
    guard let path else { throw CentralError(.adapterUnavailable(.absent)) }
    return path
  }

  /// The better reason for a failure: when the stack or the adapter is gone, all else follows from that.
  func explained(_ error: CentralError, on adapter: ObjectPath) -> CentralError {
    let code: CentralError.Code
    switch (error.code, stack, trouble(at: adapter)) {
    case (.cancelled, _, _): return error
    case (_, .busLost, _): code = .busUnavailable
    case (_, .unasked, _): code = .stackUnavailable
    case (_, .present, let trouble?): code = .adapterUnavailable(trouble)
    case (_, .present, nil): return error
    }
    return CentralError(code, stackText: error.stackText)
  }
}
