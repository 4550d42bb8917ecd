import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("commands write to stdout, stderr and the terminal", .timeLimit(.minutes(60)))
struct TerminalTests {
  static let apply = ["apply", "building.yaml", "--scan-time", "1"]
  static let escape = "\u{1B}"

  private func withBuilding(
    toPrograms: Bool = false, _ body: @escaping @Sendable (Site, ServedBuilding) async throws -> Void
  ) async throws {
    try await Site.use([.numbered(1), .numbered(2)]) { site in
      let sensors = [ServedBuilding.sensor(1), ServedBuilding.sensor(2, .errorOnSave("full"))]
      try await site.serve(sensors, toPrograms: toPrograms) { try await body(site, $0) }
    }
  }

  @Test("output without a terminal is plain text: progress on stderr, the result on stdout")
  func plain() async throws {
    try await withBuilding { site, building in
      let outcome = try await site.run(Self.apply, on: building).expect(100)
      #expect(!"\(outcome)".contains(Self.escape), "\(outcome)")
      let end = outcome.output.split(separator: "\n").suffix(3)
      #expect(end.first?.hasPrefix("1 of 2 rooms done") == true, "\(outcome)")
      #expect(end.last == "Next: roboprov apply building.yaml", "\(outcome)")
      #expect(outcome.output.contains("Reports: reports/\(Site.building)/\(try #require(site.runs.first))"))
      #expect(outcome.errors.contains("✓ Room 101: provisioned"), "\(outcome)")
      let longest = outcome.output.split(separator: "\n").map(\.count).max() ?? 0
      #expect(longest <= 80, "\(outcome)")
    }
  }

  @Test("progress on a terminal is redrawn in colour, and the cursor ends below the output")
  func terminal() async throws {
    try await withBuilding(toPrograms: true) { site, building in
      let outcome = try await site.startAtTerminal(Self.apply, bus: building.bus).ended().expect(
        100, output: "\(Self.escape)[?2026h")
      #expect(outcome.output.contains("\(Self.escape)[32m"), "green\n\(outcome)")
      let opened = outcome.output.components(separatedBy: "\(Self.escape)[?2026h").count
      let closed = outcome.output.components(separatedBy: "\(Self.escape)[?2026l").count
      #expect(opened == closed, "every redraw is ended")
      #expect(outcome.output.contains("Reports: reports/"), "\(outcome)")
    }
  }

