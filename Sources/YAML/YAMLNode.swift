/// A place in a text: line and column as an editor shows them.
public struct Mark: Hashable, Sendable, Comparable {
  /// Line, from 1.
  public var line: Int
  /// Column in Unicode scalars, from 1.
  public var column: Int

  /// A place.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Reading order.
  public static func < (a: Self, b: Self) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// A stretch of text: from `start` up to, not including, `end`.
public struct SourceRange: Hashable, Sendable {
  /// Where it begins.
  public var start: Mark
  /// Just behind its end.
  public var end: Mark

  /// A stretch of text.
  public init(start: Mark, end: Mark) {
    self.start = start
    self.end = end
  }
}

/// A node of a YAML document that knows where it stands.
public struct YAMLNode: Hashable, Sendable {
  /// What it is.
  public var content: Content
  /// Where it stands. An alias stands where it is used.
  public var range: SourceRange

  /// What a node can be.
  public indirect enum Content: Hashable, Sendable {
    /// Text; a number, a truth value or nothing are text too until somebody wants them otherwise.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([YAMLNode])
    /// Keys, each a scalar and unique, and their values, in the order of the text.
    case mapping([Entry])
  }

  /// A key with its value.
  public struct Entry: Hashable, Sendable {
    /// The key's text.
    public var key: String
    /// Where the key stands.
    public var keyRange: SourceRange
    /// The value.
    public var value: YAMLNode

    /// A key with its value.
    public init(key: String, keyRange: SourceRange, value: YAMLNode) {
      self.key = key
      self.keyRange = keyRange
      self.value = value
    }
  }

  /// A node.
  public init(_ content: Content, range: SourceRange) {
    self.content = content
    self.range = range
  }

  /// Whether nothing was written: an empty plain scalar, `~` or `null`.
  public var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

/// Why a text is no YAML document of ours.
public struct YAMLError: Error, Hashable, Sendable {
  /// What is wrong.
  public var problem: Problem
  /// Where.
  public var mark: Mark

  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// A byte that is not UTF-8.
    case notUTF8
    /// Not YAML; libyaml's own words, which never quote a value.
    case syntax(String)
    /// The same key twice in one mapping; where it stood first.
    case duplicateKey(first: Mark)
    /// A key that is a list or mapping.
    case keyIsNotText
    /// `*name` without `&name` before it.
    case unknownAlias
    /// A second document.
    case severalDocuments
    /// Nested deeper than `YAMLParser.maximumDepth`.
    case tooDeep
    /// More nodes, aliases expanded, than `YAMLParser.maximumNodes`.
    case tooLarge
  }

  /// An error at a place.
  public init(_ problem: Problem, at mark: Mark) {
    self.problem = problem
    self.mark = mark
  }
}
