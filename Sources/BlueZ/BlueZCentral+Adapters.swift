package import Bluetooth
import DBus
import Synchronization
import Waiting

extension BlueZCentral {
  /// `BlueZ 5.66`, read from an adapter's `Modalias`; nil without an adapter.
  package func stackVersion(on host: HostName?) async -> String? {
    try? await ready()
    return tree.stackVersion
  }

  /// The id of the bus, which each bus makes at its start.
  package func stackIdentity(on host: HostName?) async -> String? { await connection.busID() }

  /// The adapters as they are now, ordered by identity.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  package func adapters() async throws(CentralError) -> [Adapter] {
    try await ready()
    return knownAdapters
  }

  /// The adapters, with the known scans of other clients.
  private var knownAdapters: [Adapter] {
    let now = clock.now
    return tree.adapters.map { adapter in
      var adapter = adapter
      adapter.isScannedByOthers =
        tree.path(of: adapter.id).map { foreignScans.isScanning($0, at: now) } ?? false
      return adapter
    }
  }

  /// The next instant at which it is known for an adapter whether another client scans.
  private var nextSettling: MonotonicInstant? {
    let now = clock.now
    return tree.adapterPaths.compactMap { foreignScans.settles($0, after: now) }.min()
  }

  /// The adapters, now and after each change, including the start and restart of the daemon. The work is done
  /// by the task that reads the stream; nothing runs in the background.
  package func adapterChanges() -> AsyncStream<[Adapter]> {
    let last = Mutex<[Adapter]?>(nil)
    return AsyncStream { [self] in
      let next = await adapters(after: last.withLock { $0 })
      last.withLock { $0 = next }
      return next
    }
  }

  private func adapters(after last: [Adapter]?) async -> [Adapter]? {
    while !Task.isCancelled {
      // Without a reply the list is empty. The next change of the stack causes another attempt.
      try? await ready()
      guard stack != .busLost, !Task.isCancelled else { return nil }
      let now = knownAdapters
      if now != last { return now }
      if let settles = nextSettling {
        _ = await race(clock.now.duration(to: settles), on: clock) { await self.change(of: Name.root) }
      } else {
        await change(of: Name.root)
      }
    }
    return nil
  }

  /// Why an adapter cannot be used; nil if it can be used.
  func problem(at path: ObjectPath?) -> CentralError.AdapterProblem? {
    switch path.flatMap(tree.adapter(at:))?.state {
    case .ready: nil
    case .poweredOff: .poweredOff
    case .blocked: .blocked
    case nil: .absent
    }
  }

  /// The path of an adapter that can be used.
  /// - Throws: `adapterUnavailable`, `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  func readyAdapter(_ adapter: AdapterID) async throws(CentralError) -> ObjectPath {
    try await ready()
    let path = tree.path(of: adapter)
    if let problem = problem(at: path) { throw CentralError(.adapterUnavailable(problem)) }
    guard let path else { throw CentralError(.adapterUnavailable(.absent)) }
    return path
  }

  /// Replaces an error by its cause if the stack or the adapter is gone.
  func explained(_ error: CentralError, on adapter: ObjectPath) -> CentralError {
    let code: CentralError.Code
    switch (error.code, stack, problem(at: adapter)) {
    case (.cancelled, _, _): return error
    case (_, .busLost, _): code = .busUnavailable
    case (_, .unasked, _): code = .stackUnavailable
    case (_, .present, let problem?): code = .adapterUnavailable(problem)
    case (_, .present, nil): return error
    }
    return CentralError(code, stackText: error.stackText)
  }
}
