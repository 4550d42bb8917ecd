import Foundation
import Testing
import VirtualBuilding

@Suite("errors that people run into say what to do", .timeLimit(.minutes(60)))
struct PlainErrorTests {
  private static let program = Invocation.program.path

  @Test("a limit of open files that is too low ends the command before it begins")
  func openFiles() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await site.runTool([
        "sh", "-c", "ulimit -n 16; exec \(Self.program) apply building.yaml --simulate --yes",
      ]).expect(69, errors: "only 16 files may be open at once", "`ulimit -n 1024`")
      #expect(!site.has("reports"))
    }
  }

  @Test("a soft limit of open files is raised")
  func softLimit() async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await site.runTool([
        "sh", "-c", "ulimit -S -n 16; exec \(Self.program) validate building.yaml",
      ]).expect(0)
    }
  }

  @Test("for programs, rooms that are not done are an error as JSON, the last line of stderr")
  func incomplete() async throws {
    try await Site.use([.numbered(1)]) { site in
      let outcome = try await site.run(["status", "building.yaml", "--check", "--output", "json"]).expect(100)
      let last = try #require(outcome.errors.split(separator: "\n").last, "\(outcome)")
      let error = try #require(JSON(String(last)), "\(outcome)")
      #expect(error["code"].text == "incomplete" && error["exit_status"].number == 100)
    }
  }

  @Test("a folder, and a name with a mistake, get the name that was meant")
  func names() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await site.run(["validate", "."]).expect(65, errors: "Name the file in it: ./building.yaml")
      try await site.run(["validate", "bulding.yaml"]).expect(65, errors: "Did you mean building.yaml?")
    }
  }

  @Test("after rehearsals only, `status` and `report` name what there is")
  func rehearsalsOnly() async throws {
    try await Site.use([.numbered(1)]) { site in
      try FileManager.default.moveItem(
        at: site.directory.appending(path: "building.yaml"), to: site.directory.appending(path: "hotel.yaml"))
      try await site.run(["apply", "hotel.yaml", "--simulate", "--yes", "--scan-time", "1"]).expect(0)
      try await site.run(["status", Site.building]).expect(output: "roboprov apply hotel.yaml")
      try await site.run(["report", Site.building, "nope"]).expect(
        74, errors: "It has only rehearsals, the newest first: 2", notErrors: "`ls ")
    }
  }
}
