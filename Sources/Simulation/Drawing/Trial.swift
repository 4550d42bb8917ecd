public import Bluetooth
public import Model
public import VirtualBuilding
import VirtualTime

/// A building and what it goes through, all of it drawn from one seed: the seed is the whole story.
///
/// First faults: sensors that fail in all the ways there are, and runs among disturbances, some of which end with the
/// process. Then nothing is wrong any more, a person does what the outcomes ask for, and every room must get done.
public struct Trial: Sendable {
  /// What everything follows from.
  public let seed: UInt64
  /// The building, with all its rooms.
  public var building: Building
  /// What is in it.
  public var scenario: Scenario
  /// Sensors that are no room's, in the building or next door.
  public var strangers: Set<BluetoothAddress>
  /// How many conversations at once are allowed, over all adapters; nil: as many as there can be.
  public var parallel: Int?
  /// How long the survey at the start of each run listens.
  public var survey: Duration
  /// The runs of the faults phase, one after the other.
  public var runs: [Run]

  /// A run of the faults phase.
  public struct Run: Sendable {
    /// What happens meanwhile, by time.
    public var disturbances: [Disturbance] = []
    /// The event with which the process dies; nil: it lives.
    public var diesAt: Int?
    /// How much is left of what was not synced when it dies, 0…1.
    public var survivors = 1.0
    /// Rooms that it leaves out.
    public var skipped: Set<RoomID> = []
    /// Whether a person agrees with the proposed devices.
    public var isConfirmed = true
    /// More failures than this are too many; nil: none are.
    public var failureLimit: Int?
    /// Whether it goes on until every room is done or somebody stops it.
    public var isWatching = false
    /// How many rooms of each network are done first; nil: none.
    public var canaries: Int?
    /// Whether a person is content with these.
    public var areCanariesWell = true
    /// How long it is until the next run.
    public var pause: Duration = .seconds(10)
    /// The adapters that it is to use; all when empty.
    public var adapters: [AdapterReference] = []

    /// A run in which nothing happens.
    public init() {}
  }

  /// What goes wrong during the runs of the faults phase.
  public enum Disturbances: String, Sendable, CaseIterable {
    /// Everything there is: outages from 20 ms to 60 s, buttons, lost links, pauses of the host, interruptions, kills.
    case all
    /// Outages of an adapter or of the stack of 20 to 900 ms, and nothing else.
    case shortOutages = "short-outages"
  }

  /// The trial of a seed.
  /// - Parameter disturbances: what goes wrong during its runs.
  public init(seed: UInt64, disturbances: Disturbances = .all) {
    self.seed = seed
    let generator = SeededGenerator(seed: seed)
    var draft = Draft(generator.split("building"))
    draft.drawRooms()
    building = draft.building
    strangers = draft.strangers
    scenario = Scenario(
      seed: generator.split("world").seed, radio: .drawn(generator.split("radio")), adapters: draft.adapters,
      sensors: draft.sensors, wifiNetworks: draft.networks)
    scenario.bringIntoReach(draft.adapters)
    var manner = generator.split("manner")
    parallel = manner.chance(0.6) ? nil : manner.chance(0.3) ? 1 : Int.random(in: 2...8, using: &manner)
    survey = manner.duration(in: .seconds(5)...(.seconds(10)))
    runs =
      switch disturbances {
      case .all: Self.drawRuns(generator.split("runs"), building, scenario)
      case .shortOutages: Self.drawShortOutages(generator.split("outages"), building, scenario)
      }
  }

  /// A trial of one's own.
  /// - Parameter scenario: for each room a sensor, in the same order, which a person would say is the room's; then the
  ///   strangers.
  public init(
    seed: UInt64, building: Building, scenario: Scenario, parallel: Int? = nil,
    survey: Duration = .seconds(10), runs: [Run] = []
  ) {
    self.seed = seed
    self.building = building
    self.scenario = scenario
    self.parallel = parallel
    self.survey = survey
    self.runs = runs
    strangers = Set(scenario.sensors.dropFirst(building.rooms.count).map(\.address))
  }

  /// The seed of the building of this number, from 0, in the campaign of a seed. The first is the campaign's own: a
  /// campaign of one building has that of the seed it is given.
  public static func seed(_ number: Int, of campaign: UInt64) -> UInt64 {
    number == 0 ? campaign : SeededGenerator(seed: campaign).split("building/\(number)").seed
  }
}

extension Scenario {
  /// Has every sensor heard well by one adapter at least: who is out of reach for good is not healthy.
  fileprivate mutating func bringIntoReach(_ adapters: [AdapterScenario]) {
    let enough = -78
    for index in sensors.indices {
      let signal = signal(of: sensors[index])
      let strengths = adapters.compactMap { signal.rssi(on: $0.address) }
      guard strengths.allSatisfy({ $0 < enough }), let first = adapters.first else { continue }
      sensors[index].signal.perAdapter[first.address] = enough
    }
  }
}
