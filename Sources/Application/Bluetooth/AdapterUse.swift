package import Bluetooth
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

  /// Waits until one of them is ready, and says so meanwhile.
  /// - Throws: `CommandFailure` if none is in time; `ExitStatus.interrupted` if cancelled.
  func ready(
    _ stack: BluetoothStack, of building: Building?, within timeout: Duration? = nil
  ) async throws -> Adapter {
    let selection = AdapterSelection(
      central: stack.central, clock: stack.clock, wanted: adapters(of: building), timeout: timeout ?? wait)
    do throws(CentralError) {
      return try await selection.adapter { Messages.say(RadioMessages.waiting($0)) }
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

  /// An adapter that is ready, claimed.
  /// - Throws: As `AdapterChoice.ready`; `CommandFailure` if a run has it.
  func adapter(within timeout: Duration? = nil) async throws -> Adapter {
    let adapter = try await choice.ready(stack, of: building, within: timeout)
    if let holder = await holder(of: adapter) {
      throw RefusalWords.failure(.adapterClaimed(adapter: adapter.name, by: holder))
    }
    return adapter
  }

  /// Claims an adapter, or names the run that has it.
  package func holder(of adapter: Adapter) async -> String? {
    if !stack.isSimulated, case .refused(let holder) = await claims.takeUnrecorded(adapter) { return holder }
    return nil
  }

  /// Scans for a time that counts from the start of the scan, or until cancelled.
  /// - Parameters:
  ///   - bound: The scan time; nil to scan until cancelled.
  ///   - log: Receives the advertisements.
  ///   - onSighting: Called for each device that is received for the first time, or whose recognised state changed.
  /// - Throws: The error that prevented or ended the scan.
  func scan(
    on adapter: Adapter, for bound: Duration?, into log: AirLog,
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws(CentralError) {
    let (central, clock) = (stack.central, stack.clock)
    let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.scan(on: adapter.id) { (advertisements) throws(CentralError) in
            begun.finish()
            for try await advertisement in advertisements {
              if let sighting = await log.receive(advertisement) { onSighting(sighting) }
            }
          }
          return nil
        } catch {
          return error.code == .cancelled ? nil : error
        }
      }
      if let bound {
        group.addTask {
          // The stack can delay the start.
          for await _ in beginning {}
          try? await clock.sleep(for: bound)
          return nil
        }
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    if let failure { throw failure }
  }

  /// Scans into a ledger, which is returned.
  package func scan(
    on adapter: Adapter, for bound: Duration, in ledger: AirLedger
  ) async throws(CentralError) -> AirLedger {
    let log = AirLog(ledger)
    try await scan(on: adapter, for: bound, into: log)
    return await log.air
  }
}

extension BluetoothStack {
  /// Scans on one adapter.
  /// - Parameters: As for `AdapterUse.scan`.
  /// - Throws: `CommandFailure`; `ExitStatus.interrupted` if cancelled before the scan began.
  package func scan(
    _ choice: AdapterChoice, for bound: Duration?, of building: Building? = nil, into log: AirLog = AirLog(),
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws -> (adapter: Adapter, air: AirLedger) {
    try await AdapterUse.with(self, choice, of: building) { use in
      let adapter = try await use.adapter()
      let time = bound.map { "for \($0.inSeconds.asSeconds)" } ?? "until Ctrl-C"
      Messages.say("Scanning on \(adapter.name) \(time)")
      do throws(CentralError) {
        try await use.scan(on: adapter, for: bound, into: log, onSighting: onSighting)
      } catch {
        throw choice.ending(error)
      }
      return (adapter, await log.air)
    }
  }

  /// Scans in `count` scan windows, one after the other, and returns the devices of each.
  /// - Parameters:
  ///   - bound: The length of each scan window.
  ///   - ledger: An empty ledger, which recognises the wanted devices.
  /// - Throws: As `scan`.
  package func scanWindows(
    _ count: Int, of bound: Duration, in ledger: AirLedger, _ choice: AdapterChoice, for building: Building
  ) async throws -> [AirLedger] {
    try await AdapterUse.with(self, choice, of: building) { use in
      let adapter = try await use.adapter()
      Messages.say("Scanning on \(adapter.name): \(count) × \(bound.inSeconds.asSeconds)")
      var windows: [AirLedger] = []
      do throws(CentralError) {
        for _ in 0..<count { windows.append(try await use.scan(on: adapter, for: bound, in: ledger)) }
      } catch {
        throw choice.ending(error)
      }
      return windows
    }
  }

  /// Scans while `body` runs; `body` can read the received devices at any time. If the scan fails, `body`
  /// continues without it.
  /// - Throws: `CommandFailure` if there is no adapter; what `body` throws.
  package func scanning<Result: Sendable>(
    _ choice: AdapterChoice, for building: Building, isQuiet: Bool = false,
    _ body: @escaping @Sendable (AirLog, AdapterID) async throws -> Result
  ) async throws -> Result {
    try await AdapterUse.with(self, choice, of: building) { use in
      let adapter = try await use.adapter()
      let log = AirLog()
      if !isQuiet { Messages.say("Scanning on \(adapter.name)") }
      return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
          do throws(CentralError) {
            try await use.scan(on: adapter, for: nil, into: log)
          } catch {
            await log.end()
            Messages.say("roboprov: warning: the scan ended: \(choice.failure(error).message)")
          }
          return nil
        }
        group.addTask { try await body(log, adapter.id) }
        while let ended = try await group.next() {
          guard let result = ended else { continue }
          group.cancelAll()
          return result
        }
        throw CancellationError()
      }
    }
  }
}
