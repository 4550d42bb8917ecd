public import Source

/// A node of a YAML document that knows where it stands.
public struct YAMLNode: Hashable, Sendable {
  /// What it is.
  public var content: Content
  /// Where it stands, quotes and brackets included. An alias stands where it is used, a block ends with its
  /// last value, and a value that is not there (`key:`) is an empty stretch behind the colon,
  /// in brackets before whatever comes next.
  public var range: SourceRange

  /// What a node can be.
  public enum Content: Hashable, Sendable {
    /// Text; a number, a truth value or nothing are text too until somebody wants them otherwise.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([YAMLNode])
    /// Keys, each a scalar, and their values, in the order of the text. From `YAMLParser.parse` they are unique;
    /// from `YAMLParser.read` a key that stands there twice is here twice.
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

extension YAMLNode {
  /// The entries of a mapping; nil for everything else.
  public var entries: [Entry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  /// The items of a list; nil for everything else.
  public var items: [YAMLNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// The text of a scalar; nil for everything else.
  public var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }
}
