import Bluetooth
import Engine
import Families
import Foundation
import Model

extension Survey {
  /// What commands do that only listen: takes an adapter, which no run may be using, and hears who is there.
  /// - Parameters:
  ///   - bound: How long; nil until cancelled.
  ///   - building: The building, whose names for adapters count.
  ///   - log: What it is written into.
  ///   - isSimulated: Whether the adapter is a virtual one, of this command alone.
  ///   - news: told of each device that is heard for the first time, or in another life than before.
  /// - Throws: `CommandFailure`; the exit status for a person's Ctrl-C before anything could be heard.
  static func listen(
    _ setup: Radio.Setup, _ radio: RadioOptions, for bound: Duration?, of building: Building? = nil,
    into log: AirLog = AirLog(), isSimulated: Bool,
    news: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws -> (adapter: Adapter, air: AirLedger) {
    let (adapter, claims) = try await takeAdapter(setup, radio, of: building, isSimulated: isSimulated)
    defer { withExtendedLifetime(claims) {} }
    do throws(CentralError) {
      let time = bound.map { "for \($0.inSeconds.formatted()) s" } ?? "until Ctrl-C"
      Console.say("Listening on \(adapter.name) \(time)")
      let survey = Survey(central: setup.central, clock: setup.clock)
      try await survey.listen(on: adapter.id, for: bound, into: log, news: news)
      return (adapter, await log.air)
    } catch {
      throw failure(error, radio)
    }
  }

  /// Scans several times, one scan after the other, and returns what each heard.
  /// - Parameters:
  ///   - bound: How long each scan takes.
  ///   - ledger: an empty one, which knows what is looked for.
  /// - Throws: `CommandFailure`; the exit status for a person's Ctrl-C.
  static func windows(
    _ count: Int, of bound: Duration, in ledger: AirLedger, _ setup: Radio.Setup, _ radio: RadioOptions,
    for building: Building, isSimulated: Bool
  ) async throws -> [AirLedger] {
    let (adapter, claims) = try await takeAdapter(setup, radio, of: building, isSimulated: isSimulated)
    defer { withExtendedLifetime(claims) {} }
    let survey = Survey(central: setup.central, clock: setup.clock)
    Console.say(
      "Scanning on \(adapter.name): \(count) × \(bound.inSeconds.formatted()) s")
    var windows: [AirLedger] = []
    do throws(CentralError) {
      for _ in 0..<count { windows.append(try await survey.listen(on: adapter.id, for: bound, in: ledger)) }
    } catch {
      throw failure(error, radio)
    }
    return windows
  }

  /// Scans for as long as `body` runs, which reads at any time what was heard so far. Where the scan fails, `body` goes on
  /// without.
  /// - Throws: `CommandFailure` when there is no adapter; what `body` throws.
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
          try await Survey(central: setup.central, clock: setup.clock).listen(
            on: adapter.id, for: nil, into: log)
        } catch {
          await log.end()
          let failure = RadioTrouble.failure(error, adapter: radio.adapter.first)
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
      patience: .seconds(radio.adapterWait)
    )
    let claims = AdapterClaims(RunIdentity())
    let adapter: Adapter
    do throws(CentralError) {
      adapter = try await selection.adapter { Console.say(RadioTrouble.waiting($0)) }
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
      ? ExitStatus.interrupted.exit : RadioTrouble.failure(error, adapter: radio.adapter.first)
  }
}

/// Listening without doing anything about it.
struct Survey: Sendable {
  let central: any Central
  let clock: any TimeSource

  /// Listens for a time, or until it is cancelled, and returns what was heard.
  /// - Parameters:
  ///   - bound: How long; nil until cancelled.
  ///   - ledger: what it is written into.
  ///   - news: told of each device that is heard for the first time, or in another life than before.
  /// - Throws: why listening could not begin, or ended by itself.
  func listen(
    on adapter: AdapterID, for bound: Duration?,
    in ledger: AirLedger = AirLedger(profiles: DeviceProfiles.all),
    news: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws(CentralError) -> AirLedger {
    let log = AirLog(ledger)
    try await listen(on: adapter, for: bound, into: log, news: news)
    return await log.air
  }

  /// The same into a log that others read meanwhile.
  func listen(
    on adapter: AdapterID, for bound: Duration?, into log: AirLog,
    news: @escaping @Sendable (AirLedger.Sighting) -> Void = { _ in }
  ) async throws(CentralError) {
    let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          try await central.listen(on: adapter) { (advertisements) throws(CentralError) in
            begun.finish()
            for try await advertisement in advertisements {
              if let sighting = await log.hear(advertisement) { news(sighting) }
            }
          }
          return nil
        } catch {
          return error.code == .cancelled ? nil : error
        }
      }
      if let bound {
        group.addTask {
          // The time counts from when the adapter scans: the stack may take a while until then.
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

/// What is heard, for those who ask while it goes on.
actor AirLog {
  /// What was heard so far.
  private(set) var air: AirLedger
  /// The last advertisements of the devices that are expected, of whatever family.
  private(set) var expected: [BluetoothAddress: Advertisement] = [:]
  private let expecting: Set<BluetoothAddress>
  private var hasEnded = false

  /// A log that begins with this.
  init(
    _ air: AirLedger = AirLedger(profiles: DeviceProfiles.all),
    expecting: some Sequence<BluetoothAddress> = []
  ) {
    self.air = air
    self.expecting = Set(expecting)
  }

  /// What was heard so far; nil once nobody scans any more.
  var current: AirLedger? { hasEnded ? nil : air }

  /// Says that the scan failed.
  func end() { hasEnded = true }

  /// Takes in what was heard; as `AirLedger.hear`.
  fileprivate func hear(_ advertisement: Advertisement) -> AirLedger.Sighting? {
    if expecting.contains(advertisement.address) { expected[advertisement.address] = advertisement }
    return air.hear(advertisement)
  }
}
