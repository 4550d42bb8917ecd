import Foundation
import Model
import Reporting
import SampleFacts
import Testing
import VirtualBuilding

@Suite("text from outside cannot control the terminal", .timeLimit(.minutes(60)))
struct HostileTextTests {
  /// Colours, a window title, a line break, C1 characters and bidirectional overrides.
  static let hostile = "a\u{1B}[31mb\u{1B}]0;t\u{7}c\u{9B}2Jd\u{202E}e\u{2028}f\ng\u{7F}"

  /// Checks that the output of a process contains no control character except line ends.
  private func expectHarmless(
    _ outcome: Invocation.Outcome, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let written = outcome.output + outcome.errors
    let controlling = written.unicodeScalars.filter { $0.isControlling && $0 != "\n" }
    #expect(
      controlling.isEmpty, "\(controlling.map { $0.value })\n\(outcome)", sourceLocation: sourceLocation)
    #expect(!written.contains("\ng"), "a line of its own\n\(outcome)", sourceLocation: sourceLocation)
    #expect(words.isEmpty || written.contains(words), "\(outcome)", sourceLocation: sourceLocation)
  }

  @Test("file names cannot control the terminal")
  func fileNames() async throws {
    try await Site.use { site in
      let name = Self.hostile + ".yaml"
      for command in ["validate", "plan", "apply", "status"] {
        expectHarmless(try await site.run([command, name]), saying: "\\u{1B}[31m")
      }
      expectHarmless(
        try await site.run(["room", "history", "x", "y", "--reports", Self.hostile]),
        saying: "no room is on record")
      try site.write(name, "rooms: [\n")
      expectHarmless(try await site.run(["validate", name]), saying: "\\u{1B}[31m")
      // Typed text with several lines is repeated over several lines.
      let argument = Self.hostile.replacing("\n", with: "")
      for arguments in [["--\(argument)"], [argument]] {
        expectHarmless(try await site.run(arguments), saying: "\\u{1B}[31m")
      }
    }
  }

  @Test("rooms, buildings and texts of forged journals cannot control the terminal")
  func journals() async throws {
    try await Site.use { site in
      let room: RoomID = "forged"
      let facts: [Fact] = [
        .statusReceived(.init(room: room, attempt: 1, text: Self.hostile, meaning: .other)),
        .roomFinished(
          .init(
            room: room, outcome: .failed, attempts: 1, seconds: 1, settings: [],
            reason: .refused(stage: .write, deviceText: Self.hostile))),
        .runInterrupted(.init(cause: .stack, detail: Self.hostile)),
      ]
      for reports in ["reports", "ada", "bob"] {
        try Forgery.put(
          facts, run: "20260901-090000-\(reports)", room: room, name: Self.hostile, in: reports, at: site)
      }
      for arguments in [
        ["room", "history", Site.building, Self.hostile],
        ["room", "history", Site.building, Self.hostile, "--full"],
        ["room", "history", Site.building, Self.hostile, "--output", "json"], ["status", Site.building],
        ["status", Site.building, "--output", "json"],
        ["report", "merge", "ada/\(Site.building)", "bob/\(Site.building)"],
        ["report", "merge", "ada/\(Site.building)", "bob/\(Site.building)", "--output", "json"],
        ["report", "merge", "ada/\(Site.building)", "bob/\(Site.building)", "--into", "joined"],
        ["report", Site.building, "20260901-090000-reports"],
      ] {
        let outcome = try await site.run(arguments)
        let isJSON = arguments.last == "json"
        // The short history has no text from outside.
        let isShort = arguments.count == 4 && arguments[1] == "history"
        expectHarmless(
          outcome, saying: isShort ? "settings refused" : isJSON ? "\\u001b[31m" : "\\u{1B}[31m")
        if isJSON { #expect(JSON(outcome.output) != nil, "\(outcome)") }
      }
      try Forgery.put([], run: "20260902-090000-x", building: Self.hostile, in: "cid", at: site)
      expectHarmless(
        try await site.run(["report", "merge", "ada/\(Site.building)", "cid/\(Site.building)"]),
        saying: "several buildings: ")
      expectHarmless(
        try await site.run(["status", Site.building, "--reports", "cid"]), saying: "to another building")
    }
  }

  @Test("logind's error message cannot control the terminal")
  func logind() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await ServedBuilding.serve([ServedBuilding.sensor(1)]) { building in
        let words = "\(Self.hostile), \(Site.password.uppercased())"
        let refusal = FakeLogin.Manner.refuses("org.freedesktop.login1.OperationInProgress", words)
        let outcome = try await FakeLogin.serve(refusal, onBus: building.busAddress) { _ in
          try await site.run(["apply", "building.yaml", "--scan-time", "1"], bus: building.bus)
        }
        #expect(outcome.status == 0)
        expectHarmless(outcome, saying: "logind refused to prevent it")
        #expect(outcome.errors.contains("\\u{7F}, •••)"), "it repeated the password\n\(outcome)")
      }
    }
  }
}
