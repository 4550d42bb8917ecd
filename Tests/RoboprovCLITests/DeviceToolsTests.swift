import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("`scan`, `find` and `monitor` work in a building", .timeLimit(.minutes(60)))
struct DeviceToolsTests {
  private static let header = ["ADDRESS", "PROFILE", "RSSI", "AGE", "NAME", "ROOM", "STATE"]

  /// Serves four sensors: one at work in Room 101, one in provisioning mode for Room 102, one for Room 103
  /// that was never written, and one without a room.
  private func serve(
    toPrograms: Bool = false, _ body: @escaping @Sendable (Premises) async throws -> Void
  ) async throws {
    try await Premises.serve(4, toPrograms: toPrograms) { premises in
      let apply = try await premises.apply("--only", "Room 101", "Room 102")
      try #require(apply.status == 0, "\(apply)")
      await premises.pressButton(2)
      try premises.site.writeManifest(
        [.numbered(1), Place(minor: 102), .numbered(3)], assign: "later")
      try await body(premises)
    }
  }

  // MARK: scan

  @Test("`scan` shows the room of each device by manifest and record, devices without a room first")
  func scanRooms() async throws {
    try await serve { premises in
      let outcome = try await premises.run(["scan", "building.yaml", "--scan-time", "6"]).expect(0)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.first?.split(separator: " ").map(String.init) == Self.header, "\(outcome)")
      let rooms = ["-  waits", "Room 101 (manifest)", "Room 102 (record)", "Room 103 (manifest)"]
      try #require(lines.count == 5, "\(outcome)")
      for (line, (number, room)) in zip(lines.dropFirst(), zip([4, 1, 2, 3], rooms)) {
        #expect(line.hasPrefix("\(ServedBuilding.address(number)) "), "\(outcome)")
        #expect(
          line.split(whereSeparator: { $0 == " " }).joined(separator: " ").contains(
            room.replacing("  ", with: " ")))
      }
      #expect(lines[2].contains("at work: uuid"), "\(outcome)")
      let devices = try await premises.run(["scan", "building.yaml", "--scan-time", "6", "--output", "json"])
        .json["devices"].items
      #expect(devices.map { $0["room"].text } == [nil, "room-101", "room-102", "room-103"])
      #expect(devices.map { $0["room_basis"].text } == [nil, "manifest", "record", "manifest"])
      #expect(devices.map { $0["state"].text } == ["waiting", "at_work", "waiting", "waiting"])
    }
  }

  @Test(
    "`scan` names the room of an unrecorded device by its beacon and says so")
  func scanBeacon() async throws {
    try await serve { premises in
      try premises.site.writeManifest([Place(minor: 101)], assign: "later")
      try await premises.run(
        ["scan", "building.yaml", "--scan-time", "6", "--reports", "elsewhere"]).expect(
          output: "Room 101 (by its beacon)")
    }
  }

  @Test("`scan` compares with a delivery: 100 with the missing devices, 0 if all are on air")
  func delivery() async throws {
    try await serve { premises in
      try premises.site.write(
        "stock.csv", "article;MAC\nRS;C47C8D000001\nRS;C47C8D000004\nRS;C47C8D0000AA\nRS;C47C8D000001\n")
      let outcome = try await premises.run(["scan", "--expect", "stock.csv", "--scan-time", "6"]).expect(100)
      #expect(outcome.output.hasPrefix("2 of 3 devices of stock.csv were received\n"), "\(outcome)")
      let missing = outcome.output.components(separatedBy: "Not received:").last ?? ""
      #expect(
        missing.contains("C4:7C:8D:00:00:AA  4") && !missing.contains("C4:7C:8D:00:00:04"), "\(outcome)")
      #expect(outcome.errors.contains("stock.csv:5: C4:7C:8D:00:00:01 is listed twice"), "\(outcome)")
      let json = try await premises.run(
        ["scan", "--expect", "stock.csv", "--scan-time", "6", "--output", "json"])
      let expected = try json.json["expected"]
      #expect(expected["missing"].integer == 1 && expected["received"].integer == 2)
      #expect(expected["devices"].items.map { $0["state"].text } == ["at_work", "waiting", nil])
      #expect(json.status == 100)

      try premises.site.write("two.csv", "C47C8D000001\nC47C8D000002\n")
      try await premises.run(["scan", "--expect", "two.csv", "--scan-time", "6"]).expect(0)
    }
  }

  // MARK: find

  @Test("`find` without a terminal prints a line per second and ends after --for")
  func findPlain() async throws {
    try await serve { premises in
      let outcome = try await premises.run(["find", "building.yaml", "Room 102", "--for", "8"]).expect(0)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.contains { $0.contains(" dBm") }, "\(outcome)")
      #expect(
        lines.allSatisfy { $0.wholeMatch(of: #/\d+ s  (-\d+ dBm|Not received .*)/#) != nil }, "\(outcome)")
      #expect(!"\(outcome)".contains("\u{1B}"), "\(outcome)")
      try await premises.run(["find", "C4:7C:8D:00:00:AA", "--for", "3"]).expect(
        100, output: "Not received yet, for")
    }
  }

  @Test(
    "`find` draws a bar with the bell at a terminal, reports silence and ends on Ctrl-C")
  func findLive() async throws {
    try await serve(toPrograms: true) { premises in
      let run = try premises.site.startAtTerminal(
        ["find", "c47c8d000004", "--bell"], bus: premises.building.bus)
      try await run.prints("█")
      try await run.prints("\u{7}")
      await premises.setMuted(true, 4)
      try await run.prints("Not received for 6 s, last -", thenType: "\u{3}")
      try await run.ended().expect(0)
    }
  }

  @Test("`find --identify` has a device blink that offers it, and says so of one that does not")
  func findIdentify() async throws {
    let devices = [
      SensorScenario(address: ServedBuilding.address(1), family: .improvWiFi),
      SensorScenario(
        address: ServedBuilding.address(2), family: .improvWiFi, faults: [.init(.own(.needsButton))]),
      SensorScenario(
        address: ServedBuilding.address(3), family: .improvWiFi, faults: [.init(.own(.withoutOptions))]),
      ServedBuilding.sensor(4),
    ]
    try await Site.use { site in
      try await site.serve(devices) { building in
        func find(_ number: Int) async throws -> Invocation.Outcome {
          try await site.run(
            ["find", "\(ServedBuilding.address(number))", "--identify", "--for", "5"], on: building)
        }
        // Also while it waits for its button.
        for number in 1...2 {
          let outcome = try await find(number)
          #expect(outcome.status == 0 && outcome.output.contains(" dBm"), "\(outcome)")
          #expect(outcome.errors.contains("Asked \(ServedBuilding.address(number)) to blink"), "\(outcome)")
          let firmware = await building.world.firmware(of: ServedBuilding.address(number)) as? ImprovFirmware
          #expect(firmware?.blinks == 1)
        }
        let writes = await building.world.writes
        #expect(writes.map(\.value) == [[2, 0, 2], [2, 0, 2]])
        for (number, words) in [
          (3, "does not offer to blink"), (4, "is a Robo Sensor, which cannot be made to blink"),
        ] {
          let outcome = try await find(number)
          #expect(outcome.status == 100 && outcome.errors.contains(words), "\(outcome)")
        }
        #expect(await building.world.writes == writes, "an optional command that is not declared is not sent")
        #expect(await building.world.connectionCount(of: ServedBuilding.address(4)) == 0)
        #expect(await building.world.openLinkCount() == 0)
      }
    }
  }

  @Test("`find --identify` needs an address, not only the beacon of a room")
  func findIdentifyWithoutAddress() async throws {
    try await Site.use { site in
      try site.writeManifest([Place(minor: 101)], assign: "later")
      try await site.run(["find", "building.yaml", "Room 101", "--identify"]).expect(
        64, errors: "--identify needs the address of one device")
    }
  }

  @Test(
    "`find` refuses an invalid device with the action to take",
    arguments: [
      (["find", "Room 101"], "add the manifest"),
      (["find", "building.yaml", "Room 999"], "there is no room"),
    ])
  func findUnknown(_ arguments: [String], _ words: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await site.run(arguments).expect(64, errors: words)
    }
  }

  // MARK: monitor

  /// Parses the output of `monitor` into events.
  private static func events(_ output: String) -> [JSON] {
    output.split(separator: "\n").compactMap { JSON(String($0)) }
  }

  @Test("`monitor` prints each device that enters, with its room, and each that leaves")
  func monitor() async throws {
    try await serve(toPrograms: true) { premises in
      let run = try premises.site.start(
        ["monitor", "building.yaml", "--leave-after", "10"], bus: premises.building.bus)
      try await run.until("four devices") {
        Self.events(run.outputSoFar).count { $0["event"].text == "enter" } == 4
      }
      await premises.setMuted(true, 3)
      try await run.until("a device that left") {
        Self.events(run.outputSoFar).contains { $0["event"].text == "leave" }
      }
      await premises.setMuted(false, 3)
      try await run.until("a device that is back") {
        Self.events(run.outputSoFar).count { $0["event"].text == "enter" } == 5
      }
      run.send(SIGINT)
      let outcome = try await run.ended().expect(0)
      let events = Self.events(outcome.output)
      #expect(events.count == outcome.output.split(separator: "\n").count, "each line is an object")
      #expect(events.first?["event"].text == "scan_started")
      let rooms = Dictionary(
        events.filter { $0["event"].text == "enter" }.map { ($0["address"].text ?? "", $0["room"].text) },
        uniquingKeysWith: { $1 })
      #expect(rooms["C4:7C:8D:00:00:02"] == "room-102" && rooms["C4:7C:8D:00:00:04"] == .some(nil))
      let left = events.filter { $0["event"].text == "leave" }
      #expect(left.map { $0["address"].text } == ["C4:7C:8D:00:00:03"], "\(outcome)")
      #expect((left[0]["last_received"].text ?? "~") < (left[0]["at"].text ?? ""))
    }
  }

  @Test("`monitor` reports no departure while its adapter is absent and continues when it returns")
  func monitorAdapter() async throws {
    try await serve(toPrograms: true) { premises in
      let building = premises.building
      let run = try premises.site.start(["monitor", "--leave-after", "10"], bus: building.bus)
      try await run.until("four devices") {
        Self.events(run.outputSoFar).count { $0["event"].text == "enter" } == 4
      }
      await building.world.setPresent(false, ServedBuilding.adapter)
      try await run.prints("scan_ended")
      // The building runs ten times as fast as the monitor, so the gap exceeds the silence after which a
      // device leaves.
      try await building.clock.sleep(for: .seconds(150))
      await building.world.setPresent(true, ServedBuilding.adapter)
      try await run.until("the scan's return") {
        Self.events(run.outputSoFar).count { $0["event"].text == "scan_started" } == 2
      }
      try await building.clock.sleep(for: .seconds(15))
      run.send(SIGTERM)
      let outcome = try await run.ended().expect(0, notOutput: "\"leave\"")
      #expect(outcome.errors.contains("It is awaited."), "\(outcome)")
    }
  }

  @Test("`monitor` ends after --for and when its reader closes the pipe")
  func monitorEnds() async throws {
    try await serve(toPrograms: true) { premises in
      try await premises.run(["monitor", "--for", "5"]).expect(0, output: "\"enter\"")
      try await premises.site.run(
        ["monitor"], bus: premises.building.bus,
        through: ["bash", "-c", #""$@" | head -n 1"#, "monitor"]
      ).expect(0, output: "scan_started")
    }
  }
}
