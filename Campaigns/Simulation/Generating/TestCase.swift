package import Bluetooth
package import Model
package import VirtualBuilding

/// A building and all its runs, generated from one seed.
///
/// The first phase has faults: sensors that fail in every known way, and runs with disturbances, some of
/// which kill the process. In the second phase nothing fails, the simulated operator does what the outcomes
/// require, and every room must become done.
package struct TestCase: Sendable {
  /// The seed that determines everything.
  package let seed: UInt64
  package var building: Building
  package let families: SimulatedFamilies
  /// The devices in the building.
  package var scenario: Scenario
  /// Sensors of no room, in the building or near it.
  package var strangers: Set<BluetoothAddress>
  /// The most GATT sessions at once, over all adapters; nil for as many as the adapters hold.
  package var parallel: Int?
  /// The longest scan time of the survey.
  package var survey: Duration
  package var runs: [Run]

  package struct Run: Sendable {
    /// The disturbances, by time.
    package var disturbances: [Disturbance] = []
    /// The event at which the process is killed; nil when it is not.
    package var diesAt: Int?
    /// The share of unsynced events that survive the kill, 0…1.
    package var survivors = 1.0
    /// The rooms that are not selected.
    package var skipped: Set<RoomID> = []
    /// The WiFi password that all rooms get before this run; nil for no change.
    package var newPassword: String?
    /// The rooms whose device is put into provisioning mode before this run.
    package var readied: Set<RoomID> = []
    /// Whether the operator confirms the proposed devices.
    package var isConfirmed = true
    /// How many rooms may fail; nil for no limit.
    package var failureLimit: Int?
    /// Whether the run watches.
    package var isWatching = false
    /// The number of first rooms of each network; nil for none.
    package var canaries: Int?
    /// Whether the operator approves the remaining rooms.
    package var areCanariesWell = true
    /// How far the host's clock is wrong, positive when it is ahead.
    package var clockError: Duration = .zero
    /// The time until the next run.
    package var pause: Duration = .seconds(10)
    /// The laptop, of two. Each has a record of its own.
    package var laptop = 0
    /// Whether the records of the laptops are merged before this run.
    package var isAfterMerge = false
    /// The adapters to use; all when empty.
    package var adapters: [AdapterReference] = []

    /// A run without disturbances.
    package init() {}
  }

  /// The disturbances during the faults phase.
  package enum Disturbances: String, Sendable, CaseIterable {
    /// Every kind: outages from 20 ms to 60 s, buttons, lost links, pauses of the host, interruptions, kills.
    case all
    /// Only outages of an adapter or of the stack of 20 to 900 ms.
    case shortOutages = "short-outages"
    /// All of them, with two laptops, whose records are merged now and then.
    case twoLaptops = "two-laptops"
    /// All of them, and sensors that return from a save with the address of another sensor.
    case sharedAddresses = "shared-addresses"
    /// All of them, with adapters of other hosts behind networks that are lost now and then.
    case severalHosts = "several-hosts"
  }

  /// The scenario of a seed.
  /// - Parameter disturbances: the disturbances during its runs.
  package init(seed: UInt64, families: SimulatedFamilies, disturbances: Disturbances = .all) {
    self.seed = seed
    self.families = families
    let generator = SeededGenerator(seed: seed)
    var rooms = BuildingGenerator(generator.split("building"), families)
    rooms.drawRooms()
    building = rooms.building
    strangers = rooms.strangers
    scenario = Scenario(
      seed: generator.split("world").seed, radio: .drawn(generator.split("radio")), adapters: rooms.adapters,
      sensors: rooms.sensors, wifiNetworks: rooms.networks)
    scenario.bringIntoReach(rooms.adapters)
    var manner = generator.split("manner")
    parallel = manner.chance(0.6) ? nil : manner.chance(0.3) ? 1 : Int.random(in: 2...8, using: &manner)
    survey = manner.duration(in: .seconds(5)...(.seconds(10)))
    runs =
      switch disturbances {
      case .all, .sharedAddresses, .severalHosts:
        Self.withWrongClocks(
          Self.drawRuns(generator.split("runs"), building, scenario), generator.split("clocks"))
      case .twoLaptops:
        Self.withTwoLaptops(
          Self.withWrongClocks(
            Self.drawRuns(generator.split("runs"), building, scenario, moreRuns: 3),
            generator.split("clocks")), generator.split("laptops"))
      case .shortOutages: Self.drawShortOutages(generator.split("outages"), building, scenario)
      }
    if disturbances == .sharedAddresses { drawSharedAddresses(generator.split("shared")) }
    if disturbances == .severalHosts { drawHosts(generator.split("hosts")) }
  }

  /// A scenario that is not random.
  /// - Parameter scenario: one sensor for each room, in the same order, which is the correct device of the
  ///   room; then the foreign devices.
  package init(
    seed: UInt64, families: SimulatedFamilies, building: Building, scenario: Scenario, parallel: Int? = nil,
    survey: Duration = .seconds(10), runs: [Run] = []
  ) {
    self.seed = seed
    self.families = families
    self.building = building
    self.scenario = scenario
    self.parallel = parallel
    self.survey = survey
    self.runs = runs
    strangers = Set(scenario.sensors.dropFirst(building.rooms.count).map(\.address))
  }

  /// The seed of a building, by its number from 0 in a campaign. Building 0 has the seed of the campaign, so
  /// a campaign of one building repeats it.
  package static func seed(_ number: Int, of campaign: UInt64) -> UInt64 {
    number == 0 ? campaign : SeededGenerator(seed: campaign).split("building/\(number)").seed
  }
}

extension Scenario {
  /// Ensures that at least one adapter receives each sensor well: a sensor that is permanently out of range
  /// is not healthy.
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
