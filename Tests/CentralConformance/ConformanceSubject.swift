public import Bluetooth
public import VirtualBuilding

/// A `Central` under examination, with the hands-on control over the world behind it. The world was made from
/// `ConformanceScenario.scenario`, or of other stuff after its example, and runs; the central speaks to it by
/// whatever road.
///
/// All waiting is on the clock that both live on, with bounds so wide that only a hang exceeds them.
public struct ConformanceSubject: Sendable {
  /// What is examined.
  public var central: any Central
  /// The world behind it.
  public var world: any WorldControl
  /// The clock of both.
  public var clock: any TimeSource

  /// A central and its world.
  public init(central: any Central, world: any WorldControl, clock: any TimeSource) {
    self.central = central
    self.world = world
    self.clock = clock
  }
}

/// The world that the checks expect.
public enum ConformanceScenario {
  /// The first adapter.
  public static let adapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_00))
  /// The second adapter.
  public static let otherAdapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_01))
  /// An adapter that there is not.
  public static let noAdapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_FF))

  static let healthy = sensor(1)
  static let dead = sensor(2)
  static let stale = sensor(3)
  static let dropsInDiscovery = sensor(4)
  static let refusesSubscription = sensor(5)
  static let rejectsMinor = sensor(6)
  static let failsToConnect = sensor(7)
  static let nobody = sensor(99)

  private static func sensor(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC4_7C_8D_00_00_00 + number)
  }

  /// The scenario with controllers that report further advertisements of a device as these say.
  public static func scenario(with duplicates: DuplicateFilter) -> Scenario {
    var scenario = scenario
    scenario.radio.duplicates = duplicates
    return scenario
  }

  /// Two adapters and a sensor for each purpose.
  public static let scenario = Scenario(
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
    ])
}

/// What a check found.
public struct ConformanceFailure: Error, CustomStringConvertible {
  /// What was expected, and what was found instead.
  public var description: String
}

/// One thing that every `Central` must do.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
  /// What it must do.
  public var description: String
  /// Examines a subject that nothing else uses.
  /// - Throws: `ConformanceFailure`; an error of the central where none should be.
  public var run: @Sendable (ConformanceSubject) async throws -> Void

  init(_ description: String, _ run: @escaping @Sendable (ConformanceSubject) async throws -> Void) {
    self.description = description
    self.run = run
  }

  /// What concerns scanning, which depends on what the controllers report.
  public static let scanning = listeningChecks

  /// Everything that can be checked on any central.
  public static let all =
    adapterChecks + listeningChecks + connectingChecks + attributeChecks + endingChecks
    + powerChecks
}
