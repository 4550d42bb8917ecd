import Model
import Reporting

/// What a person is told about passwords that are not in the manifest. Never one of them.
enum SecretWords {
  /// The end of a command that lacks passwords: all of them, each with what to do.
  static func failure(
    _ missing: [(wanted: SecretResolver.Wanted, trouble: SecretTrouble)]
  ) -> CommandFailure {
    // Where somebody is only not asked yet there is nothing to do.
    let missing = missing.filter { $0.trouble != .notAsked }
    let shown = missing.prefix(20).map { wanted, trouble in
      let place = "\(wanted.reference.file.visible):\(wanted.reference.line):\(wanted.reference.column)"
      let words = sentence(trouble, wanted.reference.source)
      return "- \(place): \(networks(of: wanted)): \(words.sentence)\n  \(words.advice)"
    }
    let more = missing.count > shown.count ? "\n… and \(missing.count - shown.count) more." : ""
    let what = missing.count == 1 ? "a password is missing" : "\(missing.count) passwords are missing"
    return CommandFailure(
      .manifest, "\(what); nothing was touched", cure: shown.joined(separator: "\n") + more)
  }

  /// What a rehearsal says of passwords that it does without.
  static func standIns(_ wanted: [SecretResolver.Wanted]) -> String {
    let names = wanted.prefix(10).map { name(of: $0.reference.source) }
    let more = wanted.count > names.count ? " and \(wanted.count - names.count) more" : ""
    return "Rehearsal: made-up passwords replace \(names.joined(separator: ", "))\(more)"
  }

  /// The networks that a password is of.
  static func networks(of wanted: SecretResolver.Wanted) -> String {
    let shown = wanted.networks.prefix(3).map(\.visible).joined(separator: ", ")
    let more = wanted.networks.count > 3 ? " and \(wanted.networks.count - 3) more" : ""
    return shown + more
  }

  private static func name(of source: SecretSource) -> String {
    switch source {
    case .environment(let name): name
    case .file(let path): "the file \(path.visible)"
    case .command(let words): "the output of \(words[0].visible)"
    case .prompt: "the answer at the terminal"
    }
  }

  /// What is wrong with a password, and what to do.
  static func sentence(
    _ trouble: SecretTrouble, _ source: SecretSource
  ) -> (sentence: String, advice: String) {
    let what =
      if case .environment(let name) = source { "the environment variable \(name)" } else { name(of: source) }
    let content = "Give it the password alone, on one line."
    switch trouble {
    case .notSet: return ("\(what) is not set", "Set it: `\(setting(source))`.")
    case .empty: return ("\(what) is empty", emptyAdvice(source))
    case .notText: return ("\(what) is not text in UTF-8", content)
    case .severalLines: return ("\(what) has more than one line", content)
    case .tooLong: return ("\(what) has more than \(SecretText.longest) bytes", content)
    case .noFile(let path):
      return ("there is no file \(path.visible)", "Put the password there, for yourself alone (`chmod 600`).")
    case .notAFile(let path):
      return ("\(path.visible) is neither a file nor a pipe", "Name the file with the password.")
    case .unreadable(let path, let reason):
      return ("\(path.visible) cannot be read: \(reason)", "Give yourself the right to read it.")
    case .noProgram: return ("there is no program \(program(source))", "Install it, or give its path.")
    case .notStarted(let reason):
      return ("\(program(source)) cannot be started: \(reason)", "Try it by itself.")
    case .ended(let status):
      return (
        "\(program(source)) ended with exit status \(status)", "Try it by itself: what it says stands above."
      )
    case .killed(let signal):
      return ("\(program(source)) was ended by signal \(signal)", "Try it by itself.")
    case .timedOut(let limit):
      return ("\(program(source)) had not ended after \(limit.inWholeSeconds) s", "Try it by itself.")
    case .noTerminal:
      return (
        "there is no terminal to ask at",
        "Write `env`, `file` or `command` instead of `prompt`, or run it at a terminal."
      )
    case .notAsked: return ("nobody was asked", "")
    case .violation(.badPassword(let bytes)):
      return ("\(what) has \(bytes) bytes", "A WiFi password has 8…63, or is a key of 64 hex digits.")
    case .violation:
      return ("\(what) contains a control character", content)
    }
  }

  private static func program(_ source: SecretSource) -> String {
    if case .command(let words) = source { words[0].visible } else { "" }
  }

  /// How a shell sets a variable without showing it, and without leaving it in its history.
  private static func setting(_ source: SecretSource) -> String {
    guard case .environment(let name) = source else { return "" }
    return "read -rs \(name); export \(name)"
  }

  private static func emptyAdvice(_ source: SecretSource) -> String {
    let open = "For an open network leave `password` out"
    if case .environment = source { return "\(open); else set it: `\(setting(source))`." }
    return "\(open)."
  }
}

extension Duration {
  fileprivate var inWholeSeconds: Int64 { components.seconds }
}
