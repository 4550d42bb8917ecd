import Bluetooth
import Families
import Model
import Simulation
import Testing
import VirtualBuilding

/// What campaigns have found, told as short as it can be.
@Suite("Found by campaigns") struct FoundStories {
  private static let adapters = (0..<3).map {
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0)")
  }

  /// From seed 7100767399682243884.
  @Test("a Firefly is searched through an adapter that hears it, whatever its retries", arguments: [0, 4])
  func firefly(retries: Int) async {
    let settings: [SettingName: SettingValue] = [
      .control: .integer(1), .value: .integer(2), .range: .integer(3),
    ]
    let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
    let room = Room(
      id: "room-1", name: "Room 1", profile: "firefly", address: address, settings: settings,
      timeouts: Firefly().timeouts(for: settings), retries: retries)
    let far = SensorScenario(
      address: address, family: .firefly,
      signal: Signal(base: nil, perAdapter: [Self.adapters[2].address: -60]))
    let result = await Trial(
      seed: 1, building: Building(id: "house", name: "House", rooms: [room]),
      scenario: Scenario(seed: 1, adapters: Self.adapters, sensors: [far])
    ).play()
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.tally.runs == 1 && result.tally.outcomes == [.provisioned: 1])
  }
}
