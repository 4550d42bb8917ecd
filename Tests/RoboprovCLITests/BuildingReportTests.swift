import Bluetooth
import Digest
import Foundation
import FoundationXML
import SampleFacts
import Testing
import VirtualBuilding

/// Compares the building report with the journals and with the settings that the sensors hold.
@Suite("the building report agrees with journals and sensors", .timeLimit(.minutes(60)))
struct BuildingReportTests {
  /// Three days of work: two laptops, a killed run, unreachable sensors, one sensor replaced, one room
  /// accepted by two people, one room retired, and a rehearsal.
  @Test("the report of three days of runs agrees with journals and sensors for each room")
  func threeDays() async throws {
    try await Premises.serve(41, toPrograms: true) { premises in
      let site = premises.site
      var rooms = (1...40).map { Place.numbered($0) }
      try site.writeManifest(rooms, defaults: ["retries: 4"])
      let names = rooms.map { "Room \($0.minor)" }

      // Day 1: one laptop provisions one half and does not receive three of its sensors; the run of the other
      // is killed.
      for silent in [5, 7] { await premises.setMuted(true, silent) }
      try await premises.apply(
        arguments: ["--reports", "ada", "--operator", "Ada", "--only"] + names[..<20]
      ).expect(100, output: "The building: 18 of 40 rooms done, 2 open, 20 not tried")
      let killed = try site.start(
        ["apply", "building.yaml", "--scan-time", "1", "--reports", "bob", "--only"] + names[20...],
        bus: premises.building.bus)
      try await killed.until("a first room to be done") {
        (try? site.journals(in: "bob").contains { $0.contains("room_finished") }) == true
      }
      killed.send(SIGKILL)
      _ = try await killed.ended()

      // Day 2: the second half is finished and the records are merged.
      try await premises.apply(
        arguments: ["--reports", "bob", "--operator", "Bob", "--only"] + names[20...]
      ).expect(0)
      try await site.run(
        ["report", "merge", "ada/\(Site.building)", "bob/\(Site.building)", "--into", "reports"]).expect(0)
      for (by, reason) in [("Ada", "behind a wall"), ("Bea", "no power until March")] {
        try await site.run(
          ["room", "accept", "building.yaml", "Room 105", "--by", by, "--reason", reason]).expect(0)
      }
      try await premises.run(
        ["room", "retire", "building.yaml", "Room 107", "--reason", "now a corridor", "--scan-time", "1"])
        .expect(0)
      try await site.run(["status", "building.yaml", "--check"]).expect(
        0, output: "Room 105: accepted by Bea on ")

      // What changed since a day and since a run.
      let always = try await site.run(["status", "building.yaml", "--since", "2000-01-01"]).expect(
        output: "not tried → retired: Room 107\n")
      #expect(always.output.hasPrefix("Since 2000-01-01: 40 rooms changed\n"), "\(always)")
      let report = try #require(
        JSON(try site.text(of: "reports/\(Site.building)/building.json", from: site.directory)))
      let first = try #require(report["runs"].items.first?["id"].text)
      try await site.run(["status", "building.yaml", "--since", first]).expect(
        output: "→ accepted: Room 105\n", "open → retired: Room 107\n", "not tried → done: Room 121, ",
        notOutput: "Room 101")
      let diff = ["report", "diff", "building.yaml"]
      try await site.run(diff + ["2000-01-01", first]).expect(
        0, output: "From 2000-01-01 to \(first): ", notOutput: "retired")
      try await site.run(diff + [first]).expect(
        0, output: "From \(first) to now: ", "open → retired: Room 107\n")
      for text in ["yesterday", "2026-13-01"] {
        try await site.run(diff + ["2000-01-01", text]).expect(64, errors: "neither a day such as 2026-11-20")
        try await site.run(["status", "building.yaml", "--since", text]).expect(
          64, errors: "neither a day such as 2026-11-20")
      }

      // Day 3: a rehearsal, which changes nothing; then a failed sensor is replaced.
      let before = try site.text(of: "reports/\(Site.building)/building.json", from: site.directory)
      _ = try await site.run(["apply", "building.yaml", "--simulate", "--yes", "--scan-time", "5"])
      #expect(try site.text(of: "reports/\(Site.building)/building.json", from: site.directory) == before)
      await premises.setMuted(true, 3)
      try await premises.run(
        ["room", "replace", "building.yaml", "Room 103", "--reason", "dead", "--scan-time", "1"]).expect(0)
      let open = try await site.run(["status", "building.yaml", "--check"]).expect(100, output: "Room 103: ")
      #expect(open.output.hasSuffix("Next: roboprov apply building.yaml\n"), "\(open)")
      rooms[2].address = ServedBuilding.address(41).description
      try site.writeManifest(rooms, defaults: ["retries: 4"])
      try await premises.apply(arguments: ["--operator", "Ada", "--failed"]).expect(
        0, output: "The building: 38 of 39 rooms done, 1 accepted, 1 retired")

      try await Self.check(premises)
      let done = try await site.run(["status", "building.yaml", "--check"]).expect(0)
      #expect(done.output.hasSuffix("Nothing is left to do.\n"), "\(done)")
    }
  }

  private static func check(_ premises: Premises) async throws {
    let site = premises.site
    let folder = site.directory.appending(path: "reports/\(Site.building)")
    let report = try #require(JSON(try site.text(of: "building.json", from: folder)))
    let journals = try Journals(in: folder)
    #expect(report["summary"]["complete"].flag == true)
    #expect(report["rooms"].count == 40)
    for (number, room) in zip(1..., report["rooms"].items) {
      let state = room["state"].text
      #expect(state == (number == 5 ? "accepted" : number == 7 ? "retired" : "done"))
      guard state == "done" else { continue }
      let sensor = number == 3 ? 41 : number
      #expect(await premises.minor(sensor) == UInt16(100 + number), "what the sensor holds")
      #expect(room["identity"].minor == 100 + number)
      #expect(room["devices"].items.map(\.text) == [ServedBuilding.address(sensor).description])
      let evidence = room["evidence"]
      let run = try #require(evidence["run"].text)
      let finished = try #require(journals.last("room_finished", of: room["id"].text, in: run))
      #expect(finished["data"]["evidence"]["grade"].text == evidence["grade"].text)
      #expect(finished["data"]["evidence"]["run"].text == nil, "that run saw it itself")
      #expect(finished["at"].text == evidence["seen_at"].text)
      for (setting, recorded) in zip(room["settings"].items, finished["data"]["settings"].items) {
        #expect(setting["name"].text == recorded["name"].text)
        #expect(setting["state"].text == recorded["state"].text)
        #expect(setting["value"].text == recorded["value"].text)
      }
    }
    let accepted = report["rooms"][4]["acceptances"].items
    #expect(accepted.map { $0["by"].text } == ["Ada", "Bea"], "the second does not replace the first")
    #expect(accepted.map { $0["ended_at"].isNull } == [true, true])
    #expect(report["rooms"][6]["retirement"]["reason"].text == "now a corridor")
    #expect(Set(report["runs"].items.compactMap { $0["id"].text }) == Set(journals.runs.keys))
    for run in report["runs"].items {
      let lines = try #require(journals.runs[run["id"].text ?? ""])
      #expect(run["journal_sha256"].text == SHA256(of: Array((lines.last ?? "").utf8)).hex)
    }
    #expect(report["runs"].items.compactMap { $0["operator"].text }.contains("Bob"))

    let csv = try site.text(of: "building.csv", from: folder)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try Data(contentsOf: folder.appending(path: "building.csv")).starts(with: mark))
    #expect(csv.contains("building,last_run,room,id,"))
    #expect(csv.split(separator: "\r\n").count == 41)
    #expect(
      try counts(inJUnit: try site.text(of: "junit.xml", from: folder)) == [
        "tests": "40", "failures": "0", "errors": "0", "skipped": "2",
      ])
    #expect(!csv.contains(Site.password))
  }

  private static func counts(inJUnit text: String) throws -> [String: String] {
    let suite = try XMLDocument(xmlString: text).rootElement()?.elements(forName: "testsuite").first
    return Dictionary(
      uniqueKeysWithValues: ["tests", "failures", "errors", "skipped"].compactMap { name in
        suite?.attribute(forName: name)?.stringValue.map { (name, $0) }
      })
  }

  @Test("the report distinguishes sightings of this run from evidence on record")
  func notReceived() async throws {
    try await Premises.serveDone(3) { premises in
      let site = premises.site
      await premises.setMuted(true, 2)
      try await premises.apply().expect(
        0, output: "1 room done on record, not received in this run (Room 102)")
      #expect(
        try site.report["rooms"].items.map { $0["evidence"]["seen_in_this_run"].flag } == [true, false, true])
      let log = try site.text(of: "devices/room-102.log")
      #expect(log.contains("not received in this run"), "\(log)")
      let rows = try site.text(of: "report.csv").split(separator: "\r\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false)
      }
      let column = try #require(rows[0].firstIndex(of: "seen_in_this_run"))
      #expect(rows.dropFirst().map { $0[column] } == ["true", "false", "true"])
      try await site.run(["status", "building.yaml", "--older-than", "0"]).expect(
        output: "Not received for more than 0 days: Room 101")
    }
  }

  @Test("the report of `apply --failed` shows the state and evidence of the other rooms")
  func failedOnly() async throws {
    try await Premises.serve(4) { premises in
      let site = premises.site
      try site.writeManifest(
        (1...4).map { .numbered($0) }, defaults: ["retries: 4"])
      await premises.setMuted(true, 4)
      #expect(try await premises.apply().status == 100)
      let first = try site.report["rooms"][0]["evidence"]
      try await premises.apply("--failed").expect(100, output: "The building: 3 of 4 rooms done, 1 open.")
      let room = try site.report["rooms"][0]
      #expect(room["outcome"].text == "skipped" && room["state"].text == "done")
      // The first report has the time of the proof, the record that of the outcome, some milliseconds later.
      let times = try [first, room["evidence"]].map {
        try #require(
          $0["seen_at"].text.flatMap {
            try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
          })
      }
      #expect((0..<1).contains(times[1].timeIntervalSince(times[0])))
      #expect(room["evidence"]["seen_in_this_run"].flag == false)
      #expect(try site.report["building_after"]["done"].integer == 3)
    }
  }

  @Test("the report of an unconfirmed save keeps the written settings, also in later runs")
  func unconfirmed() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)], defaults: ["retries: 0", "timeouts: { verify: 10s }"])
      try await site.serve([ServedBuilding.sensor(1, .neverReturns)]) { building in
        for run in 1...2 {
          try await site.run(["apply", "building.yaml", "--scan-time", "1"], on: building).expect(100)
          let room = try site.report["rooms"][0]
          #expect(room["outcome"].text == "unconfirmed")
          #expect(room["attempts"].integer == (run == 1 ? 1 : 0))
          #expect(room["settings"].items.allSatisfy { $0["state"].text == "acknowledged" }, "run \(run)")
          #expect(try !site.text(of: "devices/room-101.log").contains("not_written"), "run \(run)")
        }
      }
    }
  }

  @Test("the page shows the time of the zone in which it was made")
  func zone() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(1)])
      try await site.run(
        ["apply", "building.yaml", "--yes", "--scan-time", "1"], bus: premises.building.bus,
        environment: ["TZ": "Asia/Kolkata"]
      ).expect(0)
      let folder = site.directory.appending(path: "reports/\(Site.building)")
      let report = try #require(JSON(try site.text(of: "building.json", from: folder)))
      #expect(report["time_zone"].text == "Asia/Kolkata")
      let page = try site.text(of: "building.html", from: folder)
      #expect(page.contains("UTC+05:30"))
      try await site.run(["report", "check", Site.building]).expect(0)
    }
  }

  @Test("the report names the command that does what is left; a missing building is refused")
  func unknown() async throws {
    try await Site.use([.numbered(1)]) { site in
      let fresh = try await site.run(["status", "building.yaml", "--reports", "my reports", "--check"])
        .expect(100, output: "0 of 1 room done")
      #expect(
        fresh.output.hasSuffix("Next: roboprov apply building.yaml --reports 'my reports'\n"), "\(fresh)")
      #expect(!site.has("my reports"), "looking changes nothing")
      try await site.run(["status", "nowhere"]).expect(64, errors: "there is no building nowhere in reports")
    }
  }
}

