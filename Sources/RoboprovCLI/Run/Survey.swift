import Bluetooth
import Engine
import FoundationEssentials
import Model
import Reporting

extension Survey {
  /// Scans on one adapter, which no run is using, for commands that only scan.
  /// - Parameters:
  ///   - bound: The scan time; nil to scan until cancelled.
  ///   - building: The building whose adapter names apply.
  ///   - log: Receives the advertisements.
  ///   - isSimulated: Whether the adapter is virtual, and belongs to this command alone.
  ///   - onSighting: Called for each device that is received for the first time, or whose recognised state changed.
  /// - Throws: `CommandFailure`; the exit status after Ctrl-C before the scan began.
  static func scan(
    _ setup: Radio.Setup, _ radio: RadioOptions, for bound: Duration?, of building: Building? = nil,
    into log: AirLog = AirLog(), isSimulated: Bool,
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws -> (adapter: Adapter, air: AirLedger) {
    let (adapter, claims) = try await takeAdapter(setup, radio, of: building, isSimulated: isSimulated)
    defer { withExtendedLifetime(claims) {} }
    do throws(CentralError) {
      let time = bound.map { "for \($0.inSeconds.asSeconds)" } ?? "until Ctrl-C"
      Console.say("Scanning on \(adapter.name) \(time)")
      let survey = Survey(central: setup.central, clock: setup.clock)
      try await survey.scan(on: adapter.id, for: bound, into: log, onSighting: onSighting)
      return (adapter, await log.air)
    } catch {
      throw failure(error, radio)
    }
  }

  /// Scans in `count` scan windows, one after the other, and returns the devices of each.
  /// - Parameters:
  ///   - bound: The length of each scan window.
  ///   - ledger: An empty ledger, which recognises the wanted devices.
  /// - Throws: `CommandFailure`; the exit status after Ctrl-C.
  static func windows(
    _ count: Int, of bound: Duration, in ledger: AirLedger, _ setup: Radio.Setup, _ radio: RadioOptions,
    for building: Building, isSimulated: Bool
  ) async throws -> [AirLedger] {
    let (adapter, claims) = try await takeAdapter(setup, radio, of: building, isSimulated: isSimulated)
    defer { withExtendedLifetime(claims) {} }
    let survey = Survey(central: setup.central, clock: setup.clock)
    Console.say(
      "Scanning on \(adapter.name): \(count) × \(bound.inSeconds.asSeconds)")
    var windows: [AirLedger] = []
    do throws(CentralError) {
      for _ in 0..<count { windows.append(try await survey.scan(on: adapter.id, for: bound, in: ledger)) }
    } catch {
      throw failure(error, radio)
    }
    return windows
  }

  /// Scans while `body` runs; `body` can read the received devices at any time. If the scan fails, `body`
  /// continues without it.
  /// - Throws: `CommandFailure` if there is no adapter; what `body` throws.
  static func meanwhile<Result: Sendable>(
    _ setup: Radio.Setup, _ radio: RadioOptions, for building: Building, isSimulated: Bool,
    isQuiet: Bool = false, _ body: @escaping @Sendable (AirLog, AdapterID) async throws -> Result
  ) async throws -> Result {
    let (adapter, claims) = try await takeAdapter(setup, radio, of: building, isSimulated: isSimulated)
    defer { withExtendedLifetime(claims) {} }
    let log = AirLog()
    if !isQuiet { Console.say("Scanning on \(adapter.name)") }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await Survey(central: setup.central, clock: setup.clock).scan(
            on: adapter.id, for: nil, into: log)
        } catch {
          await log.end()
          let failure = RadioMessages.failure(error, adapter: radio.adapter.first)
          Console.say("roboprov: warning: the scan ended: \(failure.message)")
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

  static func takeAdapter(
    _ setup: Radio.Setup, _ radio: RadioOptions, of building: Building? = nil, isSimulated: Bool
  ) async throws -> (Adapter, AdapterClaims) {
    let selection = AdapterSelection(
      central: setup.central, clock: setup.clock, wanted: radio.adapters(of: building),
      timeout: .seconds(radio.adapterWait)
    )
    let claims = AdapterClaims(RunIdentity())
    let adapter: Adapter
    do throws(CentralError) {
      adapter = try await selection.adapter { Console.say(RadioMessages.waiting($0)) }
    } catch {
      throw failure(error, radio)
    }
    if !isSimulated, case .refused(let holder) = await claims.take(adapter) {
      throw RefusalWords.failure(.adapterClaimed(adapter: adapter.name, by: holder))
    }
    return (adapter, claims)
  }

  private static func failure(_ error: CentralError, _ radio: RadioOptions) -> any Error {
    error.code == .cancelled
      ? ExitStatus.interrupted.exit : RadioMessages.failure(error, adapter: radio.adapter.first)
  }
}

/// A scan without any connection.
struct Survey: Sendable {
  let central: any Central
  let clock: any TimeSource

  /// Scans for a time, or until cancelled, and returns the received devices.
  /// - Parameters:
  ///   - bound: The scan time; nil to scan until cancelled.
  ///   - ledger: Receives the advertisements.
  ///   - onSighting: Called for each device that is received for the first time, or whose recognised state changed.
  /// - Throws: The error that prevented or ended the scan.
  func scan(
    on adapter: AdapterID, for bound: Duration?,
    in ledger: AirLedger = AirLedger(families: Application.families),
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws(CentralError) -> AirLedger {
    let log = AirLog(ledger)
    try await scan(on: adapter, for: bound, into: log, onSighting: onSighting)
    return await log.air
  }

  /// The same into a log that other tasks can read during the scan.
  func scan(
    on adapter: AdapterID, for bound: Duration?, into log: AirLog,
    onSighting: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws(CentralError) {
    let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.scan(on: adapter) { (advertisements) throws(CentralError) in
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
          // The time counts from the start of the scan, which the stack can delay.
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
}

/// The devices that a scan has received so far, readable during the scan.
actor AirLog {
  private(set) var air: AirLedger
  /// The last advertisement of each expected device, of any family.
  private(set) var expected: [BluetoothAddress: Advertisement] = [:]
  private let expecting: Set<BluetoothAddress>
  private var hasEnded = false

  /// A log that starts with the contents of `air`.
  init(
    _ air: AirLedger = AirLedger(families: Application.families),
    expecting: some Sequence<BluetoothAddress> = []
  ) {
    self.air = air
    self.expecting = Set(expecting)
  }

  /// The devices received so far; nil after the scan has failed.
  var current: AirLedger? { hasEnded ? nil : air }

  /// Marks the scan as failed.
  func end() { hasEnded = true }

  /// Handles an advertisement, as `AirLedger.receive`.
  fileprivate func receive(_ advertisement: Advertisement) -> AirLedger.Sighting? {
    if expecting.contains(advertisement.address) { expected[advertisement.address] = advertisement }
    return air.receive(advertisement)
  }
}
