package import Source

/// A node of a YAML document, with its place.
package struct YAMLNode: Hashable, Sendable {
  package var content: Content
  /// The node's place, with quotes and brackets. An alias has the place of its use. A block ends with its
  /// last value. A missing value (`key:`) has an empty range: after the colon, or in brackets before the next
  /// token.
  package var range: SourceRange

  package enum Content: Hashable, Sendable {
    /// A scalar as text. The decoder that uses it converts it to a number, Boolean or null.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// Entries in the order of the text; keys are scalars. `YAMLParser.parse` guarantees unique keys;
    /// `YAMLParser.read` keeps duplicates.
    case mapping([Entry])
  }

  package struct Entry: Hashable, Sendable {
    package var key: String
    package var keyRange: SourceRange
    package var value: YAMLNode

    package init(key: String, keyRange: SourceRange, value: YAMLNode) {
      self.key = key
      self.keyRange = keyRange
      self.value = value
    }
  }

  package init(_ content: Content, range: SourceRange) {
    self.content = content
    self.range = range
  }

  /// Whether it is an empty plain scalar, `~` or `null`.
  package var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

extension YAMLNode {
  /// The entries of a mapping; nil for other nodes.
  package var entries: [Entry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  /// The items of a sequence; nil for other nodes.
  package var items: [YAMLNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// The text of a scalar; nil for other nodes.
  package var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }
}
