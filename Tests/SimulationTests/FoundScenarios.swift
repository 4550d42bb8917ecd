import Bluetooth
import Families
import Model
import Simulation
import Testing
import VirtualBuilding

/// Defects that campaigns found, as minimal scenarios.
@Suite("Regressions from campaigns") struct FoundScenarios {
  private static let adapters = (0..<3).map {
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0)")
  }

  /// From seed 7100767399682243884.
  @Test(
    "a Firefly is searched for on an adapter that receives it, for any number of retries",
    arguments: [0, 4])
  func firefly(retries: Int) async {
    let settings: [SettingName: SettingValue] = [
      .control: .integer(1), .value: .integer(2), .range: .integer(3),
    ]
    let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
    let room = Room(
      id: "room-1", name: "Room 1", family: .firefly, address: address, settings: settings,
      timeouts: DeviceFamily.firefly.timeouts(for: settings), retries: retries)
    let far = SensorScenario(
      address: address, family: .firefly,
      signal: SignalStrength(base: nil, perAdapter: [Self.adapters[2].address: -60]))
    let result = await TestCase(
      seed: 1, families: .builtIn,
      building: Building(id: "house", name: "House", rooms: [room], families: FamilyCatalogue.builtIn),
      scenario: Scenario(seed: 1, adapters: Self.adapters, sensors: [far])
    ).play()
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.tally.runs == 1 && result.tally.outcomes == [.provisioned: 1])
  }

  /// The adapter was absent for 34 ms while the record of an attempt's start was being written.
  @Test(
    "an attempt that has not connected when its adapter is lost does not connect in the adapter's next session"
  )
  func lossBeforeConnecting() async {
    let result = await TestCase(seed: 5_608_380_842_144_577_465, families: .builtIn).play()
    #expect(result.violations.isEmpty, "\(result.violations)")
  }

  @Test(
    "a truthful record after a lost answer, a minor that the sensor swaps, and a room whose device the operator must not name",
    arguments: [6_216_796_853_422_405_547, 13_733_931_694_663_762_815, 15_029_829_131_056_918_303] as [UInt64]
  )
  func truth(_ seed: UInt64) async {
    let result = await TestCase(seed: seed, families: .builtIn).play()
    #expect(result.violations.isEmpty, "\(result.violations)")
  }

  /// The fourth connection failed on a controller that holds three links, and was charged to its sensor: without
  /// retries, three rooms were done in each run.
  @Test(
    "a controller that holds fewer links than usual fails no room",
    arguments: [
      (14_992_279_183_967_257_342, .all), (7_452_855_320_999_777_592, .sharedAddresses),
      (16_186_482_429_782_090_012, .sharedAddresses), (18_179_539_703_654_117_566, .all),
    ] as [(UInt64, TestCase.Disturbances)])
  func fewLinks(_ seed: UInt64, _ disturbances: TestCase.Disturbances) async {
    let result = await TestCase(seed: seed, families: .builtIn, disturbances: disturbances).play()
    #expect(result.violations.isEmpty, "\(result.violations)")
  }
}
