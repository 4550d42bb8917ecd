public import ArgumentParser
import CLinux
import EventLoop
import Foundation

/// The command line: `roboprov COMMAND`.
public struct Roboprov: AsyncParsableCommand {
  /// Names, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "roboprov",
    abstract: "Commissions whole buildings of Bluetooth LE sensors.",
    discussion: """
        roboprov init building.yaml
        roboprov apply building.yaml --simulate
        roboprov status building.yaml --output json

      `roboprov help COMMAND` describes a command and its options. Options may stand in any order.

      Default values of --reports, --mirror, --operator, --adapter and --site-key can be in the configuration file (the keys \
      reports, mirror, operator, adapter and site_key). \(Preferences.reportsVariable) names the reports directory. The command \
      line wins over the environment, and the environment over the file.

      \(ExitStatus.help)
      """,
    version: Version.current,
    subcommands: [
      ApplyCommand.self, WalkCommand.self, PlanCommand.self, StatusCommand.self, VerifyCommand.self,
      ScanCommand.self,
      FindCommand.self, MonitorCommand.self, InspectCommand.self, WiFiScanCommand.self,
      ValidateCommand.self, InitCommand.self, CaptureCommand.self,
      ReportCommand.self, AdaptersCommand.self, DoctorCommand.self,
      HistoryCommand.self, ReplaceCommand.self, RetireCommand.self, AcceptCommand.self, SchemaCommand.self,
      SimulateCommand.self, CompletionsCommand.self, ManualCommand.self,
    ])

  @Option(
    help: ArgumentHelp(
      "The configuration file; without it ~/.config/roboprov/config.yaml, if there is one.", valueName: "file"
    ),
    completion: .yaml)
  var config: String?

  /// For the parser.
  public init() {}

  /// Parses the process's arguments, runs the command, and ends the process with its exit status. All of the command runs
  /// on one loop on the calling thread: the engine, BlueZ, the bus and every timer.
  /// - Parameter commit: The commit that was built, for `--version`.
  public static func start(commit: String) -> Never {
    clinux_fill_standard_descriptors()
    clinux_forbid_dumps()
    DeadlySignals.becomeErrors()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let words = CommandLineWords(arguments)
    if words.asksForVersion {
      Console.data(lines: VersionText.lines(commit: commit))
      end(ExitStatus.done.rawValue, words)
    }
    // Without room for the stacks of its threads libdispatch waits for ever for a better time.
    guard clinux_has_address_space(leastAddressSpace) else {
      let failure = CommandFailure(
        .unavailable, "too little memory may be used: less than \(leastAddressSpace >> 20) MiB are left",
        cure: "Raise the limit: `ulimit -v unlimited`.")
      Console.fail(failure, forPrograms: words.isForPrograms)
      Foundation.exit(ExitStatus.unavailable.rawValue)
    }
    LoopExecutor.run { await runCommand(arguments, words) }
  }

  /// What a run needs for its threads and its record: 8 MiB for each of some ten stacks.
  private static let leastAddressSpace = 128 << 20

  private static func runCommand(_ arguments: [String], _ words: CommandLineWords) async -> Never {
    do {
      let configured = ConfiguredPreferences(config: words.config, isRehearsal: words.isRehearsal)
      try await Preferences.$current.withValue(configured.preferences) {
        var command = try parse(arguments)
        // Help works without a configuration: the user may need it to correct the file.
        if !isHelp(command) { try configured.require() }
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      }
    } catch let failure as CommandFailure {
      Console.fail(failure, forPrograms: words.isForPrograms)
      end(failure.status.rawValue, words)
    } catch {
      let status = exitCode(for: error)
      if status.isSuccess {
        Console.data(fullMessage(for: error) + "\n")
      } else if let failure = failure(error) {
        Console.fail(failure, forPrograms: words.isForPrograms)
      }
      end(status.rawValue, words)
    }
    end(ExitStatus.done.rawValue, words)
  }

  /// The command of these arguments.
  /// - Throws: `CommandFailure` for a command that does not exist; the parser's error.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    if arguments.first != "---completion", let mistake = CommandNames(Self.self).mistake(in: arguments) {
      throw mistake.failure
    }
    do {
      return try parseAsRoot(arguments)
    } catch {
      guard !exitCode(for: error).isSuccess else { throw error }
      let ordered = CommandTree(of: Self.self).withCommandFirst(arguments)
      guard ordered != arguments else { throw error }
      return try parseAsRoot(ordered)
    }
  }

  private static func isHelp(_ command: any ParsableCommand) -> Bool {
    command is Roboprov || type(of: command).configuration.commandName == "help"
  }

  /// An error of the parser, or an unexpected one; nil for an exit status without a message.
  private static func failure(_ error: any Error) -> CommandFailure? {
    let lines = fullMessage(for: error).trimmingPrefix("Error: ").split(separator: "\n")
    guard let first = lines.first else { return nil }
    let rest = lines.dropFirst().joined(separator: "\n")
    return CommandFailure(
      ExitStatus(rawValue: exitCode(for: error).rawValue) ?? .unexpected, String(first),
      cure: rest.isEmpty ? nil : rest)
  }

  /// Ends the process. A command that did what it should, and could not say so, failed.
  private static func end(_ status: Int32, _ words: CommandLineWords) -> Never {
    if let failure = Console.outputFailure {
      Console.fail(failure, forPrograms: words.isForPrograms)
      if [.done, .changes, .incomplete].contains(ExitStatus(rawValue: status)) {
        Foundation.exit(failure.status.rawValue)
      }
    }
    Foundation.exit(status)
  }
}

/// The tool's version.
enum Version {
  static let current = "0.1.0"
}
