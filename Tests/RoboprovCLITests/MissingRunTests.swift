import Foundation
import RecordedText
import Testing

@Suite("a record without one of its runs", .timeLimit(.minutes(60)))
struct MissingRunTests {
  @Test("a run that a later run has read, and that is missing, is named and nothing is decided")
  func missing() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let first = try #require(site.runs.first)
      #expect(try await premises.apply().status == 0)
      let second = try #require(site.runs.first { $0 != first })
      let folder = site.directory.appending(path: "reports/\(Site.building)/\(first)")
      let aside = site.directory.appending(path: "aside")
      try FileManager.default.moveItem(at: folder, to: aside)
      for (command, status) in [
        (["status", "building.yaml", "--check"], 74), (["report", "check", Site.building], 100),
        (["apply", "building.yaml", "--scan-time", "1"], 74),
        (["room", "retire", "building.yaml", "Room 101", "--without-scan"], 74),
      ] as [([String], Int32)] {
        try await premises.run(command).expect(
          status, errors: "\(first)/journal.jsonl is missing, but run \(second) has read it")
      }
      #expect(site.runs == [second])
      try FileManager.default.moveItem(at: aside, to: folder)
      try await site.run(["status", "building.yaml", "--check"]).expect(0, notErrors: "skipped")
      try FileManager.default.createDirectory(
        at: folder.deletingLastPathComponent().appending(path: "notes"), withIntermediateDirectories: true)
      try await site.run(["status", "building.yaml", "--check"]).expect(
        0, errors: "roboprov: warning: skipped, not a run: ", "/notes\n")
    }
  }

  @Test("a run on a computer whose clock went back says so, and counts as the last one", .notRecorded)
  func clock() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      let ahead = try Forgery.put(
        [], run: "z-ahead", at: site, began: Date().addingTimeInterval(400 * 86_400))
      try await premises.apply().expect(0, errors: "clock is ", "run \(ahead) has")
      let run = try #require(site.runs.first { $0 != ahead })
      let journal = try String(
        contentsOf: site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl"),
        encoding: .utf8)
      #expect(
        journal.contains(#""clock_behind":"#) && journal.contains(#""predecessors":[{"last":"#), "\(journal)")
      try await site.run(["status", Site.building]).expect(0, output: "run \(run)")
    }
  }
}
