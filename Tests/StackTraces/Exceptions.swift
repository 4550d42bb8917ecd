public import FoundationEssentials

/// Differences between the real and the virtual stack that are meant to be, each with its reason. One that is not needed any
/// more is a mistake of its own.
public struct Exceptions: Codable, Sendable {
  /// One of them.
  public struct Entry: Codable, Hashable, Sendable {
    /// In which stories; it has to be needed in each.
    public var stories: [String]
    /// In which phase; any if there is none.
    public var phase: String?
    /// What the difference is about; `*` stands for anything.
    public var about: String
    /// Why it is all right.
    public var reason: String

    /// Whether it excuses this.
    public func covers(_ difference: Comparison.Difference) -> Bool {
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

  /// All of them.
  public var exceptions: [Entry]

  /// Reads them.
  /// - Throws: when the file cannot be read or is no list of exceptions.
  public init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(Exceptions.self, from: Data(contentsOf: file))
  }

  /// Those for a story.
  public func entries(for story: String) -> [Entry] {
    exceptions.filter { $0.stories.contains(story) }
  }
}
