import Foundation
import Testing
import VirtualBuilding

@Suite("errors that people run into say what to do", .timeLimit(.minutes(60)))
struct PlainErrorTests {
  private static let program = Invocation.program.path

  @Test("a limit of open files that is too low ends the command before it begins")
  func openFiles() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let outcome = try await site.runTool([
        "sh", "-c", "ulimit -n 16; exec \(Self.program) apply building.yaml --simulate --yes",
      ])
      #expect(outcome.status == 69, "\(outcome)")
      #expect(outcome.errors.contains("only 16 files may be open at once"), "\(outcome)")
      #expect(outcome.errors.contains("`ulimit -n 1024`"), "\(outcome)")
      #expect(!site.has("reports"))
    }
  }

  @Test("a soft limit of open files is raised")
  func softLimit() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let outcome = try await site.runTool([
        "sh", "-c", "ulimit -S -n 16; exec \(Self.program) validate building.yaml",
      ])
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test("for programs, rooms that are not done are an error as JSON, the last line of stderr")
  func incomplete() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let outcome = try await site.run(["status", "building.yaml", "--check", "--output", "json"])
      #expect(outcome.status == 100, "\(outcome)")
      let last = try #require(outcome.errors.split(separator: "\n").last, "\(outcome)")
      let error = try #require(JSON(String(last)), "\(outcome)")
      #expect(error["code"].text == "incomplete" && error["exit_status"].number == 100)
    }
  }

  @Test("a folder, and a name with a mistake, get the name that was meant")
  func names() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let folder = try await site.run(["validate", "."])
      #expect(
        folder.status == 65 && folder.errors.contains("Name the file in it: ./building.yaml"), "\(folder)")
      let mistyped = try await site.run(["validate", "bulding.yaml"])
      #expect(mistyped.status == 65 && mistyped.errors.contains("Did you mean building.yaml?"), "\(mistyped)")
    }
  }

  @Test("after rehearsals only, `status` and `report` name what there is")
  func rehearsalsOnly() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try FileManager.default.moveItem(
        at: site.directory.appending(path: "building.yaml"), to: site.directory.appending(path: "hotel.yaml"))
      let rehearsal = try await site.run(["apply", "hotel.yaml", "--simulate", "--yes", "--scan-time", "1"])
      #expect(rehearsal.status == 0, "\(rehearsal)")
      let status = try await site.run(["status", Site.building])
      #expect(status.output.contains("roboprov apply hotel.yaml"), "\(status)")
      let report = try await site.run(["report", Site.building, "nope"])
      #expect(
        report.status == 74 && report.errors.contains("It has only rehearsals, the newest first: 2"),
        "\(report)")
      #expect(!report.errors.contains("`ls "), "\(report)")
    }
  }
}
