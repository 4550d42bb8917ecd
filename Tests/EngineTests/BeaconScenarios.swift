import Bluetooth
import Engine
import Families
import Model
import Simulation
import SampleFacts
import Testing
import VirtualBuilding

private typealias GATT = IoTDesignShopGATT

/// A beacon can always be written again: which writes it gets, and which it does not.
@Suite("IoT Design Shop beacons") struct BeaconScenarios {
  private static let everything = [GATT.transmission, GATT.beaconID, GATT.beaconUUID]

  @Test("a factory-fresh beacon gets its settings, each is read back, and its advertisement proves them")
  func fresh() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await succession([Sample.beaconDevice(1)]) { succession in
      let run = await succession.run([room]).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .provisioned && finished.attempts == 1)
      #expect(finished.evidence?.grade == .freshBeacon)
      #expect(finished.evidence?.address == Sample.address(1))
      #expect(
        finished.settings.map { "\($0.name) \($0.value ?? "") \($0.state.rawValue)" } == [
          "uuid 4D6F6F72-0000-4C61-6D70-000000000001 proved", "major 258 proved", "minor 1 proved",
          "power medium proved", "interval 500ms proved",
        ])
      // Little-endian, UUID in its own order; the UUID is last, since it decides whether a beacon counts as
      // new.
      #expect(run.written(1) == Self.everything)
      #expect(
        run.writes.map(\.value) == [[1, 0, 0x20, 0x03], [0x02, 0x01, 0x01, 0x00], Sample.site.bytes])
      let read = run.facts { if case .settingsRead(let fact) = $0 { fact } else { nil } }.map(\.1)
      #expect(
        read.map { $0.settings.map { "\($0.name) \($0.value)" } } == [
          ["uuid \(GATT.service)", "major 0", "minor 0", "power high", "interval 1s"]
        ])
    }
  }

  @Test("a provisioned beacon is not written by the next run, whether it is received or only on record")
  func twice() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await succession([Sample.beaconDevice(1)]) { succession in
      _ = await succession.run([room])
      for isReceived in [true, false] {
        await succession.world.setMuted(!isReceived, Sample.address(1))
        let run = await succession.run([room]).expectInvariants()
        let finished = try #require(run.outcome(1))
        #expect(finished.outcome == .alreadyProvisioned && finished.attempts == 0)
        #expect(finished.evidence?.grade == .beaconOnAir)
        #expect(finished.evidence?.run == (isReceived ? nil : "run-2"), "the run that received it last")
        #expect(finished.settings.allSatisfy { $0.state == .proved })
        #expect(run.writes.isEmpty && run.connected.isEmpty)
      }
    }
  }

  @Test("a beacon with the wanted identity and no record is read, not written, and then on record")
  func emptyRecord() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await succession([Sample.beaconDevice(1, holds: Sample.done(room))]) { succession in
      let run = await succession.run([room]).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .alreadyProvisioned && finished.attempts == 1)
      #expect(finished.evidence?.grade == .beaconOnAir && finished.evidence?.secondsAfterSave == nil)
      #expect(finished.settings.count == 5 && finished.settings.allSatisfy { $0.state == .proved })
      #expect(run.writes.isEmpty)
      #expect(run.facts { if case .saveSubmitted = $0 { true } else { nil } }.isEmpty)
      let next = await succession.run([room])
      #expect(next.outcome(1)?.outcome == .alreadyProvisioned && next.connected.isEmpty)
    }
  }

  /// A change of the manifest, and the writes that it requires.
  static let changes: [(String, @Sendable (inout Room) -> Void, [BluetoothUUID])] = [
    ("power", { $0.settings[.power] = .text("high") }, [GATT.transmission]),
    ("interval", { $0.settings[.interval] = .duration(.seconds(1)) }, [GATT.transmission]),
    ("minor", { $0.settings[.minor] = .integer(77) }, [GATT.beaconID]),
    ("major", { $0.settings[.major] = .integer(77) }, [GATT.beaconID]),
    ("uuid", { $0.settings[.uuid] = .uuid("4D6F6F72-0000-4C61-6D70-000000000002") }, [GATT.beaconUUID]),
    (
      "all",
      {
        $0.settings[.uuid] = .uuid("4D6F6F72-0000-4C61-6D70-000000000002")
        $0.settings[.minor] = .integer(77)
        $0.settings[.power] = .text("low")
      }, everything
    ),
    (
      "power and interval left out",
      {
        $0.settings[.power] = nil
        $0.settings[.interval] = nil
      }, []
    ),
  ]

  @Test("a beacon gets the settings that changed in the manifest, and no others", arguments: changes.indices)
  func changed(index: Int) async throws {
    let (_, change, registers) = Self.changes[index]
    let before = Sample.beaconRoom(1, address: 1)
    var room = before
    change(&room)
    try await succession([Sample.beaconDevice(1)]) { [room] succession in
      _ = await succession.run([before])
      let run = await succession.run([room], allowing: .init(renumber: true)).expectInvariants()
      #expect(run.written(1) == registers)
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == (registers.isEmpty ? .alreadyProvisioned : .provisioned))
      #expect(finished.settings.allSatisfy { $0.state == .proved })
      #expect(FirmwareFamily.iotDesignShop.holds(run.flashes[Sample.address(1)], room))
      // The record has the new values.
      let next = await succession.run([room])
      #expect(next.outcome(1)?.outcome == .alreadyProvisioned && next.connected.isEmpty)
    }
  }

  @Test(
    "a beacon keeps the settings that the manifest does not have",
    arguments: ["power", "interval", "both"])
  func kept(what: String) async throws {
    let held = ["uuid": Sample.foreign["uuid"] ?? "", "power": "low", "interval": "2s"]
    let room = Sample.beaconRoom(
      1, address: 1, power: what == "interval" ? "high" : nil,
      interval: what == "power" ? .milliseconds(100) : nil)
    try await succession([Sample.beaconDevice(1, holds: held)]) { succession in
      let run = await succession.run([room], allowing: .init(overwrite: [room.id])).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
      let flash = try #require(run.flashes[Sample.address(1)])
      #expect(flash.values["power"] == (what == "interval" ? [2, 0] : [0, 0]))
      #expect(flash.values["interval"] == (what == "power" ? [160, 0] : [0x80, 0x0C]))
      #expect(run.written(1).contains(GATT.transmission) == (what != "both"))
    }
  }

  @Test("a beacon gets another minor only with the permission to renumber")
  func renumbered() async throws {
    let before = Sample.beaconRoom(1, address: 1)
    let room = Sample.beaconRoom(1, address: 1, minor: 9)
    try await succession([Sample.beaconDevice(1)]) { succession in
      _ = await succession.run([before])
      #expect(
        conflicts(of: [room], with: succession.lastKnown, allowing: .init()) == [
          .renumbered(
            room: room.id, from: .beacon(Sample.site, UInt16(Sample.major), 1),
            to: .beacon(Sample.site, UInt16(Sample.major), 9), device: Sample.address(1))
        ])
      #expect(conflicts(of: [room], with: succession.lastKnown, allowing: .init(renumber: true)).isEmpty)
      let run = await succession.run([room], allowing: .init(renumber: true)).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned && run.outcome(1)?.evidence?.identity?.minor == 9)
      #expect(
        succession.lastKnown.rooms[room.id]?.lastWrite?.settings.first { $0.name == .minor }?.value == "9")
    }
  }

  @Test("a beacon does not get an identity that another device advertises")
  func identityTwice() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    for held in [[:], Sample.done(room)] {
      try await succession([
        Sample.beaconDevice(1, holds: held), Sample.beaconDevice(2, holds: Sample.done(room)),
      ]) { succession in
        let run = await succession.run([room]).expectInvariants()
        #expect(run.outcome(1)?.outcome == .actionRequired)
        #expect(run.outcome(1)?.reason?.code == .identityOnAir)
        #expect(run.outcome(1)?.reason?.addresses == [Sample.address(2)])
        #expect(run.writes.isEmpty)
      }
    }
  }

  @Test("a beacon gets a minor that another device has with a different major")
  func sameMinorElsewhere() async throws {
    let room = Sample.beaconRoom(1, address: 1, minor: 4660)
    try await succession([Sample.beaconDevice(1), Sample.beaconDevice(2, holds: Sample.foreign)]) {
      succession in
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
    }
  }

  @Test("a room without a hint gets a beacon only if it is factory-fresh")
  func anyFresh() async throws {
    let rooms = [Sample.beaconRoom(1), Sample.beaconRoom(2)]
    try await succession([
      Sample.beaconDevice(1, holds: Sample.foreign), Sample.beaconDevice(2), Sample.beaconDevice(3),
      SensorScenario(address: Sample.address(4)),
    ]) { succession in
      let run = await succession.run(rooms, .any).expectInvariants()
      #expect(run.result.rooms.map(\.outcome) == [.provisioned, .provisioned])
      #expect(run.result.rooms.map(\.address) == [Sample.address(2), Sample.address(3)])
      #expect(run.connected.keys.sorted() == [Sample.address(2), Sample.address(3)])
      let next = await succession.run(rooms, .any)
      #expect(next.result.rooms.allSatisfy { $0.outcome == .alreadyProvisioned } && next.connected.isEmpty)
    }
  }

  @Test("a beacon that was reset to its factory settings is provisioned again")
  func reset() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await succession([Sample.beaconDevice(1)]) { succession in
      _ = await succession.run([room])
      await succession.world.pressButton(Sample.address(1))
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(run.written(1) == Self.everything)
    }
  }
}
