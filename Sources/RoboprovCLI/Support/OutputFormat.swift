import ArgumentParser

/// What goes to stdout.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  /// For people.
  case text
  /// For programs.
  case json
}

/// What `apply` writes to stdout.
enum ApplyOutput: String, CaseIterable, ExpressibleByArgument {
  /// The summary for people, at the end.
  case text
  /// Each event when it happens, one JSON object a line, as the journal has it.
  case json
  /// The run's report as JSON, at the end.
  case report
}
