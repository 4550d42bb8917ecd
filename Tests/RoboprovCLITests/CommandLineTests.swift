import ArgumentParser
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("command lines are inspected before they are parsed")
struct CommandLineTests {
  // MARK: Commands

  @Test("arguments that cannot be read are not taken for none")
  func unreadable() throws {
    let failure = #expect(throws: CommandFailure.self) { try Roboprov.arguments([]) }
    #expect(failure?.status == .unavailable && failure?.message.contains("/proc") == true)
    #expect(try Roboprov.arguments(["roboprov"]).isEmpty)
    #expect(try Roboprov.arguments(["roboprov", "status"]) == ["status"])
  }

  @Test(
    "an unknown command is detected, with the nearest command",
    arguments: [
      (["aply", "building.yaml"], CommandNames.Mistake(word: "aply", parent: "roboprov", nearest: "apply")),
      (["--log-level", "debug", "stauts"], .init(word: "stauts", parent: "roboprov", nearest: "status")),
      (["--log-level=debug", "xyzzy"], .init(word: "xyzzy", parent: "roboprov", nearest: nil)),
      (["help", "nonsense"], .init(word: "nonsense", parent: "roboprov", nearest: nil)),
      (["help", "report", "sing"], .init(word: "sing", parent: "roboprov report", nearest: "sign")),
      (["help", "scan", "more"], .init(word: "more", parent: "roboprov scan", nearest: nil)),
      (["accept", "b.yaml"], .init(word: "accept", parent: "roboprov", nearest: "room accept")),
      (["room", "replce", "b.yaml"], .init(word: "replce", parent: "roboprov room", nearest: "replace")),
      (["room", "b.yaml"], .init(word: "b.yaml", parent: "roboprov room", nearest: nil)),
      (["Apply", "building.yaml"], .init(word: "Apply", parent: "roboprov", nearest: "apply")),
    ])
  func mistakes(_ arguments: [String], _ mistake: CommandNames.Mistake) {
    #expect(CommandNames(Roboprov.self).mistake(in: arguments) == mistake)
  }

  @Test(
    "commands, options and arguments of a command are not taken for unknown commands",
    arguments: [
      [], ["apply", "aply"], ["--help"], ["help"], ["help", "apply"], ["help", "report", "sign"],
      ["room"], ["room", "--help"], ["room", "accept", "accept"], ["report", "seeblick"],
      ["--log-level", "aply", "apply"], ["--simulate", "apply"], ["-h"],
    ])
  func noMistake(_ arguments: [String]) {
    #expect(CommandNames(Roboprov.self).mistake(in: arguments) == nil)
  }

  @Test(
    "a command after its options is found",
    arguments: [
      (["--simulate", "apply", "b.yaml"], ApplyCommand.self),
      (["--scan-time", "5", "scan", "--watch"], ScanCommand.self),
      (["--operator", "status", "apply", "b.yaml"], ApplyCommand.self),
      (["--output=json", "status", "b.yaml"], StatusCommand.self),
      (["--full", "room", "history", "b.yaml", "Attic"], HistoryCommand.self),
      (["--log-level", "debug", "--yes", "apply", "b.yaml"], ApplyCommand.self),
    ] as [([String], any ParsableCommand.Type)])
  func commandFirst(_ arguments: [String], _ command: any ParsableCommand.Type) throws {
    let parsed = try Roboprov.command(arguments)
    #expect(type(of: parsed) == command)
  }

  @Test(
    "an error in a command line with its options first is that of the command",
    arguments: [
      (["--simulate", "apply"], "Missing expected argument"),
      (["--yes", "b.yaml"], "Unknown option '--yes'"),
      (["--yes", "--", "apply"], "Unknown option '--yes'"),
      // A room may have the command's name.
      (["--only", "status", "apply", "b.yaml"], "Unknown option '--only'"),
    ])
  func commandFirstFails(_ arguments: [String], _ message: String) {
    #expect {
      _ = try Roboprov.command(arguments)
    } throws: { error in
      Roboprov.fullMessage(for: error).contains(message)
    }
  }

  // MARK: Words

  @Test("log level, format, version and rehearsal are found at any position before `--`")
  func words() {
    let words = CommandLineWords(
      ["--log-level", "a", "apply", "--log-level=b", "--output", "json", "--simulate"])
    #expect(words.logLevel == "b" && words.isForPrograms && words.isRehearsal && !words.asksForVersion)
    #expect(CommandLineWords(["scan", "--output=json"]).isForPrograms)
    #expect(CommandLineWords(["scan", "-o", "json"]).isForPrograms)
    #expect(!CommandLineWords(["scan", "-o", "json", "--output", "text"]).isForPrograms)
    #expect(
      CommandLineWords(["version"]).asksForVersion && !CommandLineWords(["find", "version"]).asksForVersion)
    #expect(CommandLineWords(["scan", "--version"]).asksForVersion)
    #expect(!CommandLineWords(["--version", "--help"]).asksForVersion)
    let rest = CommandLineWords([
      "room", "history", "--", "--version", "--output", "json", "--log-level", "c",
    ])
    #expect(!rest.asksForVersion && !rest.isForPrograms && rest.logLevel == nil)
    #expect(CommandLineWords(["--log-level"]).logLevel == nil)
    #expect(!CommandLineWords(["--output", "json", "--output", "text"]).isForPrograms)
  }

  // MARK: Version

  @Test("the version has one line per component")
  func version() {
    #expect(
      VersionText.lines(commit: "2575dd116505", libdbus: "libdbus 1.14.10", bluez: "5.66")
        == ["roboprov \(Version.current) (commit 2575dd116505)", "libdbus 1.14.10", "BlueZ 5.66"])
    #expect(
      VersionText.lines(commit: "2575dd116505+", libdbus: "libdbus 1.14.10", bluez: nil)
        == [
          "roboprov \(Version.current) (commit 2575dd116505 with changes)", "libdbus 1.14.10",
          "BlueZ not found",
        ])
    #expect(
      VersionText.lines(commit: "unknown", libdbus: "", bluez: nil)[0]
        == "roboprov \(Version.current) (commit unknown)")
  }

  // MARK: Errors

  @Test("an error is one line of JSON, whatever its message contains")
  func error() {
    let failure = CommandFailure(.usage, "no\nroom “A\u{1B}”", advice: "Look.\nAgain.")
    #expect(
      ErrorJSON.line(failure)
        == #"{"schema":"roboprov/error/1","code":"usage","exit_status":64,"message":"no\nroom “A\u001b”","#
        + #""advice":"Look.\nAgain."}"#)
    #expect(ErrorJSON.line(CommandFailure(.record, "lost")).hasSuffix(#""message":"lost","advice":null}"#))
  }

  // MARK: Environment

  @Test("an option takes precedence over the environment, which applies without the option")
  func precedence() {
    Preferences.$current.withValue(Preferences(mirror: "m", operatedBy: "o", siteKey: "k")) {
      var (record, seal) = (RecordOptions(), SealOptions())
      (record.namedMirror, record.namedOperator, seal.namedSiteKey) = (nil, nil, nil)
      #expect(record.mirror == "m" && record.operatedBy == "o" && seal.siteKey == "k")
      (record.namedMirror, record.namedOperator, seal.namedSiteKey) = ("M", "O", "K")
      #expect(record.mirror == "M" && record.operatedBy == "O" && seal.siteKey == "K")
    }
  }
}
