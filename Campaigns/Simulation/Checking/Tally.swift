package import Model
import VirtualBuilding

/// The sums over a campaign.
package struct Tally: Hashable, Sendable {
  package var buildings = 0
  package var rooms = 0
  /// Runs, in both phases.
  package var runs = 0
  /// Runs whose process was killed.
  package var deaths = 0
  package var disturbances = 0
  package var events = 0
  /// The number of each outcome, over all runs.
  package var outcomes: [Outcome: Int] = [:]
  package var violations = 0
  package var virtualTime: Duration = .zero
  /// The longest time from the sighting of a healthy device to its attempt.
  package var longestWait: Duration = .zero

  /// A digest of every room's outcome in every run, which must be equal in each build of the program. It does
  /// not depend on the order of rooms that end at the same instant.
  package var digest: UInt64 = 0

  package init() {}

  package mutating func add(_ other: Tally) {
    buildings += other.buildings
    rooms += other.rooms
    runs += other.runs
    deaths += other.deaths
    disturbances += other.disturbances
    events += other.events
    outcomes.merge(other.outcomes) { $0 + $1 }
    violations += other.violations
    virtualTime += other.virtualTime
    longestWait = max(longestWait, other.longestWait)
    digest = digest &* 31 &+ other.digest
  }

  /// Adds the outcome of a room.
  mutating func add(_ finished: RoomFinished) {
    outcomes[finished.outcome, default: 0] += 1
    let words = "\(finished.room) \(finished.outcome) \(finished.reason?.code.rawValue ?? "")"
    digest = digest &+ SeededGenerator(seed: UInt64(runs)).split(words).seed
  }
}
