import Foundation
import Testing
import VirtualBuilding
import VirtualTime

@Suite("Killed at random instants, run after run, a building is done in the end", .timeLimit(.minutes(30)))
struct KillAtRandomTests {
  /// How many kills a seed is good for.
  private static let killsEach = 4
  /// About as long as a run takes on a busy machine: of an instant when all is done already nobody dies.
  private static let longest = Duration.milliseconds(2000)

  /// How many kills there are in all, and the first seed, can be said from outside: `make test-kill`.
  static let seeds: Range<Int> = {
    let first = number("KILL_SEED", otherwise: 1)
    return first..<(first + (number("KILLS", otherwise: 40) + killsEach - 1) / killsEach)
  }()

  private static func number(_ variable: String, otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? otherwise
  }

  /// Rooms have addresses with one seed, and take any sensor with the next.
  @Test(arguments: seeds)
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

  /// One building, from the factory until it is done. Returns how many of its runs were killed.
  private static func building(assign: String, killedAfter instants: [Duration]) async throws -> Int {
    let listen = assign == "any" ? 1 : 0.3
    return try await KilledBuilding.serve(
      [1, 2].map { ServedBuilding.sensor($0) }, assign: assign, listen: listen
    ) { killed in
      var kills = 0
      for instant in instants {
        let run = try await killed.run { process in
          // No condition ends this: a random instant is what is wanted.
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