/// Reads the journals of a building's folder line by line.
private struct Journals {
  let runs: [String: [String]]

  init(in folder: URL) throws {
    var runs: [String: [String]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "latest" {
      let journal = folder.appending(path: "\(name)/journal.jsonl")
      guard let text = try? String(contentsOf: journal, encoding: .utf8) else { continue }
      guard JSON(text.split(separator: "\n").first.map(String.init) ?? "")?["data"]["simulated"].flag == false
      else { continue }
      // A killed run may leave a torn last line, which is ignored.
      runs[name] = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    self.runs = runs
  }

  func last(_ kind: String, of room: String?, in run: String) -> JSON? {
    runs[run]?.compactMap { JSON($0) }.last { $0["kind"].text == kind && $0["data"]["room"].text == room }
  }
}

extension Premises {
  fileprivate func apply(arguments: [String]) async throws -> Invocation.Outcome {
    try await run(["apply", "building.yaml", "--yes", "--scan-time", "1"] + arguments)
  }
}

extension Site {
  /// The texts of all journals below a reports directory.
  fileprivate func journals(in reports: String) throws -> [String] {
    let folder = directory.appending(path: "\(reports)/\(Self.building)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap {
      try? String(contentsOf: folder.appending(path: "\($0)/journal.jsonl"), encoding: .utf8)
    }
  }

  fileprivate func text(of name: String, from folder: URL) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }
}
