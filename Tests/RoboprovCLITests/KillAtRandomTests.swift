import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a building is provisioned although its runs are killed at random instants", .timeLimit(.minutes(60)))
struct KillAtRandomTests {
  /// The number of kills per seed.
  private static let killsEach = 4
  /// About the duration of a run on a busy machine: an instant after the end of the run kills nothing.
  private static let longest = Duration.milliseconds(2000)

  /// `make test-kill` sets the total number of kills and the first seed.
  static let seeds: Range<Int> = {
    let first = number("KILL_SEED", otherwise: 1)
    return first..<(first + (number("KILLS", otherwise: 10) + killsEach - 1) / killsEach)
  }()

  private static func number(_ variable: String, otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? otherwise
  }

  /// Rooms have addresses with every second seed, and take any sensor with the others.
  @Test("killed runs leave a true record, and later runs complete the building", arguments: seeds)
  func history(seed: Int) async throws {
    let assign = seed.isMultiple(of: 2) ? "any" : "address"
    var generator = SeededGenerator(seed: UInt64(seed))
    var kills = 0
    while kills < Self.killsEach {
      let instants = (kills..<Self.killsEach).map { _ in
        generator.duration(in: .zero...Self.longest)
      }
      kills += try await Self.building(assign: assign, killedAfter: instants)
    }
  }

  /// Runs one building from factory settings until it is done. Returns the number of killed runs.
  private static func building(assign: String, killedAfter instants: [Duration]) async throws -> Int {
    let scanTime = assign == "any" ? 1 : 0.3
    return try await KilledBuilding.serve(
      [1, 2].map { ServedBuilding.sensor($0) }, assign: assign, scanTime: scanTime
    ) { killed in
      var kills = 0
      for instant in instants {
        let run = try await killed.run { process in
          // This waits for no condition, because the instant must be random.
          try await Task.sleep(for: instant)
          process.send(SIGKILL)
        }
        guard run.wasKilled else { break }
        kills += 1
      }
      try await killed.runUntilDone()
      return kills
    }
  }
}
