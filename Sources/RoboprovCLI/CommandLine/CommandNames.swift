import Application
import ArgumentParser
import Manifest
import Model

/// The names of commands as a tree, to find a word of a command line that should be a command and is not.
struct CommandNames {
  private let name: String
  private let commands: [CommandNames]
  /// Whether one of its subcommands must follow.
  private let isGroup: Bool

  /// The names of a command and those below it.
  init(_ command: any ParsableCommand.Type) {
    let configuration = command.configuration
    name = configuration.commandName ?? ""
    commands = configuration.subcommands.map(Self.init)
    isGroup = !commands.isEmpty && configuration.defaultSubcommand == nil
  }

  /// A word in the place of a command.
  struct Mistake: Hashable {
    var word: String
    /// The command before the word.
    var parent: String
    /// The most similar command; nil if none is similar.
    var nearest: String?

    /// The error for it.
    var failure: CommandFailure {
      let suggestion =
        CommandNames.isManifest(word) && parent == "roboprov"
        ? "The command comes first: `\(parent) apply \(word)`. "
        : nearest.map { "Did you mean `\(parent) \($0)`? " } ?? ""
      return CommandFailure(
        .usage, "there is no command “\(parent) \(word)”",
        advice: suggestion + "`\(parent.replacing("roboprov", with: "roboprov help"))` lists the commands.")
    }
  }

  /// Whether a word is the name of a YAML file.
  static func isManifest(_ word: String) -> Bool { word.hasSuffix(".yaml") || word.hasSuffix(".yml") }

  /// The first word that should be a command and is not; nil without one.
  /// - Parameter arguments: All arguments without the program's name.
  func mistake(in arguments: [String]) -> Mistake? {
    // The program's own options can precede the command.
    var words = arguments[...]
    while let word = words.first, word.hasPrefix("-") {
      let option = OptionVariable.logLevel.option
      guard word == option || word.hasPrefix(option + "=") else { return nil }
      words = words.dropFirst(word == option ? 2 : 1)
    }
    let isHelp = words.first == "help"
    var (node, path) = (self, name)
    for word in isHelp ? words.dropFirst().filter({ !$0.hasPrefix("-") })[...] : words {
      guard isHelp || node.isGroup && !word.hasPrefix("-") else { return nil }
      guard let next = node.find(word) else { return node.mistake(word, after: path) }
      (node, path) = (next, path + " " + word)
    }
    return nil
  }

  /// The readings of a command line whose options precede the command: `--simulate apply house.yaml` becomes `apply --simulate
  /// house.yaml`. One for each word that is the name of a command, because that word can be the value of an option.
  func withCommandFirst(_ arguments: [String]) -> [[String]] {
    guard arguments.first?.hasPrefix("-") ?? false else { return [] }
    return arguments.prefix { $0 != "--" }.indices.compactMap { place in
      guard let command = find(arguments[place]) else { return nil }
      let rest = arguments[(place + 1)...]
      let end = command.isGroup && rest.first.flatMap(command.find) != nil ? place + 2 : place + 1
      return Array(arguments[place..<end]) + arguments[..<place] + arguments[end...]
    }
  }

  private func find(_ name: String) -> CommandNames? { commands.first { $0.name == name } }

  private func mistake(_ word: String, after path: String) -> Mistake {
    let below = commands.first { $0.find(word) != nil }.map { "\($0.name) \(word)" }
    return Mistake(
      word: word, parent: path, nearest: below ?? Vocabulary.nearest(to: word, of: commands.map(\.name)))
  }
}
