public import Source

/// A finding about a manifest, and where it is. Texts are made without quoting secrets: of what the file says,
/// they repeat only what was recognised.
public struct Diagnostic: Hashable, Sendable {
  /// What it is about.
  public var code: DiagnosticCode
  /// Whether it keeps the manifest from being used.
  public var severity: Severity
  /// What is wrong, as a sentence without its full stop.
  public var message: String
  /// Where.
  public var range: SourceRange
  /// Other places that belong to it.
  public var notes: [Note]
  /// What to do about it; nil where the message says it all.
  public var advice: String?
  /// The change that certainly corrects it; nil where a person must decide.
  public var fix: Fix?

  /// How bad it is.
  public enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
    /// The manifest cannot be used.
    case error
    /// The manifest can be used, but probably says something else than was meant.
    case warning
  }

  /// Another place, and what it has to do with it.
  public struct Note: Hashable, Sendable {
    /// What is there.
    public var message: String
    /// Where.
    public var range: SourceRange

    /// A note.
    public init(_ message: String, at range: SourceRange) {
      self.message = message
      self.range = range
    }
  }

  /// Changes of a text that belong together. They contain no secret.
  public struct Fix: Hashable, Sendable {
    /// What is replaced by what, in the order of the text; a place without extent is an insertion.
    public var edits: [Edit]

    /// A fix.
    public init(_ edits: [Edit]) {
      self.edits = edits
    }

    /// Replaces one part of a text.
    public static func replace(_ range: SourceRange, with text: String) -> Fix {
      Fix([Edit(range: range, text: text)])
    }

    /// Puts a plain value into double quotes. It may not contain a quote or a backslash.
    public static func quote(_ range: SourceRange) -> Fix {
      Fix([
        Edit(range: SourceRange(start: range.start, end: range.start), text: "\""),
        Edit(range: SourceRange(start: range.end, end: range.end), text: "\""),
      ])
    }
  }

  /// A part of a text and what replaces it.
  public struct Edit: Hashable, Sendable {
    /// What is replaced.
    public var range: SourceRange
    /// By what.
    public var text: String

    /// An edit.
    public init(range: SourceRange, text: String) {
      self.range = range
      self.text = text
    }
  }

  /// A finding.
  public init(
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
