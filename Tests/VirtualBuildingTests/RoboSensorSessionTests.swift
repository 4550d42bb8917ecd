import Bluetooth
import Testing
import VirtualBuilding

@Suite("Provisioning of a Robo Sensor")
struct RoboSensorSessionTests {
  @Test("a Robo Sensor is provisioned, from its name on air to its iBeacon")
  func whole() async throws {
    try await Building.run { (building) async throws in
      let advertisement = try #require(try await building.receive())
      #expect(advertisement.localName == "Robo Sensor")
      #expect(advertisement.serviceUUIDs.isEmpty)
      #expect(advertisement.iBeacon == nil)

      let peripheral = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      let session = try await TypedSession(peripheral)
      #expect(session.statusRead == "ready")
      try await session.write("Lobby WiFi", "correct horse", "Lobby", 0x0102)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
      #expect(try await session.save() == ["saved"])
      #expect(await peripheral.disconnection()?.cause == .remote)

      let flash = try #require(await building.world.flash(of: Building.sensor(1)))
      #expect(flash.isSaved)
      #expect(flash.ssid == "Lobby WiFi")
      #expect(flash.password == "correct horse")
      #expect(flash.roomName == "Lobby")
      #expect(flash.minor == 0x0102)

      let proof = try #require(try await building.receive { $0.iBeacon != nil })
      #expect(proof.localName == nil)
      #expect(
        proof.iBeacon
          == IBeacon(
            uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 1, minor: 0x0102, measuredPower: -59))
      #expect(await building.world.openLinkCount() == 0)
    }
  }

  @Test("every write to a Robo Sensor is recorded with its address")
  func trace() async throws {
    try await Building.run { (building) async throws in
      let session = try await TypedSession(try await building.connect())
      try await session.write(nil, nil, "Lobby", 7)
      _ = try await session.save()
      let writes = await building.world.writes
      #expect(
        writes.map(\.characteristic) == [
          RoboSensorGATT.roomName, RoboSensorGATT.minor, RoboSensorGATT.command,
        ])
      #expect(writes.map(\.value) == [Array("Lobby".utf8), [0, 7], Array("SAVE".utf8)])
      #expect(
        writes.allSatisfy { $0.address == Building.sensor(1) && $0.adapter == Building.adapter.address })
    }
  }

  @Test("a provisioned Robo Sensor cannot be connected to until its button is pressed")
  func button() async throws {
    try await Building.run { (building) async throws in
      let session = try await TypedSession(try await building.connect())
      try await session.write(nil, nil, "Lobby", 7)
      _ = try await session.save()
      try await building.receive { $0.iBeacon?.minor == 7 }
      let refusal = await #expect(throws: CentralError.self) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(refusal?.code == .peripheralUnknown, "the stack removes it with the end of the scan")
      await building.world.pressButton(Building.sensor(1))
      try await building.receive { $0.localName == "Robo Sensor" }
      _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      #expect(await building.world.openLinkCount() == 1)
    }
  }
}
