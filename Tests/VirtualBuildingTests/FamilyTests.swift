import Bluetooth
import Testing
import VirtualBuilding

@Suite("Families of virtual sensors")
struct FamilyTests {
  @Test("families, their faults and their settings have unique names")
  func names() {
    #expect(Set(FirmwareFamily.all.map(\.name)).count == FirmwareFamily.all.count)
    for family in FirmwareFamily.all {
      #expect(FirmwareFamily.all[name: family.name]?.name == family.name)
      #expect(Set(family.allFaults.map(\.name)).count == family.allFaults.count, "\(family.name)")
      #expect(Set(family.settings.map(\.name)).count == family.settings.count, "\(family.name)")
    }
    #expect(FirmwareFamily.all[name: "robo_sensor"] == nil)
  }

  @Test("each setting's characteristic exists on the family's devices")
  func settings() {
    for family in FirmwareFamily.all {
      let all = family.make(.init()).services.flatMap(\.characteristics)
      // What encrypted writes say has characteristics of its own (`FirmwareEffect.took`).
      if all.contains(where: \.isEncrypted) { continue }
      let characteristics = all.map(\.uuid)
      for setting in family.settings {
        #expect(characteristics.contains(setting.characteristic), "\(family.name): \(setting.name)")
      }
    }
  }

  @Test(
    "invalid initial values are refused with the name of the setting",
    arguments: [
      (["minor": "65536"], "minor"), (["minor": "-1"], "minor"), (["minor": ""], "minor"),
      (["minor": "1", "room_name": ""], "room_name"), (["major": "1", "minor": "1"], "major"),
      (["room_name": "Lobby"], "minor"),
    ])
  func impossible(_ holds: [String: String], _ setting: String) {
    let problem = #expect(throws: ScenarioProblem.self) { try FirmwareFamily.roboSensor.encode(holds) }
    #expect(problem?.key == setting)
    #expect(problem?.reason.isEmpty == false)
  }

  @Test("a Robo Sensor with initial values is a beacon that cannot be connected to")
  func past() async throws {
    try await Building.run(change: { $0.sensors[0].holds = ["minor": "258", "room_name": "Lobby"] }) {
      (building) async throws in
      let flash = try #require(await building.world.flash(of: Building.sensor(1)))
      #expect(flash == Flash(values: ["minor": [1, 2], "room_name": Array("Lobby".utf8)], isSaved: true))
      #expect(flash.minor == 258)
      let received = try #require(try await building.receive())
      #expect(received.iBeacon?.minor == 258)
      let refusal = await #expect(throws: CentralError.self) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(refusal?.code == .peripheralUnknown, "the stack removes it with the end of the scan")
    }
  }

  @Test(
    "a link that is lost during a write is lost before or after the setting was accepted",
    arguments: [true, false])
  func drops(isTaken: Bool) async throws {
    let fault: Fault = .drops(in: isTaken ? .confirm(2) : .write(2))
    try await Building.run([[.init(fault, attempts: 1)]]) { (building) async throws in
      let first = try await TypedSession(try await building.connect())
      let error = await #expect(throws: CentralError.self) { try await first.write(nil, nil, "Lobby", 7) }
      #expect(error?.code == .disconnected)
      #expect(await building.world.writeCount(of: Building.sensor(1)) == 2)
      // An accepted value is in RAM; `SAVE` succeeds only if the minor is there.
      let second = try await TypedSession(try await building.connect())
      try await second.write(Array("SAVE".utf8), RoboSensorGATT.command)
      var statuses = second.statuses.makeAsyncIterator()
      let status = await statuses.next().map { String(decoding: $0.value, as: UTF8.self) }
      #expect(status == (isTaken ? "saved" : "error:incomplete"))
    }
  }
}
