import BlueZ
import Bluetooth
import DBus
import Foundation
import Model
import VirtualBuilding
import VirtualTime

/// The road to the radio that a command asked for: the system's BlueZ, or a virtual building's.
enum Radio {
  /// What a command works with.
  struct Setup: Sendable {
    var central: any Central
    /// Monotonic time; in a rehearsal it runs as many times faster than life as the scenario says.
    var clock: any TimeSource
    /// Wall-clock time that goes with `clock`.
    var wall: @Sendable () -> Date
    /// Times in which this host did nothing; none in a rehearsal.
    var pauses: AsyncStream<HostPause>
  }

  /// Runs `body` with the system's radio and leaves it in order, whatever `body` does.
  /// - Throws: `CommandFailure` when there is no radio; what `body` throws.
  static func withSystem<Result: Sendable>(
    _ body: @escaping @Sendable (Setup) async throws -> Result
  ) async throws -> Result {
    try await attempting { try await body(required($0)) }
  }

  /// The same with the radio that the options ask for.
  /// - Parameter subject: what to rehearse where no scenario is given.
  /// - Throws: as `withSystem`.
  static func with<Result: Sendable>(
    _ options: SimulationOptions, rehearsing subject: Rehearsal.Subject?,
    _ body: @escaping @Sendable (Setup) async throws -> Result
  ) async throws -> Result {
    try await attempting(options, rehearsing: subject) { try await body(required($0)) }
  }

  /// The same, where `body` goes on without a radio: it is given the reason why there is none.
  /// - Throws: `CommandFailure` for a virtual building that cannot be served; what `body` throws.
  static func attempting<Result: Sendable>(
    _ options: SimulationOptions, rehearsing subject: Rehearsal.Subject?,
    _ body: @escaping @Sendable (Swift.Result<Setup, CentralError>) async throws -> Result
  ) async throws -> Result {
    guard options.simulate else { return try await attempting(body) }
    let rehearsal = try Rehearsal(options, of: subject)
    return try await rehearsal.serving { bus in
      // In a rehearsal both clocks run at its pace, so that times in reports are those of the building.
      let begin = Date()
      let zero = bus.clock.now
      return try await using(
        .address(bus.address), clock: bus.clock,
        wall: { begin.addingTimeInterval(zero.duration(to: bus.clock.now).inSeconds) },
        pauses: AsyncStream { $0.finish() }, body)
    }
  }

  private static func attempting<Result: Sendable>(
    _ body: @escaping @Sendable (Swift.Result<Setup, CentralError>) async throws -> Result
  ) async throws -> Result {
    let clock = SteadyClock()
    let pauses = HostPauses.stream {
      // Looked at each second, the clock notices when it was not.
      _ = clock.now
      return HostClocks.now()
    }
    return try await using(.system, clock: clock, wall: { Date() }, pauses: pauses, body)
  }

  private static func required(_ opened: Swift.Result<Setup, CentralError>) throws -> Setup {
    switch opened {
    case .success(let setup): return setup
    case .failure(let error): throw RadioTrouble.failure(error)
    }
  }

  private static func using<Result: Sendable>(
    _ bus: BusAddress, clock: any TimeSource, wall: @escaping @Sendable () -> Date,
    pauses: AsyncStream<HostPause>,
    _ body: @Sendable (Swift.Result<Setup, CentralError>) async throws -> Result
  ) async throws -> Result {
    let central: ReconnectingCentral
    do throws(CentralError) {
      central = try await ReconnectingCentral.open(bus: bus, clock: clock)
    } catch {
      return try await body(.failure(error))
    }
    do {
      let result = try await body(
        .success(Setup(central: central, clock: clock, wall: wall, pauses: pauses)))
      await central.close()
      return result
    } catch {
      await central.close()
      throw error
    }
  }
}
