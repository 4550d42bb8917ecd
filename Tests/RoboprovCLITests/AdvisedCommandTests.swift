import ArgumentParser
import Foundation
import RecordedText
import Testing

@testable import Application
@testable import RoboprovCLI

/// The commands in the snapshot of all sentences (`SentenceTests`), against the command line that exists.
@Suite("Commands that advice names")
struct AdvisedCommandTests {
  private static let sentences = Result {
    try String(
      contentsOf: projectFile("Tests/Snapshots/Reporting/sentences.txt"), encoding: .utf8)
  }

  /// The commands in backticks that begin with `roboprov`, without repetition.
  private static func commands() throws -> [String] {
    let all = try sentences.get().matches(of: /`(roboprov [^`]*)`/).map { String($0.output.1) }
    return Set(all).sorted()
  }

  /// The names of all commands below a command, each with those of the groups that it is in.
  private static func names(_ command: any ParsableCommand.Type) -> [[String]] {
    command.configuration.subcommands.flatMap { below -> [[String]] in
      let name = below.configuration.commandName ?? ""
      return [[name]] + names(below).map { [name] + $0 }
    }
  }

  /// Throws when there is no such command, or when it does not accept its arguments.
  private static func check(_ command: String) throws {
    let words = command.split(separator: " ").dropFirst().map(String.init)
    // A name alone refers to a command whose arguments depend on the building.
    if names(Roboprov.self).contains(words) { return }
    _ = try Roboprov.parseAsRoot(words)
  }

  @Test("the commands in advice exist and accept their arguments")
  func commands() throws {
    let commands = try Self.commands()
    #expect(commands.count > 5, "\(commands)")
    for command in commands {
      #expect(throws: Never.self, "\(command)") { try Self.check(command) }
    }
  }

  @Test(
    "the check finds a wrong command",
    arguments: [
      "roboprov aply", "roboprov accept", "roboprov apply b.yaml --forse x", "roboprov apply b.yaml c.yaml",
      "roboprov plan b.yaml --yes x",
    ])
  func wrong(command: String) {
    #expect(throws: (any Error).self) { try Self.check(command) }
  }

  @Test("each option that a sentence names exists")
  func options() throws {
    let sentences = try Self.sentences.get()
    let own = sentences.replacing(/`[^`]*`/, with: "").split(separator: "\n").filter { $0.hasPrefix("  ") }
    let options = Set(own.flatMap { $0.matches(of: /--[a-z-]+/).map { String($0.output) } })
    let help = [
      Roboprov.helpMessage(for: ApplyCommand.self, columns: 200),
      Roboprov.helpMessage(for: PlanCommand.self, columns: 200),
      Roboprov.helpMessage(for: ReplaceCommand.self, columns: 200),
    ].joined()
    #expect(options.count > 3, "\(options)")
    for option in options.sorted() { #expect(help.contains(option), "\(option)") }
  }
}
