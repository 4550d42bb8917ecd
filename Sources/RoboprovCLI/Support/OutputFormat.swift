import ArgumentParser

/// What goes to stdout.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  /// For people.
  case text
  /// For programs.
  case json

  static var list: String { allCases.map(\.rawValue).joined(separator: " or ") }
}
