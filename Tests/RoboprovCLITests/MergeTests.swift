import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("`report merge` joins the records of two laptops", .timeLimit(.minutes(60)))
struct MergeTests {
  private static let folders = ["ada/\(Site.building)", "bob/\(Site.building)"]
  private static let merge = ["report", "merge"] + folders

  /// Two laptops each apply a manifest that disagrees with the other one.
  private static func work(
    _ premises: Premises, ada: [Place], bob: [Place], between: () async throws -> Void = {}
  ) async throws {
    for (laptop, rooms) in [("ada", ada), ("bob", bob)] {
      try premises.site.writeManifest(rooms)
      let outcome = try await premises.apply("--reports", laptop)
      try #require(outcome.status == 0, "\(laptop): \(outcome)")
      if laptop == "ada" { try await between() }
    }
  }

  /// The runs in the record of one laptop.
  private static func runs(_ laptop: String, at site: Site) throws -> [String] {
    let path = site.directory.appending(path: "\(laptop)/\(Site.building)").path
    return try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { !["latest", "rehearsals"].contains($0) && !$0.hasPrefix(".") }.sorted()
  }

  /// The path of a run's journal.
  private static func journal(_ laptop: String, _ run: String, at site: Site) -> URL {
    site.directory.appending(path: "\(laptop)/\(Site.building)/\(run)/journal.jsonl")
  }

  @Test("records of different rooms are merged byte for byte, and the next run continues from them")
  func stored() async throws {
    try await Premises.serve(3) { premises in
      let site = premises.site
      try await Self.work(premises, ada: [.numbered(1)], bob: [.numbered(2)])
      let data = try await site.run(Self.merge + ["--into", "reports", "--output", "json"]).expect(0).json
      #expect(data["schema"].text == "roboprov/merge/2")
      #expect(data["rooms"].items.map { $0["state"].text } == ["done", "done"])
      #expect(data["conflicts"].count == 0)
      for laptop in ["ada", "bob"] {
        let run = try #require(try Self.runs(laptop, at: site).first)
        let original = try Data(contentsOf: Self.journal(laptop, run, at: site))
        #expect(try Data(contentsOf: Self.journal("reports", run, at: site)) == original)
      }

      let again = try await site.run(Self.merge + ["--into", "reports"]).expect(0)
      #expect(again.errors.contains("reports/\(Site.building): 0"), "each run is there once\n\(again)")

      try site.writeManifest((1...3).map { .numbered($0) })
      try await premises.apply().expect(0)
      let already = "already_provisioned"
      #expect(try site.outcomes == [101: already, 102: already, 103: "provisioned"])
    }
  }

  @Test("`latest` of a merged record points to the newest run that used an adapter, with its reports")
  func latest() async throws {
    try await Premises.serve(2, toPrograms: true) { premises in
      let site = premises.site
      try await Self.work(premises, ada: [.numbered(1)], bob: [.numbered(2)])
      // These runs are newer, but one received nothing and the other is a rehearsal.
      try await premises.whileAdapterIsTaken {
        try await premises.apply("--reports", "ada").expect(69)
      }
      _ = try await premises.run(
        ["apply", "building.yaml", "--scan-time", "1", "--reports", "ada", "--simulate"])
      let newest = try #require(try Self.runs("bob", at: site).first)
      for _ in 1...2 {
        try await site.run(Self.merge + ["--into", "reports"]).expect(0)
        #expect(try site.latest.lastPathComponent == newest)
        try site.expectWholeRecord(rooms: 1)
      }
      #expect(site.runs.count == 3)
      #expect(!site.has("reports/\(Site.building)/rehearsals"))
      try await site.run(["report", Site.building]).expect(0)
    }
  }

