import Foundation
import Model
import Testing
import VirtualBuilding

@Suite("a failed write to stdout is an error", .timeLimit(.minutes(60)))
struct OutputTests {
  private static let program = Invocation.program.path
  private static let history = ["room", "history", Site.building, "room-101", "--full"]

  /// A site with a history of about 400 KB.
  private func useLongHistory(_ body: (Site) async throws -> Void) async throws {
    try await Site.use { site in
      let fact = Fact.statusReceived(
        .init(room: "room-101", attempt: 1, text: "joining the network", meaning: .other))
      try Forgery.put(Array(repeating: fact, count: 5000), at: site)
      try await body(site)
    }
  }

  private func shell(_ script: String, at site: Site) async throws -> Invocation.Outcome {
    try await site.runTool(["sh", "-c", script])
  }

  @Test("a full disk and a closed stdout are errors", arguments: [">/dev/full", ">&-"])
  func lost(redirection: String) async throws {
    try await useLongHistory { site in
      try await shell(
        "\(Self.program) \(Self.history.joined(separator: " ")) \(redirection)", at: site
      ).expect(74, errors: "writing to stdout failed")
      try await shell("\(Self.program) --help \(redirection)", at: site).expect(74)
    }
  }

  @Test("a reader that closes the pipe is no error")
  func broken() async throws {
    try await useLongHistory { site in
      let outcome = try await shell(
        "(\(Self.program) \(Self.history.joined(separator: " ")); echo $? >status) | head -n 1; cat status",
        at: site)
      #expect(outcome.output.hasSuffix("\n0\n") && outcome.errors.isEmpty, "\(outcome)")
    }
  }

  @Test(
    "a run that cannot print its report is complete on record, and its exit status shows the failure")
  func run() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let site = premises.site
      let command = "\(Self.program) apply building.yaml --yes --scan-time 1 >/dev/full"
      try await site.runTool(
        ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(premises.building.bus)", "sh", "-c", command]).expect(
          74, errors: "writing to stdout failed")
      #expect(try site.outcomes == [101: "provisioned"])
    }
  }

  @Test("all output arrives through a slow pipe")
  func nonBlocking() async throws {
    try await useLongHistory { site in
      let whole = try await site.run(Self.history)
      #expect(whole.output.utf8.count > 300_000)
      let pipe = Pipe()
      let end = pipe.fileHandleForWriting.fileDescriptor
      try #require(fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0)
      let process = Process()
      process.executableURL = Invocation.program
      process.arguments = Self.history
      process.currentDirectoryURL = site.directory
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      try process.run()
      try pipe.fileHandleForWriting.close()
      try await Task.sleep(for: .milliseconds(500))
      var read = Data()
      while let part = try pipe.fileHandleForReading.read(upToCount: 10_000), !part.isEmpty { read += part }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(read == Data(whole.output.utf8), "\(read.count) of \(whole.output.utf8.count) bytes")
    }
  }

  @Test(
    "no other file takes the place of a closed stdin, stdout or stderr",
    arguments: ["<&-", "2>&-", "<&- >&- 2>&-"])
  func closed(redirection: String) async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let command = "\(Self.program) apply building.yaml --yes --scan-time 1 \(redirection)"
      let outcome = try await premises.site.runTool(
        ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(premises.building.bus)", "sh", "-c", command])
      #expect(outcome.status == (redirection.contains(" >") ? 74 : 0), "\(outcome)")
      #expect(try premises.site.outcomes == [101: "provisioned"])
      try premises.site.expectWholeRecord(rooms: 1)
    }
  }
}
