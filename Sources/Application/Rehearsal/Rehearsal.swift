import DBus
import EventLoop
import Glibc
import Host
package import Model
import ScenarioFiles
package import VirtualBuilding
import YAML

/// A virtual building, and its speed.
package struct Rehearsal: Sendable {
  package var scenario: Scenario
  /// The speed as a multiple of real time.
  package var speed: Double

  /// How fast the time of a rehearsal passes.
  package enum Pace: Sendable {
    /// In virtual time, as fast as the machine computes. What happens follows from the scenario and its seed alone.
    case virtual
    /// At the scenario's speed, for a person who watches or takes part.
    case watched
  }

  /// What a person chose to rehearse on.
  package struct Choice: Sendable {
    /// The scenario's file; nil for a building without faults.
    var scenario: String?
    /// What everything random follows from; nil for the scenario's.
    var seed: UInt64?

    package init(scenario: String? = nil, seed: UInt64? = nil) {
      (self.scenario, self.seed) = (scenario, seed)
    }
  }

  /// The chosen scenario, or a building without faults.
  /// - Throws: `CommandFailure`.
  init(_ choice: Choice, of subject: KnownBuilding?) throws {
    if let file = choice.scenario {
      self = try Self.load(file, seed: choice.seed, of: subject?.building)
    } else if let subject {
      scenario = try Scenario(healthy: subject.building, subject.known, seed: choice.seed ?? 1)
      speed = 10
    } else {
      throw CommandFailure(
        .usage, "--simulate needs a scenario, because there is no manifest", advice: "Give --scenario FILE.")
    }
  }

  private init(scenario: Scenario, speed: Double) {
    self.scenario = scenario
    self.speed = speed
  }

  /// Reads a scenario's file.
  /// - Parameter building: a building whose families its devices may be of, in addition to those of the program.
  /// - Throws: `CommandFailure`.
  package static func load(_ file: String, seed: UInt64?, of building: Building? = nil) throws -> Rehearsal {
    let reading = ScenarioReading(
      try InputFile.read(file, atMost: YAMLParser.maximumBytes).bytes, file: file,
      families: building?.firmware ?? BuiltIn.firmware)
    guard var scenario = reading.scenario else {
      Messages.show(findings: reading.rendered(isColored: Surroundings.hasColor(STDERR_FILENO)))
      throw CommandFailure(
        .manifest, "\(file) cannot be used as a scenario",
        advice: "Correct what is reported above, then run the same command again.")
    }
    if let seed { scenario.seed = seed }
    return Rehearsal(scenario: scenario, speed: reading.speed)
  }

  /// Serves the building to this process while `body` runs.
  /// - Throws: What `body` throws.
  func serving<Result: Sendable>(
    at pace: Pace, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    switch pace {
    case .virtual: try await ServedBuilding.serveInVirtualTime(scenario, body)
    case .watched: try await ServedBuilding.serve(scenario, on: clock, bus: LocalBus(), body)
    }
  }

  /// Serves the building to other programs, on a bus of its own, while `body` runs.
  /// - Throws: `CommandFailure` if no bus can be started; what `body` throws.
  package func servingPrograms(_ body: @escaping @Sendable (ServedBuilding) async throws -> Void) async throws
  {
    do {
      try await ServedBuilding.serve(scenario, on: clock, body)
    } catch let error as DBusDaemonError {
      throw Self.failure(error)
    } catch let error as DBusError {
      throw CommandFailure(
        .unavailable, "the bus of the virtual building has ended (\(error))",
        advice: "Its dbus-daemon was stopped. Run the command again.")
    }
  }

  private var clock: ScaledClock { ScaledClock(SystemClock(), factor: speed) }

  private static func failure(_ error: DBusDaemonError) -> CommandFailure {
    switch error {
    case .notInstalled(let program, let reason):
      CommandFailure(
        .unavailable, "\(program) cannot be started: \(reason)",
        advice: "A virtual building needs it: `sudo apt-get install dbus-daemon`.")
    case .noDirectory(let path, let reason):
      CommandFailure(.unavailable, "no bus can be made in \(path): \(reason)")
    case .failedToStart(let reason):
      CommandFailure(.unavailable, "dbus-daemon cannot start: \(reason)")
    }
  }
}
