/// The facts about a command line that are needed before it is parsed, even if it cannot be parsed.
struct CommandLineWords {
  /// The words before `--`, without the program's name.
  private let words: [String]

  /// - Parameter arguments: All arguments without the program's name.
  init(_ arguments: [String]) {
    words = Array(arguments.prefix { $0 != "--" })
  }

  /// The log level that it names, as text.
  var logLevel: String? { value(of: ["--log-level"]) }
  /// Whether its data and errors are for programs.
  var isForPrograms: Bool { value(of: ["--output", "-o"]) == "json" }
  /// Whether it asks for the version.
  var asksForVersion: Bool {
    words == ["version"]
      || words.contains("--version") && !words.contains("--help") && !words.contains("-h")
  }
  /// Whether the command works on a virtual building.
  var isRehearsal: Bool { words.contains("--simulate") }

  /// The last value of an option, which has these names.
  private func value(of names: [String]) -> String? {
    var value: String?
    for (index, word) in words.enumerated() {
      for name in names {
        if word == name, index + 1 < words.count { value = words[index + 1] }
        if word.hasPrefix(name + "=") { value = String(word.dropFirst(name.count + 1)) }
      }
    }
    return value
  }
}