  @Test("folders that are not runs are named and not merged")
  func otherFolders() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.apply("--reports", "ada").status == 0)
      let backup = site.directory.appending(path: "\(Self.folders[0])/backup 2026")
      try FileManager.default.createDirectory(at: backup, withIntermediateDirectories: true)
      try await site.run([
        "report", "merge", Self.folders[0], Self.folders[0], "--into", "reports",
      ]).expect(0, errors: "not a run: \(Self.folders[0])/backup 2026")
      #expect(try FileManager.default.contentsOfDirectory(atPath: backup.path) == [])
      #expect(!site.has("reports/\(Site.building)/backup 2026"))
    }
  }

  @Test(
    "a folder that is not a record is refused with an example of the right path",
    arguments: ["ada", "empty", "building.yaml", "nowhere"])
  func wrongFolder(_ name: String) async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.apply("--reports", "ada").status == 0)
      try FileManager.default.createDirectory(
        at: site.directory.appending(path: "empty"), withIntermediateDirectories: true)
      for folders in [[Self.folders[0], name], [name, Self.folders[0]]] {
        let outcome = try await site.run(["report", "merge"] + folders + ["--into", "reports"]).expect(
          errors: name, "such as reports/")
        #expect(outcome.status == 64 || outcome.status == 74, "\(outcome)")
        #expect(outcome.output.isEmpty, "\(outcome)")
        #expect(!site.has("reports"))
      }
      #expect(try Self.entries(of: "empty", at: site) == [])
    }
  }

  private static func entries(of folder: String, at site: Site) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: site.directory.appending(path: folder).path)
  }

  @Test("a minor on two sensors is named as a conflict")
  func minorTwice() async throws {
    try await Premises.serve(2) { premises in
      // The second laptop does not receive the sensor of the first one.
      try await Self.work(
        premises, ada: [.numbered(1)],
        bob: [Place(minor: 101, address: ServedBuilding.address(2).description, name: "Cellar")]
      ) { await premises.setMuted(true, 1) }
      try await Self.expectContradiction(
        saying: [
          "Minor 101", ServedBuilding.address(1).description, ServedBuilding.address(2).description,
          "“Room 101”", "“Cellar”",
        ], rooms: ["room-101", "cellar"], at: premises.site)
    }
  }

  @Test("a sensor in two rooms is named as a conflict")
  func addressTwice() async throws {
    try await Premises.serve(1) { premises in
      try await Self.work(
        premises, ada: [.numbered(1)],
        bob: [Place(minor: 102, address: ServedBuilding.address(1).description)]
      ) { await premises.pressButton(1) }
      try await Self.expectContradiction(
        saying: ["\(ServedBuilding.address(1)) is on record in several rooms", "“Room 101”", "“Room 102”"],
        rooms: ["room-101", "room-102"], at: premises.site)
    }
  }

  @Test("a room with two sensors is a conflict that blocks each run until it is resolved")
  func roomTwice() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try await Self.work(
        premises, ada: [.numbered(1)],
        bob: [Place(minor: 101, address: ServedBuilding.address(2).description)]
      ) { await premises.setMuted(true, 1) }
      try await Self.expectContradiction(
        saying: ["“Room 101” has several devices on record"], rooms: ["room-101"], at: site)

      try await site.run(Self.merge + ["--into", "reports"]).expect(100)
      try await premises.expectRefused(
        ["apply", "building.yaml", "--scan-time", "1"], with: 65,
        saying: ["“Room 101” has several devices on record", "--device"])
      try await premises.run([
        "room", "replace", "building.yaml", "Room 101", "--device", ServedBuilding.address(1).description,
        "--scan-time", "1",
      ]).expect(0)
      try await premises.apply().expect(0)
      #expect(try site.outcomes == [101: "already_provisioned"])
    }
  }

  private static func expectContradiction(
    saying words: [String], rooms: Set<String>, at site: Site,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let text = try await site.run(merge)
    #expect(text.status == 100, "\(text)", sourceLocation: sourceLocation)
    for word in words {
      #expect(text.output.contains(word), "“\(word)”\n\(text)", sourceLocation: sourceLocation)
    }
    let data = try await site.run(merge + ["--output", "json"])
    #expect(data.status == 100, "\(data)", sourceLocation: sourceLocation)
    let named = JSON(data.output)?["conflicts"].items.map { conflict in
      Set(conflict["rooms"].items.compactMap(\.text))
    }
    #expect(named?.contains(rooms) == true, "\(data)", sourceLocation: sourceLocation)
    #expect(!site.has("reports"), "without --into nothing is written", sourceLocation: sourceLocation)
  }

  @Test("a copy of a run with different content is refused, and the run is named")
  func tampered() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.apply("--reports", "ada").status == 0)
      try FileManager.default.copyItem(
        at: site.directory.appending(path: "ada"), to: site.directory.appending(path: "bob"))
      let run = try #require(try Self.runs("bob", at: site).first)
      let copy = Self.journal("bob", run, at: site)
      let text = try String(contentsOf: copy, encoding: .utf8)
      // A copy without the last lines is a copy made during the run.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      try Data((lines.dropLast(3).joined(separator: "\n") + "\n").utf8).write(to: copy)
      try await site.run(Self.merge).expect(0)

      // The hash chain reveals a changed line.
      try Data(text.replacing("Room 101", with: "Room 102", maxReplacements: 1).utf8).write(to: copy)
      let changed = try await site.run(Self.merge + ["--into", "reports"])
      #expect(changed.status == 74, "\(changed)")
      #expect(changed.errors.contains(run), "\(changed)")
      #expect(
        changed.errors.contains("journal.jsonl:1: line 1 was changed after it was written"), "\(changed)")
      #expect(!site.has("reports/\(Site.building)"))

      // The complete journal of another run replaces this one.
      try await premises.apply("--reports", "other").expect(
        100, "a laptop without the record knows nothing of the settings")
      let foreign = try #require(try Self.runs("other", at: site).first)
      try Data(contentsOf: Self.journal("other", foreign, at: site)).write(to: copy)
      try await site.run(Self.merge + ["--into", "reports"]).expect(
        74, errors: "run \(run) has different records in")
      #expect(!site.has("reports/\(Site.building)"))
    }
  }

  @Test("records of two buildings, or a single record, cannot be merged")
  func unmergeable() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.apply("--reports", "ada").status == 0)
      try await site.run(["report", "merge", Self.folders[0]]).expect(64)
      let absent = try await site.run(Self.merge).expect(74)
      #expect(absent.errors.contains(Self.folders[1]), "\(absent)")
    }
  }
}
