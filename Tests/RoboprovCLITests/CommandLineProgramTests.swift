import Foundation
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("the program parses its command line", .timeLimit(.minutes(60)))
struct CommandLineProgramTests {
  // MARK: Commands and options

  @Test(
    "a mistyped command is refused with the nearest command",
    arguments: [
      (["aply", "building.yaml"], "Did you mean `roboprov apply`?"),
      (["help", "nonsense"], "there is no command “roboprov nonsense”"),
      (["help", "report", "sing"], "Did you mean `roboprov report sign`?"),
      (["scan", "--scan-tim", "1"], "Did you mean '--scan-time'?"),
      (["status"], "Missing expected argument"),
      (["building.yaml"], "The command comes first: `roboprov apply building.yaml`."),
      (
        ["apply", "--only", "building.yaml"],
        "--only takes the word after it as its value, here building.yaml."
      ),
      (["scan", "--scan-time", "building.yaml"], "Name the manifest first."),
    ])
  func mistyped(_ arguments: [String], _ words: String) async throws {
    try await Site.use { site in
      let outcome = try await site.run(arguments)
      #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.hasPrefix("roboprov: error: ") && outcome.errors.contains(words), "\(outcome)")
    }
  }

  @Test("options may stand in any order, also before the command")
  func order() async throws {
    try await Site.use([.numbered(1)]) { site in
      for arguments in [
        ["--check", "status", "building.yaml", "--output", "json"],
        ["--output", "json", "status", "--check", "building.yaml"],
      ] {
        let outcome = try await site.run(arguments)
        #expect(
          outcome.status == 100 && JSON(outcome.output)?["building"].text == Site.building, "\(outcome)")
      }
    }
  }

  // MARK: Version

  @Test(
    "--version prints commit, libdbus and BlueZ, and needs no bus", arguments: [[], ["scan"]])
  func version(_ command: [String]) async throws {
    try await Site.use { site in
      let outcome = try await site.start(command + ["--version"]).ended()
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      let lines = outcome.output.split(separator: "\n")
      try #require(lines.count == 3, "\(outcome)")
      let commit = #/roboprov \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}( with changes)?|unknown)\)/#
      #expect(lines[0].wholeMatch(of: commit) != nil, "\(outcome)")
      #expect(lines[1].wholeMatch(of: #/libdbus \d+\.\d+\.\d+/#) != nil, "\(outcome)")
      let tool = try await site.runTool(["bluetoothctl", "--version"])
      let installed = try #require(tool.output.split(whereSeparator: \.isWhitespace).last)
      #expect(lines[2] == "BlueZ \(installed)", "\(outcome)")
    }
  }

  // MARK: Environment

  @Test(
    "variables set reports, mirror, operator, adapter and site key; options win, and a rehearsal ignores the adapter"
  )
  func values() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let site = premises.site
      let environment = [
        "ROBOPROV_REPORTS": "records", "ROBOPROV_MIRROR": "stick", "ROBOPROV_OPERATOR": "R. Keller",
        "ROBOPROV_SITE_KEY": "key", "ROBOPROV_ADAPTER": "hci7 hci8",
      ]
      func run(_ arguments: [String]) async throws -> Invocation.Outcome {
        try await site.run(arguments, bus: premises.building.bus, environment: environment)
      }
      let apply = ["apply", "building.yaml", "--scan-time", "1"]
      let outcome = try await run(apply + ["--adapter", "hci0"]).expect(0)
      for place in ["records", "stick"] {
        #expect(site.has("\(place)/\(Site.building)/latest/report.json"), "\(outcome)")
      }
      #expect(site.has("key"), "\(outcome)")
      let report = try await run(["report", Site.building, "--output", "json"])
      #expect(JSON(report.output)?["run"]["operator"].text == "R. Keller", "\(report)")
      try await run(["status", Site.building, "--reports", "reports"]).expect(64, errors: " in reports")
      try await run(["scan", "--scan-time", "1", "--adapter-wait", "1"]).expect(69, errors: "hci7")
      try await run(apply + ["--simulate"]).expect(0)
    }
  }

  // MARK: Errors for programs

  @Test(
    "with --output json the last line of stderr is the error",
    arguments: [
      (["status", "nowhere", "--output", "json"], 64, "usage", "there is no building nowhere"),
      (["plan", "missing.yaml", "--output=json"], 65, "manifest", "there is no file missing.yaml"),
      (["scan", "--output", "json", "--scan-tim"], 64, "usage", "Unknown option '--scan-tim'"),
      (["statsu", "nowhere", "--output", "json"], 64, "usage", "there is no command"),
      (["scan", "--output", "json", "--adapter-wait", "1"], 69, "unavailable", "there is no D-Bus"),
    ])
  func errors(_ arguments: [String], _ status: Int32, _ code: String, _ message: String) async throws {
    try await Site.use { site in
      let outcome = try await site.run(arguments)
      #expect(outcome.status == status && outcome.output.isEmpty, "\(outcome)")
      let last = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
      let error = try #require(JSON(last), "\(outcome)")
      #expect(error["schema"].text == ErrorJSON.schema && error["code"].text == code, "\(outcome)")
      #expect(error["exit_status"].integer == Int(status), "\(outcome)")
      #expect(error["message"].text?.contains(message) ?? false, "\(outcome)")
      #expect(!(error["advice"].text ?? "").isEmpty, "\(outcome)")
      #expect(!outcome.errors.contains("roboprov: error"), "the error is shown twice\n\(outcome)")
    }
  }
}
