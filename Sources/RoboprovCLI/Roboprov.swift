public import ArgumentParser
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
      ApplyCommand.self, PlanCommand.self, StatusCommand.self, VerifyCommand.self, ScanCommand.self,
      ValidateCommand.self,
      ReportCommand.self,
      HistoryCommand.self, ReplaceCommand.self, RetireCommand.self, AcceptCommand.self, SchemaCommand.self,
      SimulateCommand.self,
    ])

  /// For the parser.
  public init() {}

  /// Parses the process's arguments, runs the command, and ends the process with its exit status. All of the command runs
  /// on one loop on the calling thread: the engine, BlueZ, the bus and every timer.
  public static func start() -> Never {
    DeadlySignals.becomeErrors()
    LoopExecutor.run { await runCommand() }
  }

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
      Foundation.exit(failure.status.rawValue)
    } catch {
      exit(withError: error)
    }
    Foundation.exit(ExitStatus.done.rawValue)
  }
}

/// The tool's version.
enum Version {
  static let current = "0.1.0"
}
