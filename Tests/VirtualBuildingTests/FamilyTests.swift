import Bluetooth
import Testing
import VirtualBuilding

@Suite("Families of virtual sensors")
struct FamilyTests {
  @Test("have names that differ, and faults and settings that do")
  func names() {
    #expect(Set(FirmwareFamily.all.map(\.name)).count == FirmwareFamily.all.count)
    for family in FirmwareFamily.all {
      #expect(FirmwareFamily[name: family.name]?.name == family.name)
      #expect(Set(family.allFaults.map(\.name)).count == family.allFaults.count, "\(family.name)")
      #expect(Set(family.settings.map(\.name)).count == family.settings.count, "\(family.name)")
    }
    #expect(FirmwareFamily[name: "robo_sensor"] == nil)
  }

  @Test("describe settings by characteristics that their devices have")
  func settings() {
    for family in FirmwareFamily.all {
      let characteristics = family.make(.init()).services.flatMap(\.characteristics).map(\.uuid)
      for setting in family.settings {
        #expect(characteristics.contains(setting.characteristic), "\(family.name): \(setting.name)")
      }
    }
  }

  @Test(
    "refuse a past that cannot be, by the name of what is wrong",
    arguments: [
      (["minor": "65536"], "minor"), (["minor": "-1"], "minor"), (["minor": ""], "minor"),
      (["minor": "1", "room_name": ""], "room_name"), (["major": "1", "minor": "1"], "major"),
      (["room_name": "Lobby"], "minor"),
    ])
  func impossible(_ holds: [String: String], _ setting: String) {
    let problem = #expect(throws: HoldingProblem.self) { try FirmwareFamily.roboSensor.encode(holds) }
    #expect(problem?.setting == setting)
    #expect(problem?.reason.isEmpty == false)
  }

  @Test("a Robo Sensor with a past is a beacon from the beginning, that nobody can connect to")
  func past() async throws {
    try await Building.run(change: { $0.sensors[0].holds = ["minor": "258", "room_name": "Lobby"] }) {
      (building) async throws in
      let flash = try #require(await building.world.flash(of: Building.sensor(1)))
      #expect(flash == Flash(values: ["minor": [1, 2], "room_name": Array("Lobby".utf8)], isSaved: true))
      #expect(flash.minor == 258)
      let heard = try #require(try await building.hear())
      #expect(heard.iBeacon?.minor == 258)
      let link = try await building.within(.seconds(20)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter).address
      }
      #expect(link == nil)
    }
  }

  @Test(
    "a link that is lost in a write is lost before the setting was taken, or after", arguments: [true, false])
  func drops(isTaken: Bool) async throws {
    let fault: Fault = .drops(in: isTaken ? .confirm(2) : .write(2))
    try await Building.run([[.init(fault, attempts: 1)]]) { (building) async throws in
      let first = try await Conversation(try await building.connect())
      let error = await #expect(throws: CentralError.self) { try await first.write(nil, nil, "Lobby", 7) }
      #expect(error?.code == .disconnected)
      #expect(await building.world.writeCount(of: Building.sensor(1)) == 2)
      // What it took is in its RAM: is the minor there, so that it can be told to save?
      let second = try await Conversation(try await building.connect())
      try await second.write(Array("SAVE".utf8), RoboSensorGATT.command)
      var statuses = second.statuses.makeAsyncIterator()
      let status = await statuses.next().map { String(decoding: $0.value, as: UTF8.self) }
      #expect(status == (isTaken ? "saved" : "error:incomplete"))
    }
  }
}
