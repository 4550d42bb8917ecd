package import Source

/// A finding about a manifest, with its place. Its texts repeat only what the decoder recognised, so they
/// contain no secret.
package struct Diagnostic: Hashable, Sendable {
  package var code: DiagnosticCode
  package var severity: Severity
  /// The problem, as a sentence without a full stop.
  package var message: String
  package var range: SourceRange
  /// Related places.
  package var notes: [Note]
  /// The advice; nil if the message is enough.
  package var advice: String?
  /// The change that certainly corrects the finding; nil when a person must decide.
  package var fix: Fix?

  package enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
    /// The manifest cannot be used.
    case error
    /// The manifest can be used, but probably does not have the intended meaning.
    case warning
  }

  /// A related place with an explanation.
  package struct Note: Hashable, Sendable {
    package var message: String
    package var range: SourceRange

    package init(_ message: String, at range: SourceRange) {
      self.message = message
      self.range = range
    }
  }

  /// Edits that belong together. They contain no secret.
  package struct Fix: Hashable, Sendable {
    /// The edits in the order of the text. An empty range is an insertion.
    package var edits: [Edit]
    /// What only a person knows: the fix is right if the answer is yes. Nil for a fix that is certain.
    package var question: String?

    package init(_ edits: [Edit]) {
      self.edits = edits
    }

    package func asking(_ question: String) -> Fix {
      var fix = self
      fix.question = question
      return fix
    }

    package static func replace(_ range: SourceRange, with text: String) -> Fix {
      Fix([Edit(range: range, text: text)])
    }

    /// Puts a plain value into double quotes. It must not contain a quote or a backslash.
    package static func quote(_ range: SourceRange) -> Fix { enclose(range, in: "\"", "\"") }

    /// Puts texts before and after a part.
    package static func enclose(_ range: SourceRange, in start: String, _ end: String) -> Fix {
      Fix([
        Edit(range: SourceRange(start: range.start, end: range.start), text: start),
        Edit(range: SourceRange(start: range.end, end: range.end), text: end),
      ])
    }
  }

  /// A part of a text with its replacement.
  package struct Edit: Hashable, Sendable {
    package var range: SourceRange
    package var text: String
  }

  package init(
    _ severity: Severity, _ code: DiagnosticCode, _ message: String, at range: SourceRange,
    notes: [Note] = [], advice: String? = nil, fix: Fix? = nil
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.range = range
    self.notes = notes
    self.advice = advice
    self.fix = fix
  }
}

extension Sequence<Diagnostic> {
  /// The findings in the order of the texts; those of one place by message.
  package func sortedByPlace() -> [Diagnostic] {
    sorted { ($0.range.start, $0.message) < ($1.range.start, $1.message) }
  }
}