  @Test("NO_COLOR disables colours")
  func noColor() async throws {
    try await withBuilding(toPrograms: true) { site, building in
      let run = try site.startAtTerminal(Self.apply, bus: building.bus, environment: ["NO_COLOR": "1"])
      let outcome = try await run.ended().expect(100)
      let colours = outcome.output.matches(of: #/\e\[[0-9;]*m/#)
      #expect(colours.isEmpty, "\(outcome)")
    }
  }

  @Test("`apply` writes to stdout its events as they happen, or its report at the end")
  func applyOutput() async throws {
    try await withBuilding { site, building in
      let events = try await site.run(Self.apply + ["--output", "json"], on: building).expect(100)
      let journal = try site.recorded(try #require(site.runs.first)).text(of: "journal.jsonl")
      #expect(events.output == journal, "the events are the journal's lines")
      let report = try await site.run(Self.apply + ["--output", "report"], on: building)
      #expect(JSON(report.output)?["schema"].text == "roboprov/report/1", "\(report)")
    }
  }

  @Test("--quiet shows failures and the summary, and --verbose each event")
  func detail() async throws {
    try await withBuilding { site, building in
      let quiet = try await site.run(Self.apply + ["--quiet"], on: building).expect(100)
      // Warnings about the computer precede the run.
      let lines = quiet.errors.split(separator: "\n").filter { $0.hasPrefix("[") }
      #expect(lines.count == 1 && lines[0].contains("✗ Room 102"), "\(quiet)")
      #expect(quiet.output.contains("1 of 2 rooms done"), "\(quiet)")
      try await site.run(Self.apply + ["--verbose", "--force", "Room 102"], on: building).expect(
        errors: "Room 102: write: WiFi name")
      try await site.run(Self.apply + ["--verbose", "--quiet"]).expect(64)
    }
  }

  @Test("after the first rooms a person is asked, and a blank line precedes the summary")
  func firstRooms() async throws {
    try await withBuilding(toPrograms: true) { site, building in
      let run = try site.startAtTerminal(Self.apply + ["--canary", "1"], bus: building.bus)
      try await run.prints("Continue with the other rooms?", thenType: "y\n")
      let outcome = try await run.ended()
      // Below the progress, a blank line precedes the summary.
      let lines = outcome.output.replacing(#/\u{1B}\[[?0-9;]*[A-Za-z]/#, with: "").split(
        separator: "\r\n", omittingEmptySubsequences: false)
      // On a starved machine it fails in another way.
      let first = try #require(
        lines.firstIndex { $0.contains(#/✗ Room 102: (failed|unreachable)$/#) }, "\(outcome)")
      #expect(lines[first - 1].isEmpty && !lines[first - 2].isEmpty, "\(outcome)")
    }
  }

  @Test(
    "p pauses and resumes a run at the terminal, ? explains the keys, and the terminal is restored")
  func keys() async throws {
    try await withBuilding(toPrograms: true) { site, building in
      let run = try site.startAtTerminal(
        Self.apply + ["--scan-time", "5"], bus: building.bus)
      try await run.prints("? help", thenType: "?")
      try await run.prints("close this help", thenType: "p")
      try await run.prints("Paused: nothing new starts", thenType: "p")
      try await run.ended().expect(100, output: "Resumed")
      let journal = try site.recorded(try #require(site.runs.first)).text(of: "journal.jsonl")
      #expect(journal.matches(of: #/"kind":"operator_requested"/#).count == 2)
    }
  }

  @Test("stdout contains only JSON with `--output json`", arguments: [["scan"]])
  func json(_ command: [String]) async throws {
    try await withBuilding { site, building in
      let outcome = try await site.run(
        command + ["--scan-time", "1", "--output", "json"], on: building)
      let answer = try outcome.json
      #expect(answer["schema"].text == "roboprov/scan/1")
      #expect(!outcome.errors.isEmpty, "progress is still on stderr")
    }
  }

  @Test("`scan` lists address, profile, RSSI, age, name and state, as text and as JSON")
  func scan() async throws {
    try await withBuilding { site, building in
      let outcome = try await site.run(["scan", "--scan-time", "5"], on: building).expect(0)
      let lines = outcome.output.split(separator: "\n")
      #expect(
        lines.first?.split(separator: " ") == ["ADDRESS", "PROFILE", "RSSI", "AGE", "NAME", "STATE"],
        "\(outcome)")
      for number in 1...2 {
        let line = try #require(
          lines.first { $0.hasPrefix(ServedBuilding.address(number).description) }, "\(outcome)")
        #expect(
          line.contains("robo-sensor") && line.contains(" dBm") && line.hasSuffix(" s  Robo Sensor  waits"))
      }
      let devices = try await site.run(["scan", "--scan-time", "5", "--output", "json"], on: building).json[
        "devices"
      ].items
      #expect(devices.map { $0["address"].text } == [1, 2].map { ServedBuilding.address($0).description })
      for device in devices {
        #expect(device["name"].text == "Robo Sensor")
        #expect(device["profile"].text == "robo-sensor")
        #expect(device["state"].text == "waiting" && device["identity"].isNull)
        #expect((-127...0).contains(device["rssi"].integer ?? 1))
        #expect((device["age_s"].number ?? -1) >= 0)
      }
      #expect(await building.isUntouched([1, 2]))
    }
  }

  static let pages = [
    ["--help"], ["apply", "--help"], ["scan", "--help"], ["find", "--help"], ["monitor", "--help"],
    ["inspect", "--help"],
    ["validate", "--help"], ["report", "--help"],
    ["simulate", "--help"],
  ]

  @Test("help is on stdout and fits 80 columns", arguments: pages)
  func help(_ page: [String]) async throws {
    try await Site.use { site in
      let outcome = try await site.run(page).expect(0)
      #expect(outcome.errors.isEmpty)
      let lines = outcome.output.components(separatedBy: "\n")
      for line in lines where !line.hasPrefix("USAGE:") { #expect(line.count <= 80, "\(line)") }
      // A paragraph that is broken in the source and again by the width has very short lines.
      let overview = lines.prefix { !$0.hasPrefix("USAGE:") }
      for (line, next) in zip(overview, overview.dropFirst()) where line.count < 50 {
        let isExample = line.hasPrefix("roboprov ")
        let isProse =
          !isExample && line.first?.isLetter == true && !next.isEmpty && next.first?.isLetter == true
        #expect(!isProse || line.hasSuffix(":"), "“\(line)” is broken too early")
      }
    }
  }

  static let mistakes = [
    [], ["apply"], ["apply", "a.yaml", "b.yaml"], ["apply", "building.yaml", "--scan-time", "0"],
    ["apply", "building.yaml", "--scan-time", "nan"], ["apply", "building.yaml", "--seed", "1"],
    ["find"], ["find", "Room 1", "--for", "0"], ["monitor", "--leave-after", "5"],
    ["scan", "--output", "xml"], ["scan", "--simulate"],
  ]

  @Test("an invalid command line ends with 64 and the usage", arguments: mistakes)
  func usage(_ arguments: [String]) async throws {
    try await Site.use { site in
      let outcome = try await site.run(arguments)
      #expect(outcome.status == (arguments.isEmpty ? 0 : 64), "\(outcome)")
      #expect(
        "\(outcome)".contains(arguments == ["scan", "--simulate"] ? "--scenario" : "USAGE:")
          || outcome.errors.contains("Usage:") || outcome.errors.contains("`roboprov help` lists"),
        "\(outcome)")
    }
  }
}
