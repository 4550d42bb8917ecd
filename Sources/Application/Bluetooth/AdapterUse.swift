package import Bluetooth
import Host
import Reporting
package import Engine
package import Model

/// The adapters that a command may use, and how long it waits until one is ready.
package struct AdapterChoice: Sendable {
  /// Their names, addresses or names in the manifest; empty for all.
  let names: [String]
  let wait: Duration

  package init(names: [String], wait: Duration) {
    (self.names, self.wait) = (names, wait)
  }

  /// The adapters; a name in a building's manifest means the adapter that the manifest assigns to it.
  func adapters(of building: Building?) -> [AdapterReference] {
    names.map { building?.adapter(named: $0) ?? AdapterReference($0) }
  }

  /// Waits until one of them is ready, and says so meanwhile. Returns all that are.
  /// - Parameter others: Adapters that do not count.
  /// - Throws: `CommandFailure` if none is in time; `ExitStatus.interrupted` if cancelled.
  package func ready(
    _ stack: BluetoothStack, of building: Building?, besides others: Set<AdapterID> = [],
    within timeout: Duration? = nil
  ) async throws -> [Adapter] {
    let selection = AdapterSelection(
      central: stack.central, clock: stack.clock, wanted: adapters(of: building), timeout: timeout ?? wait)
    do throws(CentralError) {
      return try await selection.adapters(besides: others) {
        if others.isEmpty { Messages.say(RadioMessages.waiting($0)) }
      }
    } catch {
      throw ending(error)
    }
  }

  /// The error of a command whose use of them failed.
  func ending(_ error: CentralError) -> any Error {
    error.code == .cancelled ? ExitStatus.interrupted : failure(error)
  }

  package func failure(_ error: CentralError) -> CommandFailure {
    RadioMessages.failure(error, adapter: names.first)
  }
}

