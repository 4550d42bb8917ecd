import Bluetooth
import Foundation
import Glibc
import Testing
import VirtualBuilding

@Suite("`verify` checks what is on air now", .timeLimit(.minutes(60)))
struct VerifyTests {
  private static let verify = ["verify", "building.yaml", "--for", "10"]

  @Test("`verify` writes to no device, and its sightings are newer evidence")
  func allOnAir() async throws {
    try await Premises.serveDone(3) { premises in
      let site = premises.site
      let before = try site.building["rooms"].items.map { $0["evidence"]["seen_at"].text ?? "" }
      let writes = await premises.writes
      let outcome = try await premises.run(Self.verify + ["--operator", "Ada"]).expect(0)
      #expect(outcome.output == "3 of 3 rooms on air from their own device\n", "\(outcome)")
      #expect(await premises.writes == writes)
      let rooms = try site.building["rooms"].items
      for (room, before) in zip(rooms, before) {
        #expect(room["state"].text == "done")
        #expect(room["evidence"]["grade"].text == "beacon_on_air")
        #expect((room["evidence"]["seen_at"].text ?? "") > before)
        #expect(room["verification"]["windows_received"].integer == 2)
      }
      let run = try #require(try site.building["runs"].items.last)
      #expect(run["command"].text == "verify" && run["operator"].text == "Ada")
      #expect(rooms.allSatisfy { $0["evidence"]["run"].text == run["id"].text })
      let started = try #require(run["started"].text)
      #expect(
        rooms.allSatisfy { ($0["evidence"]["seen_at"].text ?? "") > started },
        "seen by the scans, not before them")
    }
  }

  @Test("`verify` distinguishes a silent device, one in provisioning mode, and an unknown beacon")
  func deviations() async throws {
    try await Premises.serveDone(4) { premises in
      let site = premises.site
      await premises.setMuted(true, 2)
      await premises.pressButton(3)
      // The fourth sensor is at work and has no room in this manifest.
      try site.writeManifest((1...3).map { .numbered($0) })
      let outcome = try await premises.run(Self.verify).expect(
        100, output: "Room 102: \(ServedBuilding.address(2)) was not received in 2 scans by hci0 (10 s).",
        "Room 103: \(ServedBuilding.address(3)) waits for provisioning.")
      #expect(outcome.output.hasPrefix("1 of 3 rooms on air from their own device\n"), "\(outcome)")
      let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("in no room: \(ServedBuilding.address(4)) with minor 104."), "\(outcome)")
      // What was proved before is not what was found now.
      #expect(
        try site.building["rooms"].items.prefix(3).map { $0["state"].text }
          == ["done", "missing", "unconfirmed"])
      let document = try await premises.run(Self.verify + ["--output", "json"]).json
      #expect(document["rooms"].items.map { $0["finding"].text } == ["on_air", "missing", "waiting"])
      #expect(document["unexpected"].items.map { $0["identity"].minor } == [104])
    }
  }

  @Test("a device that another laptop gave another minor is named with both sightings")
  func otherMinor() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      // The second laptop has a manifest and a record of its own.
      var place = Place.numbered(1)
      place.minor = 177
      try site.writeManifest([place])
      await premises.pressButton(1)
      try await premises.apply("--reports", "elsewhere").expect(0)
      try site.writeManifest([.numbered(1)])
      let verified = try await premises.run(Self.verify).expect(100)
      let text = verified.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        text.contains("\(ServedBuilding.address(1)) was last received with minor 101 (")
          && text.contains(", but sends minor 177 now."), "\(verified)")
      let status = try await site.run(["status", "building.yaml", "--check"])
      let lines = status.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(status.status == 100, "\(status)")
      #expect(lines.contains("minor 101") && lines.contains("and then with minor 177"), "\(status)")
      #expect(try site.building["rooms"][0]["verification"]["held_identity"].minor == 177)
    }
  }

  @Test("a device that is gone is missing in every report, until a person accepts it or it is received")
  func gone() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      await premises.setMuted(true, 2)
      #expect(try await premises.run(Self.verify).status == 100)
      func expectMissing(_ place: String) async throws {
        let check = try await site.run(["status", "building.yaml", "--check"])
        #expect(check.status == 100 && check.output.contains("Room 102: missing."), "\(place): \(check)")
        let room = try site.building["rooms"][1]
        #expect(room["state"].text == "missing" && room["missing_since"].text != nil, "\(place)")
        let files = try ["junit.xml", "building.csv", "building.html"].map { name in
          try String(
            contentsOf: site.directory.appending(path: "reports/\(Site.building)/\(name)"), encoding: .utf8)
        }
        #expect(files[0].contains("<error") && files[0].contains("type=\"missing\""), "\(place)")
        #expect(files[1].contains(",missing,"), "\(place)")
        #expect(files[2].contains("1 received on") && files[2].contains("1 missing since"), "\(place)")
      }
      try await expectMissing("verify")
      #expect(try site.building["runs"].items.last?["outcome"].text == "incomplete")
      // A run looks for it, and does not report it as done either.
      try await premises.apply().expect(100)
      #expect(try site.outcomes == [101: "already_provisioned", 102: "unreachable"])
      try await expectMissing("apply")
      try await site.run(
        ["room", "accept", "building.yaml", "Room 102", "--reason", "stolen", "--by", "Ada"]).expect(0)
      #expect(try await site.run(["status", "building.yaml", "--check"]).status == 0)
      await premises.setMuted(false, 2)
      #expect(try await premises.run(Self.verify).status == 0)
      #expect(try site.building["rooms"][1]["state"].text == "done")
    }
  }

  @Test("a `verify` that is interrupted finds no room missing and leaves no record")
  func interrupted() async throws {
    try await Premises.serveDone(1, toPrograms: true) { premises in
      let runs = premises.site.runs
      await premises.setMuted(true, 1)
      let verify = try premises.site.start(
        ["verify", "building.yaml", "--for", "600"], bus: premises.building.bus)
      try await verify.prints("Scanning on hci0")
      verify.send(SIGINT)
      let outcome = try await verify.ended()
      #expect(outcome.status == 130 && premises.site.runs == runs, "\(outcome)")
    }
  }

  @Test("`verify` refuses a building's folder, which does not define the expected beacons")
  func withoutManifest() async throws {
    try await Premises.serveDone(1) { premises in
      try await premises.expectRefused(
        ["verify", Site.building], with: 64, saying: ["\(Site.building) is not a manifest"])
    }
  }

  @Test("the history of a room has a line for each run, and each event on request")
  func history() async throws {
    try await Premises.serveDone(1) { premises in
      #expect(try await premises.run(Self.verify).status == 0)
      let brief = try await premises.site.run(["room", "history", "building.yaml", "Room 101"])
      let lines = brief.output.split(separator: "\n")
      #expect(lines.count == 3 && lines[0].hasPrefix("WHEN (UTC)"), "\(brief)")
      let words = [
        "apply", "provisioned", ServedBuilding.address(1).description, "beacon received after the save",
      ]
      for word in words { #expect(lines[1].contains(word), "\(brief)") }
      #expect(
        lines[2].contains("verify") && lines[2].contains("on air, received in 2 of 2 scans"), "\(brief)")
      let full = try await premises.site.run(["room", "history", "building.yaml", "Room 101", "--full"])
      #expect(full.output.split(separator: "\n").count > 20, "\(full)")
    }
  }
}

extension Site {
  /// The building's report.
  var building: JSON {
    get throws {
      let path = directory.appending(path: "reports/\(Self.building)/building.json")
      return try #require(JSON(try String(contentsOf: path, encoding: .utf8)))
    }
  }
}
