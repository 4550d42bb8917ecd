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
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
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

  // MARK: Configuration

  /// Writes the user's configuration file.
  private static func configure(_ text: String, at site: Site) throws {
    let folder = site.directory.appending(path: ".config/roboprov")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try site.write(".config/roboprov/config.yaml", text)
  }

  /// The reports directory that a command uses, from its error message about a missing building.
  private static func reports(
    _ more: [String], _ environment: [String: String] = [:], at site: Site
  ) async throws -> Substring? {
    let outcome = try await site.run(["status", "nowhere"] + more, environment: environment)
    #expect(outcome.status == 64, "\(outcome)")
    return outcome.errors.split(separator: "\n").first?.split(separator: " in ").last
  }

  @Test("the command line overrides the environment, and the environment overrides the configuration file")
  func precedence() async throws {
    try await Site.use { site in
      let environment = ["ROBOPROV_REPORTS": "of-environment"]
      #expect(try await Self.reports([], at: site) == "reports")
      #expect(try await Self.reports([], environment, at: site) == "of-environment")
      try Self.configure("reports: ~/of-file\n", at: site)
      #expect(try await Self.reports([], at: site) == "\(site.directory.path)/of-file")
      #expect(try await Self.reports([], environment, at: site) == "of-environment")
      #expect(try await Self.reports(["--reports", "of-line"], environment, at: site) == "of-line")
      #expect(try await Self.reports(["--config", "/dev/null"], at: site) == "reports")
      try site.write("other.yaml", "reports: beside\n")
      #expect(try await Self.reports(["--config=other.yaml"], at: site) == "beside")
      let elsewhere = ["XDG_CONFIG_HOME": "\(site.directory.path)/elsewhere"]
      #expect(try await Self.reports([], elsewhere, at: site) == "reports")
    }
  }

  @Test("the configuration sets mirror, operator, adapter and site key; a rehearsal ignores the adapter")
  func values() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      try Self.configure(
        "reports: ~/records\nmirror: ~/stick\noperator: R. Keller\nsite_key: site.key\nadapter: hci0\n",
        at: site)
      let outcome = try await premises.apply()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(site.has("records/\(Site.building)/latest/report.json"), "\(outcome)")
      #expect(site.has("stick/\(Site.building)/latest/report.json"), "\(outcome)")
      #expect(site.has(".config/roboprov/site.key"), "\(outcome)")
      let report = try await premises.run(["report", Site.building, "--output", "json"])
      #expect(JSON(report.output)?["run"]["operator"].text == "R. Keller", "\(report)")

      try Self.configure("adapter: [hci7]\n", at: site)
      let missing = try await premises.run(["scan", "--scan-time", "1", "--adapter-wait", "1"])
      #expect(missing.status == 69 && missing.errors.contains("hci7"), "\(missing)")
      let named = try await premises.run(["scan", "--scan-time", "1", "--adapter", "hci0"])
      #expect(named.status == 0, "\(named)")
      let rehearsal = try await premises.apply("--simulate")
      #expect(rehearsal.status == 0, "\(rehearsal)")
    }
  }

  @Test("a mistake in the configuration is shown with its place and stops each command except help")
  func mistake() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try Self.configure("mirror: a\nreport: x\n", at: site)
      let path = "\(site.directory.path)/.config/roboprov/config.yaml"
      let outcome = try await site.run(["validate", "building.yaml"])
      #expect(outcome.status == 65 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("\(path):2:1: error: unknown key"), "\(outcome)")
      #expect(outcome.errors.contains("--config FILE"), "\(outcome)")
      for arguments in [["help", "apply"], ["apply", "--help"], ["--version"], []] {
        let help = try await site.run(arguments)
        #expect(help.status == 0 && help.errors.isEmpty, "\(help)")
      }
      let other = try await site.run(["validate", "building.yaml", "--config", "missing.yaml"])
      #expect(other.status == 65, "\(other)")
      #expect(other.errors.contains("missing.yaml cannot be read: there is no such file"), "\(other)")
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
