import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("Nothing is decided by a record that cannot be trusted", .timeLimit(.minutes(3)))
struct TrustedRecordTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--listen", "1"]
  private static let withKey = apply + ["--site-key", "keys/site.key"]

  // MARK: Journals

  private static func journal(of run: String, at site: Site) -> URL {
    site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl")
  }

  @Test(
    "a journal with a damaged line stops every command that decides by it, and names the line",
    arguments: [
      apply, ["plan", "building.yaml"], ["retire", "building.yaml", "Room 101", "--unheard"],
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
        command, with: 74, saying: ["\(Site.building)/\(first)/journal.jsonl:3: damaged", "--mirror"])
      // Looking decides nothing, and says what it cannot show.
      let history = try await premises.run(["history", "building.yaml", "Room 101", "--full"])
      #expect(history.status == 0, "\(history)")
      #expect(history.errors.contains("journal.jsonl:3: damaged"), "\(history)")
      #expect(history.output.contains("already_provisioned"), "the second run's record is whole\n\(history)")
    }
  }

  @Test("a line that was cut off by a crash stops nothing")
  func torn() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let run = try #require(site.runs.first)
      let file = Self.journal(of: run, at: site)
      try Data(contentsOf: file).dropLast(20).write(to: file)
      let outcome = try await premises.apply()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try site.outcomes == [101: "already_provisioned"])
    }
  }

  // MARK: The site's key

  private static func mode(_ name: String, at site: Site) throws -> Int? {
    let path = site.directory.appending(path: name).path
    return try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test("the site's key is made for its owner alone, and stays")
  func keyMade() async throws {
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

  @Test("a key that others can read, or that is none, stops a run before it begins")
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
