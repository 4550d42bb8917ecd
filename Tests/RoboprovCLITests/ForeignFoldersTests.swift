import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("a building's folder may contain other files", .timeLimit(.minutes(60)))
struct ForeignFoldersTests {
  private static let folder = "reports/\(Site.building)"

  private static func make(_ name: String, at site: Site) throws {
    try FileManager.default.createDirectory(
      at: site.directory.appending(path: "\(folder)/\(name)"), withIntermediateDirectories: true)
  }

  @Test("folders that are not runs are named once, stay unchanged and stop no command")
  func otherFolders() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      try Self.make("backup 2026", at: site)
      try Self.make("photos", at: site)
      try FileManager.default.createDirectory(
        at: site.directory.appending(path: "copy"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: site.directory.appending(path: Self.folder),
        to: site.directory.appending(path: "copy/\(Site.building)"))
      for name in ["backup 2026", "photos"] {
        try FileManager.default.removeItem(
          at: site.directory.appending(path: "copy/\(Site.building)/\(name)"))
      }
      for command in [
        ["apply", "building.yaml", "--scan-time", "1"], ["plan", "building.yaml", "--scan-time", "1"],
        ["room", "history", "building.yaml", "Room 101"], ["status", "building.yaml"],
        ["room", "accept", "building.yaml", "Room 101", "--reason", "r", "--by", "b"],
        ["report", "merge", Self.folder, "copy/\(Site.building)"],
      ] {
        let outcome = try await premises.run(command)
        // A room that is done cannot be accepted.
        #expect(outcome.status == (command.contains("accept") ? 64 : 0), "\(outcome)")
        let lines = outcome.errors.split(separator: "\n").filter { $0.contains("not a run") }
        #expect(lines.count == 1, "\(outcome)")
        for name in ["backup 2026", "photos"] {
          #expect(lines.first?.contains("\(Self.folder)/\(name)") == true, "\(outcome)")
          #expect(
            try FileManager.default.contentsOfDirectory(
              atPath: site.directory.appending(path: "\(Self.folder)/\(name)").path) == [])
        }
      }
    }
  }

  /// A defect of a run's folder, and the message about it.
  struct Wrong: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var says: [String]
    /// Changes the folder of a run.
    var spoil: @Sendable (URL) throws -> Void
  }

  static let wrong = [
    Wrong(testDescription: "copied without its journal", says: ["journal.jsonl is missing", "--mirror"]) {
      try FileManager.default.removeItem(at: $0.appending(path: "journal.jsonl"))
    },
    Wrong(
      testDescription: "written by a newer version",
      says: [":3: line 3 was written by a newer version of roboprov (event of version 2)", "newer"]
    ) {
      try change(3, of: $0) { $0.replacing(#""v":1}"#, with: #""v":2}"#) }
    },
    Wrong(
      testDescription: "with an event of a newer version",
      says: [":3: line 3 was written by a newer version of roboprov (event teleported)", "newer"]
    ) {
      try change(3, of: $0) { $0.replacing(/"kind":"[a-z_]+"/, with: #""kind":"teleported""#) }
    },
    Wrong(
      testDescription: "with another file in the journal's place",
      says: [":1: this file is not a journal of roboprov"]
    ) {
      try Data("room,id\r\n".utf8).write(to: $0.appending(path: "journal.jsonl"))
    },
  ]

  private static func change(_ line: Int, of folder: URL, _ change: (String) -> String) throws {
    let file = folder.appending(path: "journal.jsonl")
    var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    lines[line - 1] = change(lines[line - 1])
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  @Test(
    "an incomplete run folder stops commands that decide by the record; its reports stay", arguments: wrong)
  func incomplete(_ wrong: Wrong) async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let run = try site.latest
      try wrong.spoil(run)
      let before = try site.recordedContents
      for command in [
        ["apply", "building.yaml", "--scan-time", "1"],
        ["plan", "building.yaml", "--simulate", "--scan-time", "1"],
        ["report", Site.building, run.lastPathComponent], ["report", Site.building],
        ["report", "merge", Self.folder, Self.folder, "--into", "joined"],
      ] {
        let outcome = try await premises.run(command).expect(74)
        for word in wrong.says + [run.lastPathComponent] {
          #expect(outcome.errors.contains(word), "“\(word)”\n\(outcome)")
        }
        #expect(try site.recordedContents == before, "\(outcome)")
        #expect(!site.has("joined"))
      }
    }
  }

  @Test("a run of another building is refused with the name of that building")
  func otherBuilding() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let run = try site.latest.lastPathComponent
      try FileManager.default.copyItem(
        at: site.directory.appending(path: Self.folder), to: site.directory.appending(path: "reports/annexe"))
      let manifest = try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      try site.write("annexe.yaml", manifest.replacing("id: \(Site.building)", with: "id: annexe"))
      let before = try site.recordedContents.filter { !$0.key.hasSuffix(".lock") }
      for command in [
        ["apply", "annexe.yaml", "--scan-time", "1"],
        ["room", "accept", "annexe.yaml", "Room 101", "--reason", "r", "--by", "b"],
        ["report", "annexe"], ["report", "annexe", run],
      ] {
        let outcome = try await premises.run(command).expect(
          74, errors: "\(run)/journal.jsonl belongs to another building, \(Site.building)")
        #expect(try site.recordedContents.filter { !$0.key.hasSuffix(".lock") } == before, "\(outcome)")
      }
    }
  }
}
