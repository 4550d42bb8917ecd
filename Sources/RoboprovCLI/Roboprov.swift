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
    discussion: ExitStatus.help,
    version: Version.current,
    subcommands: [
      ApplyCommand.self, WalkCommand.self, PlanCommand.self, StatusCommand.self, VerifyCommand.self,
      ScanCommand.self,
      FindCommand.self, MonitorCommand.self,
      ValidateCommand.self, InitCommand.self, CaptureCommand.self,
      ReportCommand.self, AdaptersCommand.self, DoctorCommand.self,
      HistoryCommand.self, ReplaceCommand.self, RetireCommand.self, AcceptCommand.self, SchemaCommand.self,
      SimulateCommand.self,
    ])

  /// For the parser.
  public init() {}

  /// Parses the process's arguments, runs the command, and ends the process with its exit status. All of the command runs
  /// on one loop on the calling thread: the engine, BlueZ, the bus and every timer.
  public static func start() -> Never {
    clinux_fill_standard_descriptors()
    clinux_forbid_dumps()
    DeadlySignals.becomeErrors()
    // Without room for the stacks of its threads libdispatch waits for ever for a better time.
    guard clinux_has_address_space(leastAddressSpace) else {
      Console.fail(
        CommandFailure(
          .unavailable, "too little memory may be used: less than \(leastAddressSpace >> 20) MiB are left",
          cure: "Raise the limit: `ulimit -v unlimited`."))
      Foundation.exit(ExitStatus.unavailable.rawValue)
    }
    LoopExecutor.run { await runCommand() }
  }

  /// What a run needs for its threads and its record: 8 MiB for each of some ten stacks.
  private static let leastAddressSpace = 128 << 20

  private static func runCommand() async -> Never {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      Console.fail(failure)
      end(failure.status.rawValue)
    } catch {
      let status = exitCode(for: error)
      let text = fullMessage(for: error)
      if !text.isEmpty { status.isSuccess ? Console.data(text + "\n") : Console.show(text + "\n") }
      end(status.rawValue)
    }
    end(ExitStatus.done.rawValue)
  }

  /// Ends the process. A command that did what it should, and could not say so, failed.
  private static func end(_ status: Int32) -> Never {
    if let failure = Console.outputFailure {
      Console.fail(failure)
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
