import Bluetooth
import Families
import Model
import Testing

@Suite("a building") struct BuildingTests {
  private static func building(
    _ assignment: Building.Assignment, family: DeviceFamily = .roboSensor,
    adapters: [AdapterDescription] = [], _ change: (inout Room) -> Void = { _ in }
  ) -> Building {
    var room = Room(
      id: "r", name: "R", family: family, settings: [:], timeouts: StageTimeouts(), retries: 0)
    change(&room)
    return Building(
      id: "b", name: "B", assignment: assignment, adapters: adapters, rooms: [room], families: .builtIn)
  }

  @Test("a device that is proposed needs a confirmation, one that is named does not")
  func confirmation() {
    let named: [(inout Room) -> Void] = [
      { $0.address = BluetoothAddress(rawValue: 1) }, { $0.deviceName = "PROV_1" },
      { $0.isRegistered = true },
    ]
    #expect(Self.building(.any).needsConfirmation)
    #expect(Self.building(.address) { $0.near = "hci0" }.needsConfirmation)
    for name in named {
      #expect(!Self.building(.any, name).needsConfirmation)
      let near = Self.building(.address) { room in
        room.near = "hci0"
        name(&room)
      }
      #expect(!near.needsConfirmation)
    }
    #expect(!Self.building(.address).needsConfirmation)
    #expect(
      !Self.building(.any, family: .firefly).needsConfirmation, "it has no identity, so none is proposed")
  }

  @Test("an adapter has the fewest slots of its descriptions, and the alias of the first one")
  func adapters() throws {
    let host = try #require(HostName("gw1"))
    let address = BluetoothAddress(rawValue: 0x001A_7DDA_7113)
    let building = Self.building(
      .address,
      adapters: [
        AdapterDescription("hci0", alias: "east", slots: 7),
        AdapterDescription("00:1A:7D:DA:71:13", alias: "west", slots: 5), AdapterDescription("gw1", slots: 3),
      ])
    let own = Adapter(id: AdapterID(address), name: "hci0", state: .ready)
    #expect(building.slots(of: own) == 5 && building.description(of: own)?.alias == "east")
    let remote = Adapter(id: AdapterID(address, on: host), name: "gw1/hci0", state: .ready)
    #expect(building.slots(of: remote) == 3)
    let other = Adapter(id: AdapterID(BluetoothAddress(rawValue: 1)), name: "hci1", state: .ready)
    #expect(building.slots(of: other) == nil && building.description(of: other) == nil)
    #expect(building.adapter(named: "west") == "00:1A:7D:DA:71:13" && building.adapter(named: "x") == "x")
    #expect(AdapterReference("gw1/hci0").host == host && AdapterReference("/gw1").host == nil)
    #expect(building.adapters[1].title == "west" && building.adapters[2].title == nil)
  }
}
