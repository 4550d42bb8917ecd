package import Bluetooth
package import VirtualBuilding

/// A `Central` under test, with control over the world behind it. The world was created from
/// `ConformanceScenario.scenario`, or corresponds to it, and runs. The central may reach it in any way.
///
/// All waits use the clock of both. The time limits are so long that only an operation that hangs exceeds
/// them.
package struct ConformanceSubject: Sendable {
  /// The central under test.
  package var central: any Central
  /// The world behind it.
  package var world: any WorldControl
  /// The clock of the central and the world.
  package var clock: any TimeSource

  /// By how much an advertisement may count as received before it was: its time is not known behind a network.
  package var lateness = Duration.zero

  package init(central: any Central, world: any WorldControl, clock: any TimeSource) {
    self.central = central
    self.world = world
    self.clock = clock
  }
}

/// The world that the checks expect.
package enum ConformanceScenario {
  package static let adapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_00))
  package static let otherAdapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_01))
  /// An adapter that does not exist.
  package static let noAdapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_FF))

  static let healthy = sensor(1)
  static let dead = sensor(2)
  static let stale = sensor(3)
  static let dropsInDiscovery = sensor(4)
  static let refusesSubscription = sensor(5)
  static let rejectsMinor = sensor(6)
  static let failsToConnect = sensor(7)
  static let described = sensor(8)
  static let nobody = sensor(99)

  static let justWorks = sensor(11)
  /// It has the passkey 012345.
  static let labelled = sensor(12)
  /// It pairs only for a while after its start, which is over.
  static let closed = sensor(13)
  /// It does not answer the messages of pairing.
  static let mute = sensor(14)
  /// It cannot pair.
  static let unpairable = healthy

  private static func sensor(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC4_7C_8D_00_00_00 + number)
  }

  /// The scenario with controllers that handle repeated advertisements in this way.
  package static func scenario(with duplicates: DuplicateFilter) -> Scenario {
    var scenario = scenario
    scenario.radio.duplicates = duplicates
    return scenario
  }

  /// Two adapters, and a sensor for each purpose.
  package static let scenario = Scenario(
    seed: 1,
    adapters: [
      AdapterScenario(address: adapter.address, name: "hci0"),
      AdapterScenario(address: otherAdapter.address, name: "hci1"),
    ],
    sensors: [
      SensorScenario(address: healthy),
      SensorScenario(address: dead, faults: [.init(.neverAnswers)]),
      SensorScenario(address: stale, faults: [.init(.staleAttributes)]),
      SensorScenario(address: dropsInDiscovery, faults: [.init(.drops(in: .discover))]),
      SensorScenario(address: refusesSubscription, faults: [.init(.refusesSubscription)]),
      SensorScenario(
        address: rejectsMinor, faults: [.init(.rejectsWrite(to: RoboSensorGATT.minor, code: 0x80))]),
      SensorScenario(address: failsToConnect, faults: [.init(.drops(in: .connect))]),
      SensorScenario(address: described, family: .described),
    ])
}

extension ConformanceScenario {
  /// The same with devices that pair.
  package static let pairing: Scenario = {
    var scenario = ConformanceScenario.scenario
    let rules: [BluetoothAddress: PairingRules] = [
      justWorks: PairingRules(), labelled: PairingRules(passkey: 12_345),
      closed: PairingRules(isOpen: false), mute: PairingRules(isAnswering: false),
    ]
    scenario.sensors += rules.sorted { $0.key < $1.key }
      .map { SensorScenario(address: $0.key, family: .pairing($0.value)) }
    return scenario
  }()
}

/// A failed check.
package struct ConformanceFailure: Error, CustomStringConvertible {
  /// The expectation, and the actual behaviour.
  package var description: String
}

/// A requirement for every `Central`.
package struct ConformanceCheck: Sendable, CustomStringConvertible {
  /// The requirement.
  package var description: String
  /// Tests a subject that no other check uses at the same time.
  /// - Throws: `ConformanceFailure`, or an unexpected error of the central.
  package var run: @Sendable (ConformanceSubject) async throws -> Void

  init(_ description: String, _ run: @escaping @Sendable (ConformanceSubject) async throws -> Void) {
    self.description = description
    self.run = run
  }

  /// The checks for scanning, which depends on the reports of the controllers.
  package static let scanning = scanChecks

  /// All checks, except those of `pairing`.
  package static let all =
    adapterChecks + scanChecks + connectingChecks + attributeChecks + endingChecks
    + powerChecks
}