/// The use of adapters outside a run. Each is claimed, so that no run gets it before the use ends.
package struct AdapterUse: Sendable {
  let stack: BluetoothStack
  let choice: AdapterChoice
  private let building: Building?
  private let claims: AdapterClaims

  private init(_ stack: BluetoothStack, _ choice: AdapterChoice, _ building: Building?) {
    (self.stack, self.choice, self.building) = (stack, choice, building)
    claims = AdapterClaims(RunIdentity(), stack.hosts)
  }

  /// Runs `body` and ends the use.
  /// - Parameter building: The building whose names for adapters apply.
  package static func with<Result>(
    _ stack: BluetoothStack, _ choice: AdapterChoice, of building: Building? = nil,
    _ body: (AdapterUse) async throws -> Result
  ) async throws -> Result {
    let use = AdapterUse(stack, choice, building)
    defer { withExtendedLifetime(use) {} }
    return try await body(use)
  }

  /// All adapters that are ready, claimed. Warns of those that a run has, and of named ones that are not ready.
  /// - Parameter others: Adapters that do not count.
  /// - Throws: As `AdapterChoice.ready`; `CommandFailure` if runs have them all.
  package func adapters(
    besides others: Set<AdapterID> = [], within timeout: Duration? = nil
  ) async throws -> [Adapter] {
    let ready = try await choice.ready(stack, of: building, besides: others, within: timeout)
    let holders = await withTaskGroup(of: (AdapterID, String?).self) { group in
      for adapter in ready { group.addTask { (adapter.id, await holder(of: adapter)) } }
      return await group.reduce(into: [AdapterID: String]()) { $0[$1.0] = $1.1 }
    }
    let refusals = ready.compactMap { adapter in
      holders[adapter.id].map { RefusalWords.failure(.adapterClaimed(adapter: adapter.name, by: $0)) }
    }
    if refusals.count == ready.count, let first = refusals.first { throw first }
    let absent = choice.adapters(of: building).filter { !ready.contains(where: $0.names) }
    let warnings = refusals.map(\.message) + absent.map { "\($0.text.visible) is not ready" }
    if others.isEmpty {
      for warning in warnings {
        Messages.say("roboprov: warning: \(warning); this command continues without it")
      }
    }
    return ready.filter { holders[$0.id] == nil }
  }

  /// Claims an adapter, or names the run that has it.
  func holder(of adapter: Adapter) async -> String? {
    if !stack.isSimulated, case .refused(let holder) = await claims.takeUnrecorded(adapter) { return holder }
    return nil
  }

  /// Scans on all adapters at the same time, each for a time that counts from the start of its scan, or until cancelled. One
  /// that fails is reported, and the others continue.
  /// - Parameters:
  ///   - bound: The length of each scan window; nil to scan until cancelled.
  ///   - count: The number of scan windows, one after the other.
  ///   - handle: Receives the advertisements, with the number of their scan window.
  /// - Returns: How long each adapter scanned.
  /// - Throws: The error of the last adapter if all have failed.
  func scan(
    on adapters: [Adapter], for bound: Duration?, windows count: Int = 1,
    _ handle: @escaping @Sendable (Int, Advertisement) async -> Void
  ) async throws(CentralError) -> [AdapterScan] {
    var scans = adapters.map { AdapterScan(adapter: $0.id, name: $0.name) }
    for number in 0..<count {
      var failure: CentralError?
      await withTaskGroup(of: (Int, Duration, CentralError?).self) { group in
        for (index, adapter) in adapters.enumerated() where scans[index].isComplete {
          group.addTask {
            let (scanned, error) = await scan(on: adapter, for: bound) { await handle(number, $0) }
            return (index, scanned, error)
          }
        }
        for await (index, scanned, error) in group {
          scans[index].seconds += (scanned.inSeconds * 1000).rounded() / 1000
          guard let error else { continue }
          (scans[index].isComplete, failure) = (false, error)
          guard scans.contains(where: \.isComplete) else { continue }
          Messages.say(
            "roboprov: warning: \(Self.ended(adapters[index], choice.failure(error))). The others continue.")
        }
      }
      if let failure, !scans.contains(where: \.isComplete) { throw failure }
    }
    return scans
  }

  /// Scans in as many windows as the time takes.
  private func scan(
    on adapter: Adapter, for bound: Duration?, _ handle: @escaping @Sendable (Advertisement) async -> Void
  ) async -> (scanned: Duration, error: CentralError?) {
    var total = Duration.zero
    while bound.map({ total < $0 }) ?? true {
      let (scanned, error) = await stack.scan(
        on: adapter, until: ScanWindow(silence: bound.map { $0 - total }), handle)
      total += scanned ?? .zero
      guard error == nil, let scanned, scanned > .zero, !Task.isCancelled else { return (total, error) }
    }
    return (total, nil)
  }

  static func ended(_ adapter: Adapter, _ failure: CommandFailure) -> String {
    "the scan on \(adapter.name) ended: \(failure.message)"
  }

  /// Scans in scan windows into a log for each.
  /// - Parameter onSighting: Called for each device that is received for the first time, or whose recognised state changed.
  /// - Throws: `CommandFailure`; `ExitStatus.interrupted`.
  package func scan(
    on adapters: [Adapter], for bound: Duration?, into logs: [AirLog],
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws -> [AdapterScan] {
    let time = bound.map(\.inSeconds.asSeconds)
    let words =
      logs.count > 1 ? ": \(logs.count) × \(time ?? "")" : time.map { " for \($0)" } ?? " until Ctrl-C"
    Messages.say("Scanning on \(adapters.names)\(words)")
    do throws(CentralError) {
      return try await scan(on: adapters, for: bound, windows: logs.count) { number, advertisement in
        if let sighting = await logs[number].receive(advertisement) { onSighting(sighting) }
      }
    } catch {
      throw choice.ending(error)
    }
  }
}

extension [Adapter] {
  /// Their names, for a message.
  package var names: String { map(\.name).joined(separator: ", ") }
}

extension BluetoothStack {
  /// Scans on all chosen adapters, as `AdapterUse.scan`.
  /// - Throws: `CommandFailure`; `ExitStatus.interrupted` if cancelled before the scan began.
  package func scan(
    _ choice: AdapterChoice, for bound: Duration?, of building: Building? = nil, into logs: [AirLog],
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws -> [AdapterScan] {
    try await AdapterUse.with(self, choice, of: building) { use in
      try await use.scan(on: try await use.adapters(), for: bound, into: logs, onSighting: onSighting)
    }
  }
}
