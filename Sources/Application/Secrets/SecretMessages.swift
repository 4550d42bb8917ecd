import Model
import Reporting

/// Messages about passwords that are not in the manifest. No message contains one.
enum SecretMessages {
  /// The error of a command with missing passwords: all of them, each with its advice.
  static func failure(
    _ missing: [(wanted: SecretResolver.Wanted, problem: SecretError)]
  ) -> CommandFailure {
    // A question that was not asked yet needs no action, and a file that all rooms name is one problem.
    let all = missing
    let missing = all.indices.filter { index in
      guard case .openToOthers = all[index].problem else { return all[index].problem != .notAsked }
      return !all[..<index].contains { $0.problem == all[index].problem }
    }.map { all[$0] }
    let list = CommandFailure.list(missing) { wanted, problem in
      let place = "\(wanted.reference.file.visible):\(wanted.reference.line):\(wanted.reference.column)"
      let words = sentence(problem, wanted.reference.source)
      return "\(place): \(networks(of: wanted)): \(words.sentence)\n  \(words.advice)"
    }
    let what = missing.count == 1 ? "a password is missing" : "\(missing.count) passwords are missing"
    return CommandFailure(.manifest, "\(what); no device was written", advice: list)
  }

  /// The error of a command that cannot use a file of labels.
  static func failure(_ problem: SecretError, _ reference: SecretReference) -> CommandFailure {
    let words = sentence(problem, reference.source)
    return CommandFailure(.manifest, words.sentence, advice: words.advice)
  }

  /// The message of a rehearsal about passwords that it replaces.
  static func standIns(_ wanted: [SecretResolver.Wanted]) -> String {
    let names = wanted.prefix(10).map { name(of: $0.reference.source) }
    let more = wanted.count > names.count ? " and \(wanted.count - names.count) more" : ""
    return "Rehearsal: made-up passwords replace \(names.joined(separator: ", "))\(more)"
  }

  /// The message while a program runs that has written to its stderr.
  static func waiting(for words: [String]) -> String {
    "\(words[0].visible) has a message, which is shown when it has ended. It may wait for you, for example to touch a key."
  }

  /// The networks that use a password.
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
    case .labels(let path, let device, let setting):
      "\(setting) of \(device?.visible ?? "a device") in \(path.visible)"
    }
  }

  private static func isPasskey(_ source: SecretSource) -> Bool {
    if case .labels(_, _, let setting) = source { setting == .passkey } else { false }
  }

  /// The problem with a password, and the advice.
  static func sentence(
    _ problem: SecretError, _ source: SecretSource
  ) -> (sentence: String, advice: String) {
    let what =
      if case .environment(let name) = source { "the environment variable \(name)" } else { name(of: source) }
    let content = "It must contain only the password, on one line."
    switch problem {
    case .notSet: return ("\(what) is not set", "Set it: `\(setting(source))`.")
    case .empty: return ("\(what) is empty", emptyAdvice(source))
    case .notText: return ("\(what) is not text in UTF-8", content)
    case .severalLines: return ("\(what) has more than one line", content)
    case .tooLong: return ("\(what) has more than \(SecretText.longest) bytes", content)
    case .noFile(let path):
      return (
        "there is no file \(path.visible)", "Put the password there, readable only by you (`chmod 600`)."
      )
    case .notAFile(let path):
      return ("\(path.visible) is neither a file nor a pipe", "Name the file with the password.")
    case .unreadable(let path, let reason):
      return ("\(path.visible) cannot be read: \(reason)", "Give yourself read permission.")
    case .noProgram: return ("there is no program \(program(source))", "Install it, or give its path.")
    case .notStarted(let reason):
      return (
        "\(program(source)) cannot be started: \(reason)", "Run the program by hand to find the reason."
      )
    case .ended(let status):
      return (
        "\(program(source)) ended with exit status \(status)", "Its error output is above. Run it by hand."
      )
    case .killed(let signal):
      return (
        "\(program(source)) was ended by signal \(signal)", "Run the program by hand to find the reason."
      )
    case .timedOut(let limit):
      return (
        "\(program(source)) did not end within \(limit.inWholeSeconds) s",
        "Run it by hand to find the reason."
      )
    case .openToOthers(let path):
      return (
        "other users can read or change \(path.visible)", "Protect it: `chmod 600 \(path.shellQuoted)`."
      )
    case .notLabels(let path):
      return (
        "\(path.visible) is not a file of labels",
        "It is JSON: { \"PROV_A1B2C3\": { \"pop\": \"…\" } }. Correct it, or name another file."
      )
    case .noLabel where isPasskey(source), .notOnLabel where isPasskey(source):
      return ("there is no \(what)", "Write it into that file: `roboprov capture` does not read passkeys.")
    case .noLabel: return ("there is no \(what)", "Read the label with `roboprov capture`.")
    case .notOnLabel:
      return (
        "there is no \(what)", "Read the label again with `roboprov capture --all`, or use another source."
      )
    case .noTerminal:
      return (
        "there is no terminal for the prompt",
        "Use `env`, `file` or `command` instead of `prompt`, or run the command at a terminal."
      )
    case .notAsked: return ("no question was asked", "")
    case .violation(.badPassword(let bytes)):
      return (
        "\(what) has \(bytes) bytes", "A WiFi password has 8 to 63 bytes, or is a key of 64 hex digits."
      )
    case .violation(.badPassphrase(let bytes)):
      return ("\(what) has \(bytes) bytes", "This device takes 8 to 63 bytes and no key of 64 hex digits.")
    case .violation(.badPasskey):
      return ("\(what) is not six digits", "Take all six of the label, also a zero at the beginning.")
    case .violation(.badHex):
      return (
        "\(what) has no whole bytes in hexadecimal after `hex:`",
        "Each byte has two digits, for example hex:0A7F."
      )
    case .violation(.wrongLength(let bytes, let allowed)):
      return (
        "\(what) has \(bytes) bytes", "\(allowed.lowerBound) to \(allowed.upperBound) bytes are possible."
      )
    case .violation(.unlike(let words)): return ("\(what) is no value of its setting", "It takes \(words).")
    case .violation:
      return ("\(what) contains a control character", content)
    }
  }

  private static func program(_ source: SecretSource) -> String {
    if case .command(let words) = source { words[0].visible } else { "" }
  }

  /// The shell command that sets a variable without echo and without an entry in the history.
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
