package import FoundationEssentials

/// Accepted differences between the real and the virtual stack, each with its reason. An exception that is
/// not needed any more is an error.
package struct Exceptions: Codable, Sendable {
  package struct Entry: Codable, Hashable, Sendable {
    /// The scenarios in which it applies; it must be needed in each.
    package var scenarios: [String]
    /// The phase in which it applies; nil for any.
    package var phase: String?
    /// The subject of the difference; `*` matches anything.
    package var about: String
    /// The reason why the difference is accepted.
    package var reason: String

    /// Whether it covers this difference.
    package func covers(_ difference: Comparison.Difference) -> Bool {
      (phase == nil || phase == difference.phase) && Self.matches(about[...], difference.about[...])
    }

    private static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
      guard let star = pattern.firstIndex(of: "*") else { return pattern == text }
      let head = pattern[..<star]
      guard text.hasPrefix(head) else { return false }
      let rest = pattern[pattern.index(after: star)...]
      if rest.isEmpty { return true }
      var tail = text.dropFirst(head.count)
      while true {
        if matches(rest, tail) { return true }
        if tail.isEmpty { return false }
        tail = tail.dropFirst()
      }
    }
  }

  /// All exceptions.
  package var exceptions: [Entry]

  /// Reads the exceptions.
  /// - Throws: If the file cannot be read or is not a list of exceptions.
  package init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(Exceptions.self, from: Data(contentsOf: file))
  }

  /// The exceptions for a scenario.
  package func entries(for stackScenario: String) -> [Entry] {
    exceptions.filter { $0.scenarios.contains(stackScenario) }
  }
}
