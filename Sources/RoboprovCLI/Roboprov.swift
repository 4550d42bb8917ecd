import Application
package import ArgumentParser
import CLinux
import EventLoop
import FoundationEssentials
import Glibc
package import Host
import Model

/// The command line: `roboprov COMMAND`.
package struct Roboprov: AsyncParsableCommand {
  /// Names, help and subcommands.
  package static let configuration = CommandConfiguration(
    commandName: "roboprov",
    abstract: "Provision whole buildings of Bluetooth LE sensors.",
    discussion: """
        roboprov init building.yaml
        roboprov apply building.yaml --simulate
        roboprov status building.yaml --output json

      `roboprov help COMMAND` describes a command and its options. Options can be in any order.

      \(OptionVariable.help)

      \(ExitStatus.help)
      """,
    version: Version.current,
    groupedSubcommands: [
      CommandGroup(
        name: "Set up",
        subcommands: [DoctorCommand.self, InitCommand.self, ValidateCommand.self, CaptureCommand.self]),
      CommandGroup(
        name: "Do",
        subcommands: [PlanCommand.self, ApplyCommand.self, WalkCommand.self, RoomCommand.self]),
      CommandGroup(
        name: "Know",
        subcommands: [StatusCommand.self, ServeCommand.self, VerifyCommand.self, ReportCommand.self]),
      CommandGroup(
        name: "Devices",
        subcommands: [
          ScanCommand.self, FindCommand.self, InspectCommand.self, MonitorCommand.self,
        ]),
      CommandGroup(
        name: "More",
        subcommands: [SchemaCommand.self, SimulateCommand.self, CompletionsCommand.self]),
    ])

  @Option(
    help: ArgumentHelp(
      """
      Log the work with Bluetooth on stderr: warning (the bus or BlueZ went away), info (adapters), debug (scans and links) \
      or trace (every D-Bus call with its result and duration). No entry contains a password.
      """,
      valueName: "level"))
  var logLevel: LogLevel?

  /// For the parser.
  package init() {}

  /// Parses the process's arguments, runs the command, and ends the process with its exit status. The engine,
  /// BlueZ, the bus and every timer run on one loop on the calling thread.
  /// - Parameter commit: The commit of the build, for `--version`.
  package static func start(commit: String) -> Never {
    clinux_fill_standard_descriptors()
    clinux_forbid_dumps()
    if CommandLine.arguments.dropFirst().elementsEqual([PhotoReader.argument]) { PhotoReader.becomeReader() }
    DeadlySignals.becomeErrors()
    ChildProcess.keepExitStatuses()
    let arguments: [String]
    do throws(CommandFailure) {
      arguments = try Self.arguments(CommandLine.arguments)
    } catch {
      Console.fail(error, forPrograms: false)
      Glibc.exit(error.status.rawValue)
    }
    let words = CommandLineWords(arguments)
    if words.asksForVersion {
      Console.data(lines: VersionText.lines(commit: commit))
      Glibc.exit(ended(ExitStatus.done.rawValue, words))
    }
    // Without address space for the stacks of its threads, libdispatch waits without end.
    guard clinux_has_address_space(leastAddressSpace) else {
      let failure = CommandFailure(
        .unavailable, "the memory limit leaves less than \(leastAddressSpace >> 20) MiB of address space",
        advice: "Raise the limit: `ulimit -v unlimited`.")
      Console.fail(failure, forPrograms: words.isForPrograms)
      Glibc.exit(ExitStatus.unavailable.rawValue)
    }
    let openFiles = clinux_raise_open_files(wantedOpenFiles)
    guard openFiles >= leastOpenFiles else {
      let failure = CommandFailure(
        .unavailable, "only \(openFiles) files may be open at once; roboprov needs \(leastOpenFiles)",
        advice: "Raise the limit: `ulimit -n \(wantedOpenFiles)`.")
      Console.fail(failure, forPrograms: words.isForPrograms)
      Glibc.exit(ExitStatus.unavailable.rawValue)
    }
    LoopExecutor.run { Glibc.exit(await carryOut(arguments)) }
  }

  /// The arguments after the program's name.
  /// - Throws: `CommandFailure` without a name: Swift reads all of them from `/proc`.
  static func arguments(_ all: [String]) throws(CommandFailure) -> [String] {
    guard !all.isEmpty else {
      throw CommandFailure(
        .unavailable, "the arguments of the command cannot be read, because /proc is missing",
        advice: "Mount it: `mount -t proc proc /proc`.")
    }
    return Array(all.dropFirst())
  }

  /// The address space for a run's threads and record, in bytes: 8 MiB for each of about ten stacks.
  private static let leastAddressSpace = 128 << 20

  /// The files that a command opens at once, with pipes and a reserve: standard streams, loop, bus, folders of the
  /// record, journals in two places.
  private static let leastOpenFiles = 64
  private static let wantedOpenFiles = 1024

  /// Runs the command of these arguments.
  /// - Returns: Its exit status.
  static func carryOut(_ arguments: [String]) async -> Int32 {
    let words = CommandLineWords(arguments)
    do {
      var preferences = Preferences(logLevel: words.logLevel, isRehearsal: words.isRehearsal)
      preferences.arguments = arguments
      try await Preferences.$current.withValue(preferences) {
        var command = try command(arguments)
        if !isHelp(command) { try Preferences.checkLogLevel(named: words.logLevel) }
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      }
    } catch let failure as CommandFailure {
      Console.fail(failure, forPrograms: words.isForPrograms)
      return ended(failure.status.rawValue, words)
    } catch let status as ExitStatus {
      if words.isForPrograms, let failure = status.failure { Console.fail(failure, forPrograms: true) }
      return ended(status.rawValue, words)
    } catch {
      let status = exitCode(for: error)
      if status.isSuccess {
        Console.data(fullMessage(for: error) + "\n")
      } else if let failure = failure(error, arguments) {
        Console.fail(failure, forPrograms: words.isForPrograms)
      }
      return ended(status.rawValue, words)
    }
    return ended(ExitStatus.done.rawValue, words)
  }

  /// The command for these arguments.
  /// - Throws: `CommandFailure` for an unknown command; the parser's error.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    let names = CommandNames(Self.self)
    if arguments.first != "---completion", let mistake = names.mistake(in: arguments) {
      throw mistake.failure
    }
    do {
      return try parseAsRoot(arguments)
    } catch {
      guard !exitCode(for: error).isSuccess else { throw error }
      let readings = names.withCommandFirst(arguments).map { reading in Result { try parseAsRoot(reading) } }
      let valid = readings.filter { reading in
        if case .failure(let error) = reading { exitCode(for: error).isSuccess } else { true }
      }
      let chosen = valid.isEmpty ? readings : valid
      guard chosen.count == 1 else { throw error }
      return try chosen[0].get()
    }
  }

  private static func isHelp(_ command: any ParsableCommand) -> Bool {
    command is Roboprov || type(of: command).configuration.commandName == "help"
  }

  /// The failure for an error of the parser or an unexpected error; nil for an exit status without a message.
  private static func failure(_ error: any Error, _ arguments: [String]) -> CommandFailure? {
    let lines = fullMessage(for: error).trimmingPrefix("Error: ").split(separator: "\n")
    guard let first = lines.first else { return nil }
    let taken = zip(arguments, arguments.dropFirst()).first { option, value in
      option.hasPrefix("--") && CommandNames.isManifest(value)
        && (first.contains(option) || first.hasPrefix("Missing expected argument '<building"))
    }
    let hint = taken.map {
      "\($0.visible) takes the word after it as its value, here \($1.visible). Name the manifest first."
    }
    let rest = ([hint].compactMap(\.self) + lines.dropFirst().map(String.init)).joined(separator: "\n")
    return CommandFailure(
      ExitStatus(rawValue: exitCode(for: error).rawValue) ?? .unexpected, String(first),
      advice: rest.isEmpty ? nil : rest)
  }

  /// The exit status of a command that has ended with `status`. One that succeeded but could not write its output
  /// has failed.
  private static func ended(_ status: Int32, _ words: CommandLineWords) -> Int32 {
    guard let failure = Console.outputFailure else { return status }
    Console.fail(failure, forPrograms: words.isForPrograms)
    let succeeded: [ExitStatus?] = [.done, .changes, .incomplete]
    return succeeded.contains(ExitStatus(rawValue: status)) ? failure.status.rawValue : status
  }
}

extension Surroundings {
  /// Runs the command of these arguments here.
  /// - Returns: Its exit status.
  package func run(_ arguments: [String]) async -> Int32 {
    await Self.$current.withValue(self) { await Roboprov.carryOut(arguments) }
  }
}
