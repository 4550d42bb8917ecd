public import Source

/// Why a text is no YAML document of ours. Quotes nothing of the text: it may hold secrets.
public struct YAMLError: Error, Hashable, Sendable {
  /// What is wrong.
  public var problem: Problem
  /// Where; empty when it is a place rather than a stretch.
  public var range: SourceRange

  /// Where it begins.
  public var mark: Mark { range.start }

  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// More bytes than `YAMLParser.maximumBytes`.
    case fileTooLarge(bytes: Int)
    /// A byte that is not UTF-8.
    case notUTF8
    /// Another encoding, going by its byte order mark: `UTF-16` or `UTF-32`.
    case otherEncoding(String)
    /// A character that YAML does not allow, such as NUL; its number.
    case forbiddenCharacter(UInt32)
    /// A tab where only spaces may indent.
    case tab
    /// A quote that is never closed; the place is its beginning.
    case unclosedQuote
    /// A `{` or `[` that is never closed, or something within that belongs elsewhere; where it was opened.
    case brokenBrackets(opened: Mark)
    /// `key: value` where no key can be: a `: ` in a text without quotes, or indentation that is off.
    case unexpectedMapping
    /// A line that lacks its colon.
    case missingColon
    /// Something that does not belong to the block above it, mostly because it is indented otherwise.
    case misplaced
    /// A text without quotes that begins with a character which YAML keeps for itself.
    case reservedCharacter
    /// `\` and a character that mean nothing together.
    case unknownEscape
    /// Not YAML; libyaml's own words, which never quote a value.
    case syntax(String)
    /// The same key twice in one mapping; where it stood first.
    case duplicateKey(first: Mark)
    /// A key that is a list or mapping.
    case keyIsNotText
    /// `!tag`: nothing here is to be made into a type.
    case tag
    /// `*name` without `&name` before it.
    case unknownAlias
    /// `*name` within its own `&name`.
    case recursiveAlias
    /// A second document.
    case severalDocuments
    /// Nested deeper than `YAMLParser.maximumDepth`.
    case tooDeep
    /// More nodes, aliases expanded, than `YAMLParser.maximumNodes`.
    case tooLarge
  }

  /// An error at a place.
  public init(_ problem: Problem, at mark: Mark) {
    self.init(problem, in: SourceRange(start: mark, end: mark))
  }

  /// An error of a stretch of text.
  public init(_ problem: Problem, in range: SourceRange) {
    self.problem = problem
    self.range = range
  }
}
