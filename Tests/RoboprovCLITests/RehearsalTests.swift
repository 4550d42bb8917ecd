import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("a rehearsal starts from the real record and does not change it", .timeLimit(.minutes(60)))
struct RehearsalTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]
  private static let rehearse = apply + ["--simulate"]

  /// The entries of the building's folder without the rehearsals.
  private static func record(of site: Site) throws -> [String: Data] {
    try site.recordedContents.filter { !$0.key.contains("/rehearsals") }
  }

  @Test("a rehearsal is stored beside the runs with its own `latest` and does not move theirs")
  func place() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let before = try Self.record(of: site)
      for _ in 1...2 {
        let outcome = try await premises.run(Self.rehearse).expect(0)
        let rehearsal = try site.rehearsal
        #expect(
          outcome.output.contains("Reports: reports/\(Site.building)/rehearsals/\(rehearsal.id)\n"),
          "\(outcome)")
        #expect(try rehearsal.report["run"]["simulated"].flag == true)
        try site.expectWholeRecord(of: rehearsal, rooms: 1)
      }
      #expect(try Self.record(of: site) == before)
      #expect(site.runs.count == 1)
      let history = try await premises.run(["room", "history", "building.yaml", "Room 101"]).expect(
        0, notOutput: "simulated")
      #expect(!history.output.contains(try site.rehearsal.id), "\(history)")
    }
  }

  @Test("a building with only rehearsals has no done room and no `latest`")
  func onlyRehearsed() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try await premises.run(Self.rehearse).expect(0)
      #expect(try site.rehearsal.outcomes == [101: "provisioned", 102: "provisioned"])
      #expect(!site.hasLink("reports/\(Site.building)/latest"))
      #expect(site.runs.isEmpty)
      #expect(await premises.building.isUntouched([1, 2]))

      try await premises.apply("--failed").expect(0)
      #expect(try site.outcomes == [101: "provisioned", 102: "provisioned"])
    }
  }

  @Test("a rehearsal finds recorded rooms done at their sensors and provisions the rest")
  func halfDone() async throws {
    try await Premises.serve(3) { premises in
      let site = premises.site
      try site.writeManifest((101...103).map { Place(minor: $0) }, assign: "any")
      // The sensor of the first room is not the one that a rehearsal draws for it.
      for number in [1, 3] { await premises.setMuted(true, number) }
      let real = try await premises.apply("--only", "Room 101")
      try #require(real.status == 0, "\(real)")
      try site.writeManifest(
        [
          Place(minor: 101), Place(minor: 102),
          Place(minor: 103, address: ServedBuilding.address(9).description),
        ], assign: "any")
      let record = try #require(try site.report["rooms"].items.first { $0["identity"].minor == 101 })
      let writes = await premises.writes
      let outcome = try await premises.run(Self.rehearse).expect(0)
      let rooms = try site.rehearsal.report["rooms"].items
      #expect(
        rooms.map { $0["outcome"].text } == ["already_provisioned", "provisioned", "provisioned"],
        "\(outcome)")
      #expect(rooms[0]["address"].text == record["address"].text)
      #expect(
        rooms[0]["evidence"]["grade"].text == "beacon_on_air", "its sensor is at work in the rehearsal, too")
      #expect(rooms[2]["address"].text == ServedBuilding.address(9).description)
      #expect(await premises.writes == writes)
    }
  }

  @Test("a rehearsal refuses the same rooms as the real run and requests the same operator actions")
  func contradicted() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      try site.writeManifest([Place(minor: 151, address: Place.numbered(1).address, name: "Room 101")])
      for mode in [[], ["--simulate"]] {
        try await premises.expectRefused(Self.apply + mode, with: 65, saying: ["--renumber"])
      }
      for mode in [[], ["--simulate"]] {
        try await premises.run(Self.apply + ["--renumber"] + mode).expect(100)
      }
      #expect(try site.outcomes == [151: "action_required"])
      #expect(try site.rehearsal.outcomes == [151: "action_required"])
    }
  }

  @Test("plan and rehearsal use the new sensor after a replacement")
  func replaced() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      try await premises.run(Self.rehearse).expect(0)
      try await premises.run(["room", "replace", "building.yaml", "Room 101", "--without-scan"]).expect(0)
      var rooms = (1...2).map { Place.numbered($0) }
      rooms[0].address = ServedBuilding.address(7).description
      try site.writeManifest(rooms)
      try await premises.run(["plan", "building.yaml", "--simulate", "--scan-time", "1"]).expect(0)
      try await premises.run(Self.rehearse).expect(0)
      #expect(try site.rehearsal.outcomes == [101: "provisioned", 102: "already_provisioned"])
    }
  }

  @Test("a rehearsal that an earlier version stored among the runs is ignored")
  func earlierVersion() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.run(Self.rehearse).status == 0)
      let rehearsal = try site.rehearsal
      let folder = site.directory.appending(path: "reports/\(Site.building)")
      let files = FileManager.default
      try files.copyItem(at: rehearsal.directory, to: folder.appending(path: rehearsal.id))
      try files.createSymbolicLink(
        atPath: folder.appending(path: "latest").path, withDestinationPath: rehearsal.id)

      try await premises.apply("--failed").expect(0)
      let run = try site.latest.lastPathComponent
      #expect(run != rehearsal.id)
      #expect(try site.outcomes == [101: "provisioned"])
      try await site.run(["report", Site.building, rehearsal.id]).expect(0)
      #expect(try site.latest.lastPathComponent == run)
      try await site.run(["room", "history", "building.yaml", "Room 101"]).expect(notOutput: rehearsal.id)
    }
  }

  @Test("`report` makes the reports of a rehearsal again by its id")
  func report() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.run(Self.rehearse).status == 0)
      let rehearsal = try site.rehearsal
      let before = try rehearsal.text(of: "report.json")
      try FileManager.default.removeItem(at: rehearsal.directory.appending(path: "report.json"))
      let report = try await site.run(["report", Site.building, rehearsal.id, "--output", "json"]).expect(0)
      #expect(report.output == before)
      #expect(try rehearsal.text(of: "report.json") == before)
      #expect(!site.hasLink("reports/\(Site.building)/latest"))
    }
  }

  /// The events of a rehearsal with their elapsed times, without times of day, hashes, and the identity of the run.
  private static func events(_ rehearsal: RecordedRun) throws -> [String] {
    try rehearsal.text(of: "journal.jsonl").split(separator: "\n").dropFirst().map {
      String($0).replacing(#/"\d{4}-\d\d-\d\dT[^"]*"/#, with: "T").replacing(#/"prev":"[^"]*"/#, with: "")
    }
  }

  @Test("events and times of a rehearsal follow from manifest, scenario and seed")
  func reproducible() async throws {
    try await Site.use { site in
      try site.writeManifest((1...3).map { .numbered($0) }, defaults: ["retries: 1"])
      func scenario(seed: Int) -> String {
        """
        seed: \(seed)
        adapters: [{ name: hci0, address: "\(ServedBuilding.adapter)" }]
        sensors:
          - { address: "\(ServedBuilding.address(1))" }
          - { address: "\(ServedBuilding.address(2))", faults: [{ fault: drops, in: write, nth: 3, attempts: 1 }] }
          - { address: "\(ServedBuilding.address(3))", faults: [{ fault: never_answers }] }

        """
      }
      func rehearse() async throws -> [String] {
        try await site.run(Self.rehearse + ["--scenario", "scenario.yaml"]).expect(100)
        #expect(
          try site.rehearsal.outcomes == [
            101: "provisioned", 102: "provisioned_after_retry", 103: "unreachable",
          ])
        return try Self.events(site.rehearsal)
      }
      try site.write("scenario.yaml", scenario(seed: 5))
      let events = try await rehearse()
      #expect(try await rehearse() == events)
      try site.write("scenario.yaml", scenario(seed: 6))
      #expect(try await rehearse() != events)
    }
  }

  @Test("a rehearsal at a terminal, which a person watches, shows its progress at the scenario's speed")
  func watched() async throws {
    try await Site.use { site in
      try site.writeManifest([Place(minor: 101)], assign: "any")
      // Its scan lasts a minute.
      let run = try site.startAtTerminal(["apply", "building.yaml", "--simulate", "--scan-time", "600"])
      try await run.prints("? help", thenType: "p")
      try await run.prints("Paused: nothing new starts", thenType: "\u{3}")
      try await run.ended().expect(130)
    }
  }

  @Test(
    "commands that change or merge the record cannot be rehearsed",
    arguments: [
      ["room", "replace", "building.yaml", "Room 101", "--simulate"],
      ["room", "retire", "building.yaml", "Room 101", "--simulate"],
      ["room", "accept", "building.yaml", "Room 101", "--reason", "r", "--by", "b", "--simulate"],
      ["report", "merge", "a", "b", "--simulated"],
    ])
  func noRehearsal(_ command: [String]) async throws {
    try await Site.use([.numbered(1)]) { site in
      try await site.run(command).expect(64, errors: "Unknown option '\(command.last ?? "")'")
      #expect(!site.has("reports"))
    }
  }
}
