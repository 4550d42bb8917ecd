import ArgumentParser
import FoundationEssentials

/// The commands and their options as the parser describes them (`--experimental-dump-help`, version 0).
struct CommandTree: Decodable {
  let command: Command

  struct Command: Decodable {
    let commandName: String
    let superCommands: [String]?
    let abstract: String?
    let discussion: String?
    let defaultSubcommand: String?
    let shouldDisplay: Bool
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// The visible commands below it, without `help`.
    var commands: [Command] {
      (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }
    /// Its name after those of the commands above it.
    var path: [String] { (superCommands ?? []) + [commandName] }
  }

  /// An argument, option or flag.
  struct Argument: Decodable {
    let kind: Kind
    let shouldDisplay: Bool
    let isOptional: Bool
    let isRepeating: Bool
    let parsingStrategy: String
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValues: [String]?
    let abstract: String?
    let discussion: String?

    enum Kind: String, Decodable {
      case positional, option, flag
    }

    /// Whether it takes all words up to the next option.
    var takesSeveralWords: Bool { parsingStrategy == "upToNextOption" }
  }

  struct Name: Decodable {
    let kind: String
    let name: String

    /// The name as typed, with its dashes.
    var text: String { (kind == "long" ? "--" : "-") + name }
  }

  /// The commands of a program, with the default values of options before any configuration.
  init(of program: any ParsableCommand.Type) {
    let text = Preferences.$current.withValue(Preferences()) { program._dumpHelp() }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    } catch {
      preconditionFailure("the parser's description of its commands has an unknown form: \(error)")
    }
  }
}

extension CommandTree {
  /// The arguments with the command moved before its options: `--simulate apply house.yaml` becomes `apply
  /// --simulate house.yaml`. Unchanged if the command cannot be identified.
  func withCommandFirst(_ arguments: [String]) -> [String] {
    guard arguments.first?.hasPrefix("-") ?? false else { return arguments }
    let commands = Set(command.commands.map(\.commandName))
    let known = command.commands.flatMap(\.all).flatMap { $0.arguments ?? [] } + (command.arguments ?? [])
    var index = 0
    while index < arguments.count, arguments[index] != "--" {
      let word = arguments[index]
      guard word.hasPrefix("-") else {
        guard commands.contains(word) else { return arguments }
        return [word] + arguments[..<index] + arguments[(index + 1)...]
      }
      let meanings = known.filter { $0.names?.contains { $0.text == word } ?? false }
      // A list of values ends at the next option: a command name among them could be the name of a room.
      if meanings.contains(where: \.takesSeveralWords) { return arguments }
      index += meanings.contains { $0.kind == .option } ? 2 : 1
    }
    return arguments
  }
}

extension CommandTree.Command {
  /// The command and all below it.
  var all: [CommandTree.Command] { [self] + (subcommands ?? []).flatMap(\.all) }
}
