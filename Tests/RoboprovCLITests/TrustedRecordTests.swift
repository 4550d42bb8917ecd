import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("commands decide only by a record that is intact", .timeLimit(.minutes(60)))
struct TrustedRecordTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]
  private static let withKey = apply + ["--site-key", "keys/site.key"]

  // MARK: Journals

  private static func journal(of run: String, at site: Site) -> URL {
    site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl")
  }

  @Test(
    "a damaged line of a journal stops each command that decides by it, and the line is named",
    arguments: [
      apply, ["plan", "building.yaml"], ["room", "retire", "building.yaml", "Room 101", "--without-scan"],
    ])
  func damaged(_ command: [String]) async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let first = try #require(site.runs.first)
      #expect(try await premises.apply().status == 0)
      let file = Self.journal(of: first, at: site)
      var lines = try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      lines[2] = "\u{FFFD}\u{FFFD}\u{FFFD}"
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      try await premises.expectRefused(
        command, with: 74,
        saying: [
          "\(Site.building)/\(first)/journal.jsonl:3: line 3 was changed after it was written: it is not JSON",
          "--mirror",
        ])
      // Read-only commands continue and name what they cannot show.
      let history = try await premises.run(["room", "history", "building.yaml", "Room 101", "--full"]).expect(
        0, errors: "journal.jsonl:3: line 3 was changed")
      #expect(history.output.contains("already provisioned"), "the second run's record is whole\n\(history)")
    }
  }

  /// Changes one byte of a line of a file in place.
  private static func flip(line: Int, of file: URL) throws {
    var bytes = try Data(contentsOf: file)
    let begin = try #require(
      bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropFirst(line - 1).first?
        .startIndex)
    let place = try #require(bytes[begin...].range(of: Data(#""elapsed_us":"#.utf8)))
    // Replaces a digit, but not the first one, by another.
    let digit = place.upperBound + 1
    bytes[digit] = bytes[digit] == UInt8(ascii: "7") ? UInt8(ascii: "8") : UInt8(ascii: "7")
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test("a damaged journal yields no new reports, and the existing ones stay")
  func reportOfDamaged() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let run = try #require(site.runs.first)
      try Self.flip(line: 7, of: Self.journal(of: run, at: site))
      let before = try site.recordedContents
      for command in [["report", Site.building], ["report", Site.building, run]] {
        let report = try await site.run(command).expect(
          74, errors: "\(run)/journal.jsonl:7: line 7 was changed after it was written\n", "--mirror")
        #expect(report.output.isEmpty, "\(report)")
        #expect(try site.recordedContents == before, "something was overwritten\n\(report)")
      }
    }
  }

  /// A change of the journal by another program during a run.
  struct Meddling: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var says: String
    var meddle: @Sendable (URL) throws -> Void
  }

  static let meddlings = [
    Meddling(
      testDescription: "a byte of an earlier line is flipped",
      says: ":4: line 4 was changed after it was written"
    ) {
      try flip(line: 4, of: $0)
    },
    Meddling(testDescription: "the file is cut off", says: ":3: line 3 was changed after it was written") {
      // Later lines follow a hole in the file.
      let text = try String(contentsOf: $0, encoding: .utf8)
      let head = text.split(separator: "\n").prefix(2).joined(separator: "\n") + "\n"
      try #require(truncate($0.path, head.utf8.count) == 0)
    },
    Meddling(testDescription: "the file is emptied", says: ":1: ") {
      try #require(truncate($0.path, 0) == 0)
    },
  ]

  /// A run with an attempt at its second sensor, which accepts no connection, until it is interrupted.
  private static func runWithMeddling(
    _ meddling: Meddling, _ options: [String],
    _ body:
      @escaping @Sendable (Site, Invocation.Outcome, _ run: String, _ latest: String) async throws -> Void
  ) async throws {
    try await Site.use { site in
      try site.writeManifest(
        [.numbered(1), .numbered(2)], defaults: ["retries: 0", "timeouts: { connect: 10m }"])
      let sensors = [ServedBuilding.sensor(1), ServedBuilding.sensor(2, .neverAnswers)]
      try await ServedBuilding.serve(sensors) { building in
        let first = try await site.run(apply + ["--only", "Room 101"], bus: building.bus)
        try #require(first.status == 0, "\(first)")
        let latest = try site.latest.lastPathComponent
        let run = try site.start(apply + options, bus: building.bus)
        try await run.prints("Room 102: attempt 1")
        let id = try #require(site.runs.first { $0 != latest })
        try meddling.meddle(journal(of: id, at: site))
        run.send(SIGINT)
        try await body(site, try await run.ended(), id, latest)
      }
    }
  }

  @Test(
    "a journal that another program changes ends the run with 74 and without reports", arguments: meddlings)
  func changedMeanwhile(_ meddling: Meddling) async throws {
    try await Self.runWithMeddling(meddling, []) { site, outcome, run, latest in
      #expect(outcome.status == 74, "\(outcome)")
      #expect(outcome.errors.contains("\(run)/journal.jsonl\(meddling.says)"), "\(outcome)")
      #expect(outcome.errors.contains("move the folder \(run)"), "the advice is missing\n\(outcome)")
      #expect(!outcome.output.contains("rooms done"), "\(outcome)")
      let now = try site.latest.lastPathComponent
      #expect(now == latest)
      #expect(!site.has("reports/\(Site.building)/\(run)/report.json"))
    }
  }

  @Test("an intact mirror of such a run is named with the command that copies it")
  func wholeMirror() async throws {
    try await Self.runWithMeddling(Self.meddlings[0], ["--mirror", "stick"]) { site, outcome, run, latest in
      #expect(outcome.status == 74, "\(outcome)")
      let files = ["stick", "reports"].map { "\($0)/\(Site.building)/\(run)/journal.jsonl" }
      #expect(outcome.errors.contains("The mirror is complete."), "\(outcome)")
      #expect(outcome.errors.contains("`cp \(files[0]) \(files[1])`"), "\(outcome)")
      #expect(site.has("stick/\(Site.building)/\(run)/report.json"), "the mirror has its reports")
      try await site.runTool(["cp"] + files).expect(0)
      try await site.run(["report", Site.building, run, "--reports", "reports"]).expect(0)
      #expect(try site.latest.lastPathComponent == run)
      try site.expectWholeRecord(rooms: 2)
    }
  }

  @Test("a line that a crash cut off stops no command")
  func torn() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let run = try #require(site.runs.first)
      let file = Self.journal(of: run, at: site)
      try Data(contentsOf: file).dropLast(20).write(to: file)
      try await premises.apply().expect(0)
      #expect(try site.outcomes == [101: "already_provisioned"])
    }
  }

  // MARK: The site key

  private static func mode(_ name: String, at site: Site) throws -> Int? {
    let path = site.directory.appending(path: name).path
    return try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test("the site key is created with owner-only access and kept")
  func keyCreated() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      #expect(try await premises.run(Self.withKey).status == 0)
      #expect(try Self.mode("keys/site.key", at: site) == 0o600)
      let file = site.directory.appending(path: "keys/site.key")
      let key = try Data(contentsOf: file)
      #expect(key.count == 32)
      #expect(try await premises.run(Self.withKey).status == 0)
      #expect(try site.outcomes == [101: "already_provisioned"])
      #expect(try Data(contentsOf: file) == key)
      for recorded in site.recordedFiles {
        #expect(try Data(contentsOf: recorded).range(of: key) == nil, "\(recorded.path)")
      }
    }
  }

  @Test("a site key that others can read, or that is invalid, stops a run before it begins")
  func keyRefused() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      let file = site.directory.appending(path: "keys/site.key")
      #expect(try await premises.run(Self.withKey).status == 0)
      for mode in [0o640, 0o604] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        try await premises.expectRefused(
          Self.withKey, with: 74, saying: ["the site's key", "chmod 600 keys/site.key"])
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      try Data("short".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      try await premises.expectRefused(Self.withKey, with: 74, saying: ["the site's key", "--site-key FILE"])
    }
  }
}
