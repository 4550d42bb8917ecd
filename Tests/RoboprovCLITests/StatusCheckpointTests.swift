import Digest
import Foundation
import Testing

@Suite("`status` uses a checkpoint", .timeLimit(.minutes(60)))
struct StatusCheckpointTests {
  private static let status = ["status", "building.yaml"]

  private static func checkpoint(_ site: Site) -> URL {
    site.directory.appending(path: "reports/\(Site.building)/status.checkpoint")
  }

  @Test("the checkpoint is read in place of journals that have not changed")
  func used() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let first = try await site.run(Self.status)
      #expect(first.output.contains("All 2 rooms done"), "\(first)")
      // Only a forged checkpoint can show an empty record beside complete journals.
      let file = Self.checkpoint(site)
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", maxSplits: 2)
      let body = lines[2].replacing(#""grade":"beacon_on_air""#, with: #""grade":"self_disconnect""#)
        .replacing(#""grade":"fresh_beacon""#, with: #""grade":"self_disconnect""#)
      let made = "\(lines[0])\n\(SHA256(of: Array(body.utf8)).hex)\n\(body)"
      try Data(made.utf8).write(to: file)
      let other = try await site.run(Self.status)
      #expect(other.output.contains("2 done with weak evidence"), "\(other)")
      // A checkpoint with a wrong digest is ignored.
      try Data("\(lines[0])\n0\n\(body)".utf8).write(to: file)
      #expect(try await site.run(Self.status).output == first.output)
      #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("roboprov/checkpoint/3 "))
    }
  }

  @Test("the checkpoint gives the result of all journals, also after older and newer runs and amendments")
  func equal() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let file = Self.checkpoint(site)
      func compare(_ what: String) async throws {
        let kept = try await site.run(Self.status)
        try FileManager.default.removeItem(at: file)
        let fresh = try await site.run(Self.status)
        #expect(kept.output == fresh.output && kept.status == fresh.status, "after \(what)")
      }
      try await compare("a run")
      let folder = site.directory.appending(path: "reports/\(Site.building)")
      let first = try #require(site.runs.first)
      let aside = site.directory.appending(path: "aside")
      #expect(try await premises.apply().status == 0)
      try await compare("another run")
      let retired = try await premises.run(
        [
          "retire", "building.yaml", "Room 102", "--reason", "now a corridor", "--without-scan",
          "--scan-time", "1",
        ])
      #expect(retired.status == 0, "\(retired)")
      try await compare("a change")
      try FileManager.default.moveItem(at: folder.appending(path: first), to: aside)
      try await compare("a removed run")
      try FileManager.default.moveItem(at: aside, to: folder.appending(path: first))
      try await compare("a run that began before the others")
    }
  }

  @Test("the checkpoint excludes rehearsals among the runs, also damaged ones")
  func rehearsals() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let before = try await site.run(Self.status)
      let folder = site.directory.appending(path: "reports/\(Site.building)")
      let rehearsal = try await site.run([
        "apply", "building.yaml", "--simulate", "--yes", "--scan-time", "1",
      ])
      #expect(rehearsal.status == 0, "\(rehearsal)")
      let rehearsals = folder.appending(path: "rehearsals")
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: rehearsals.path).first { $0 != "latest" })
      // Earlier versions stored rehearsals there.
      let moved = folder.appending(path: name)
      try FileManager.default.moveItem(at: rehearsals.appending(path: name), to: moved)
      let journal = moved.appending(path: "journal.jsonl")
      try (String(contentsOf: journal, encoding: .utf8) + "damage\n").write(
        to: journal, atomically: false, encoding: .utf8)
      let after = try await site.run(Self.status)
      #expect(after.status == 0 && after.output == before.output, "\(after)")
      let whole = try await site.run(["status", Site.building, "--output", "json"])
      #expect(whole.status == 0, "\(whole)")
    }
  }

  @Test("the checkpoint does not hide a changed journal")
  func damaged() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      #expect(try await site.run(Self.status).status == 0)
      let run = try #require(site.runs.first)
      let journal = site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl")
      let dates = try FileManager.default.attributesOfItem(atPath: journal.path)
      var text = try String(contentsOf: journal, encoding: .utf8)
      text = text.replacing("Room 101", with: "Room 707", maxReplacements: 1)
      try Data(text.utf8).write(to: journal)
      try FileManager.default.setAttributes(
        [.modificationDate: dates[.modificationDate] as Any], ofItemAtPath: journal.path)
      let outcome = try await site.run(Self.status)
      #expect(outcome.status == 74, "\(outcome)")
      #expect(
        outcome.errors.contains("journal.jsonl:1: line 1 was changed after it was written"), "\(outcome)")
    }
  }
}
