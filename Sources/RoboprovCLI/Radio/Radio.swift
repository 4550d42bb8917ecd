import BlueZ
import Bluetooth
import DBus
import EventLoop
import FoundationEssentials
import Model
import Synchronization
import VirtualBuilding
import VirtualTime

/// Opens the Bluetooth stack for a command: the system's BlueZ, or that of a virtual building.
enum Radio {
  /// The stack and the clocks of a command.
  struct Setup: Sendable {
    var central: any Central
    /// Monotonic time; in a rehearsal that of the virtual building.
    var clock: any TimeSource
    /// Wall-clock time, at the pace of `clock`.
    var wall: @Sendable () -> Date
    /// Random numbers of 0...1; in a rehearsal they follow from its seed.
    var chance: @Sendable () -> Double
    /// Pauses of this host; none in a rehearsal.
    var pauses: AsyncStream<HostPause>
  }

  /// Runs `body` with the system's radio, and closes it whatever `body` does.
  /// - Throws: `CommandFailure` if there is no radio; what `body` throws.
  static func withSystem<Result: Sendable>(
    _ body: @escaping @Sendable (Setup) async throws -> Result
  ) async throws -> Result {
    try await attempting { try await body(required($0)) }
  }

  /// The same with the radio that the options select.
  /// - Parameters:
  ///   - subject: The building to rehearse if there is no scenario.
  ///   - pace: The pace of a rehearsal.
  /// - Throws: As `withSystem`.
  static func with<Result: Sendable>(
    _ options: SimulationOptions, rehearsing subject: Rehearsal.Subject?, at pace: Rehearsal.Pace = .virtual,
    _ body: @escaping @Sendable (Setup) async throws -> Result
  ) async throws -> Result {
    try await attempting(options, rehearsing: subject, at: pace) { try await body(required($0)) }
  }

  /// The same, but `body` also runs without a radio, and receives the error.
  /// - Throws: `CommandFailure` for an unusable scenario; what `body` throws.
  static func attempting<Result: Sendable>(
    _ options: SimulationOptions, rehearsing subject: Rehearsal.Subject?, at pace: Rehearsal.Pace = .virtual,
    _ body: @escaping @Sendable (Swift.Result<Setup, CentralError>) async throws -> Result
  ) async throws -> Result {
    guard options.simulate else { return try await attempting(body) }
    let rehearsal = try Rehearsal(options, of: subject)
    return try await rehearsal.serving(at: pace) { building in
      // In a rehearsal both clocks show its time, so that times in reports are those of the building.
      let begin = Surroundings.now
      let clock = building.clock
      let zero = clock.now
      let random = Mutex(SeededGenerator(seed: rehearsal.scenario.seed).split("run"))
      return try await using(
        building.daemon.busAddress, clock: clock,
        wall: { begin.addingTimeInterval(zero.duration(to: clock.now).inSeconds) },
        chance: { random.withLock { Double.random(in: 0...1, using: &$0) } },
        pauses: AsyncStream { $0.finish() }, body)
    }
  }

  private static func attempting<Result: Sendable>(
    _ body: @escaping @Sendable (Swift.Result<Setup, CentralError>) async throws -> Result
  ) async throws -> Result {
    if let surroundings = Surroundings.current {
      // The process of other surroundings does not stop with the command.
      return try await using(
        surroundings.bus, clock: SystemClock(), wall: surroundings.wall, chance: { 0.5 },
        pauses: AsyncStream { $0.finish() },
        body)
    }
    let clock = SteadyClock()
    let pauses = HostPauses.stream {
      // A reading each second lets the clock detect the times in which this process did not run.
      _ = clock.now
      return HostClocks.now()
    }
    return try await using(
      .system, clock: clock, wall: { Date() }, chance: { Double.random(in: 0...1) }, pauses: pauses, body)
  }

  private static func required(_ opened: Swift.Result<Setup, CentralError>) throws -> Setup {
    switch opened {
    case .success(let setup): return setup
    case .failure(let error): throw RadioMessages.failure(error)
    }
  }

  private static func using<Result: Sendable>(
    _ bus: BusAddress, clock: any TimeSource, wall: @escaping @Sendable () -> Date,
    chance: @escaping @Sendable () -> Double, pauses: AsyncStream<HostPause>,
    _ body: @Sendable (Swift.Result<Setup, CentralError>) async throws -> Result
  ) async throws -> Result {
    let central: ReconnectingCentral
    do throws(CentralError) {
      central = try await ReconnectingCentral.open(
        bus: bus, clock: clock, log: LogLevel.logger(Preferences.current.logLevel))
    } catch {
      return try await body(.failure(error))
    }
    do {
      let result = try await body(
        .success(Setup(central: central, clock: clock, wall: wall, chance: chance, pauses: pauses)))
      await central.close()
      return result
    } catch {
      await central.close()
      throw error
    }
  }
}
