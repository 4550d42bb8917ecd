import Application

/// The manual page of a command, from the parser's description.
struct ManualPage {
  private let command: CommandTree.Command
  private let help: HelpText
  private var isProgram: Bool { command.path.count == 1 }

  init(_ command: CommandTree.Command) {
    self.command = command
    help = HelpText(command.discussion ?? "")
  }

  /// The pages of a program: first its own, then those of its commands.
  static func pages(of tree: CommandTree) -> [ManualPage] { pages(of: tree.command) }

  private static func pages(of command: CommandTree.Command) -> [ManualPage] {
    [ManualPage(command)] + command.commands.flatMap(pages)
  }

  /// `roboprov-report-sign`.
  var name: String { Self.name(command.path) }

  private static func name(_ path: [String]) -> String { path.joined(separator: "-") }

  /// The page for man(1), in UTF-8.
  var text: String {
    var lines = [
      #".TH "\#(name.uppercased().replacing("-", with: "\\-"))" 1 "" "roboprov \#(Version.current)" "roboprov""#
    ]
    lines += [Roff.heading("NAME"), Roff.escaped(name) + " \\- " + Roff.prose(command.abstract ?? "")]
    lines += [Roff.heading("SYNOPSIS")] + synopsis
    if !help.paragraphs.isEmpty {
      lines += [Roff.heading("DESCRIPTION")] + paragraphs(help.paragraphs)
    }
    lines += commands + positionals + options
    if !help.examples.isEmpty {
      lines += [Roff.heading("EXAMPLES"), ".nf"] + help.examples.map { Roff.escaped($0) } + [".fi"]
    }
    lines += exitStatus
    if isProgram { lines += Self.surroundings }
    lines += [Roff.heading("SEE ALSO"), related]
    return lines.map { $0 + "\n" }.joined()
  }

  // MARK: Sections

  private var synopsis: [String] {
    let arguments = (command.arguments ?? []).filter { $0.kind == .positional && $0.shouldDisplay }
    var parts = [Roff.bold(command.path.joined(separator: " "))]
    parts += arguments.map { argument in
      let value = Roff.italic(argument.valueName ?? "") + (argument.isRepeating ? " ..." : "")
      return argument.isOptional ? "[" + value + "]" : value
    }
    if command.defaultSubcommand != nil || !command.commands.isEmpty { parts.append(Roff.italic("command")) }
    return [(parts + ["[" + Roff.italic("options") + "]"]).joined(separator: " ")]
  }

  private func paragraphs(_ paragraphs: [String]) -> [String] {
    paragraphs.enumerated().flatMap { ($0 == 0 ? [] : [".PP"]) + [Roff.prose($1)] }
  }

  private var commands: [String] {
    guard !command.commands.isEmpty else { return [] }
    return [Roff.heading("COMMANDS")]
      + command.commands.flatMap { command in
        let isDefault = self.command.defaultSubcommand == command.commandName
        return Roff.term(
          Roff.bold(Self.name(command.path)) + "(1)",
          Roff.prose((command.abstract ?? "") + (isDefault ? " This is the command if none is named." : "")))
      }
  }

  private var positionals: [String] {
    let arguments = (command.arguments ?? []).filter { $0.kind == .positional && $0.shouldDisplay }
    guard !arguments.isEmpty else { return [] }
    return [Roff.heading("ARGUMENTS")]
      + arguments.flatMap { Roff.term(Roff.italic($0.valueName ?? ""), Self.explanation(of: $0)) }
  }

  private var options: [String] {
    let options = (command.arguments ?? []).filter { $0.kind != .positional && $0.shouldDisplay }
    guard !options.isEmpty else { return [] }
    return [Roff.heading("OPTIONS")]
      + options.flatMap { option in
        let names = (option.names ?? []).map { Roff.bold($0.text) }.joined(separator: ", ")
        let value = option.kind == .option ? " " + Roff.italic(option.valueName ?? "") : ""
        return Roff.term(names + value, Self.explanation(of: option))
      }
  }

  private static func explanation(of argument: CommandTree.Argument) -> String {
    var parts = [argument.abstract, argument.discussion].compactMap(\.self)
    if let values = argument.allValues, !values.isEmpty {
      parts.append("One of \(values.joined(separator: ", ")).")
    }
    if argument.kind != .flag, let value = argument.defaultValue { parts.append("Default: \(value).") }
    return Roff.prose(parts.joined(separator: " "))
  }

  private var exitStatus: [String] {
    guard !help.exitStatus.isEmpty else { return [] }
    return [Roff.heading("EXIT STATUS")]
      + help.exitStatus.flatMap { line in
        switch line {
        case .status(let code, let meaning): Roff.term(Roff.bold(code), Roff.prose(meaning))
        case .remark(let text): [".PP", Roff.prose(text)]
        }
      }
  }

  private var related: String {
    let others =
      isProgram
      ? command.commands.map { Self.name($0.path) }
      : [Self.name(Array(command.path.dropLast()))] + command.commands.map { Self.name($0.path) }
    let system = isProgram ? [Roff.bold("bluetoothctl") + "(1)", Roff.bold("bluetoothd") + "(8)"] : []
    return (others.map { Roff.bold($0) + "(1)" } + system).joined(separator: ", ")
  }

  /// The inputs of the program besides its arguments.
  private static let surroundings =
    [Roff.heading("ENVIRONMENT")]
    + [
      (Preferences.reportsVariable, "The reports directory, where --reports does not name one."),
      ("DBUS_SYSTEM_BUS_ADDRESS", "The bus on which BlueZ is, instead of the system's."),
      ("NO_COLOR", "If it has a value, the output has no colours."),
      (
        "SUDO_USER, USER, LOGNAME",
        "The operator, if neither --operator nor the configuration names one."
      ),
    ].flatMap { Roff.term(Roff.bold($0.0), Roff.prose($0.1)) }
    + [Roff.heading("FILES")]
    + [
      (
        "~/.config/roboprov/config.yaml",
        "Default values of options; XDG_CONFIG_HOME replaces ~/.config. Keys: reports, mirror, operator, adapter (one or a "
          + "list) and site_key. Paths are relative to the file."
      ),
      (
        "~/.local/state/roboprov/site.key",
        "The site's key, unless --site-key names another; XDG_STATE_HOME replaces ~/.local/state."
      ),
      ("reports/", "The record and the reports: a folder for each building, with a folder for each run."),
    ].flatMap { Roff.term(Roff.italic($0.0), Roff.prose($0.1)) }
}
