import ArgumentParser

extension NameSpecification {
  /// `-o` and `--output`.
  static let output: NameSpecification = [.customShort("o"), .customLong("output")]
}

/// The format of stdout.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  /// For people.
  case text
  /// For programs.
  case json
}

/// The output of `apply` on stdout.
enum ApplyOutput: String, CaseIterable, ExpressibleByArgument {
  /// The summary for people, at the end.
  case text
  /// Each event as it happens, one JSON object per line, as in the journal.
  case json
  /// The run's report as JSON, at the end.
  case report
}
