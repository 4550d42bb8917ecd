public import Model
import VirtualTime

/// What a campaign has gone through so far.
public struct Tally: Hashable, Sendable {
  /// Buildings.
  public var buildings = 0
  /// Rooms in them.
  public var rooms = 0
  /// Runs, in both phases.
  public var runs = 0
  /// Runs whose process died.
  public var deaths = 0
  /// Things that happened to runs.
  public var disturbances = 0
  /// Events on record.
  public var events = 0
  /// How rooms ended, run by run.
  public var outcomes: [Outcome: Int] = [:]
  /// What must never be, and was.
  public var violations = 0
  /// Virtual time that went by.
  public var virtualTime: Duration = .zero
  /// The longest that a device that was heard, and with which nothing was wrong, waited for its turn.
  public var longestWait: Duration = .zero

  /// A digest of every room's outcome in every run: what must be the same in each build of the program. Who of two that
  /// end at one instant is told first is nobody's business.
  public var digest: UInt64 = 0

  /// Nothing yet.
  public init() {}

  /// Takes in another.
  public mutating func add(_ other: Tally) {
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

  /// Takes in the outcome of a room.
  mutating func add(_ finished: RoomFinished) {
    outcomes[finished.outcome, default: 0] += 1
    let words = "\(finished.room) \(finished.outcome) \(finished.reason?.code.rawValue ?? "")"
    digest = digest &+ SeededGenerator(seed: UInt64(runs)).split(words).seed
  }
}
