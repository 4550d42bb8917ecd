package import Source

/// Why a text cannot be read as YAML. It quotes nothing of the text, which may hold secrets.
package struct YAMLError: Error, Hashable, Sendable {
  package var problem: Problem
  /// The range of the error; empty for a single place.
  package var range: SourceRange

  /// The start of the error.
  package var mark: Mark { range.start }

  package enum Problem: Hashable, Sendable {
    /// More bytes than `YAMLParser.maximumBytes`.
    case fileTooLarge(bytes: Int)
    /// Bytes that are not UTF-8.
    case notUTF8
    /// Another encoding according to its byte order mark: `UTF-16` or `UTF-32`.
    case otherEncoding(String)
    /// The code point of a character that YAML forbids, such as NUL.
    case forbiddenCharacter(UInt32)
    /// A tab in indentation, which must be spaces.
    case tab
    /// A quoted string without its closing quote; the range is its start.
    case unclosedQuote
    /// A `{` or `[` that is not closed, or an unexpected token within; the mark is the opening bracket.
    case brokenBrackets(opened: Mark)
    /// `key: value` where no key is allowed: a `: ` in a plain scalar, or wrong indentation.
    case unexpectedMapping
    /// A key without its colon.
    case missingColon
    /// A token that does not belong to the block above it, usually because of its indentation.
    case misplaced
    /// A plain scalar that begins with a reserved character.
    case reservedCharacter
    /// An unknown escape sequence.
    case unknownEscape
    /// Any other syntax error, in libyaml's text, which never quotes a value.
    case syntax(String)
    /// The same key twice in one mapping; the mark is the first.
    case duplicateKey(first: Mark)
    /// A key that is a sequence or a mapping.
    case keyIsNotText
    /// `!tag`: tags are not supported.
    case tag
    /// `*name` without an earlier `&name`.
    case unknownAlias
    /// `*name` within the node of `&name`.
    case recursiveAlias
    /// A second document.
    case severalDocuments
    /// Nesting deeper than `YAMLParser.maximumDepth`.
    case tooDeep
    /// More nodes than `YAMLParser.maximumNodes`, with aliases expanded.
    case tooLarge
  }

  package init(_ problem: Problem, at mark: Mark) {
    self.init(problem, in: SourceRange(start: mark, end: mark))
  }

  package init(_ problem: Problem, in range: SourceRange) {
    self.problem = problem
    self.range = range
  }
}
