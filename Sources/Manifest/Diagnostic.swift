public import YAML

/// Something to say about a manifest, and where. Texts are made without quoting secrets: of what the file says,
/// they repeat only what was recognised.
public struct Diagnostic: Hashable, Sendable {
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

  /// A finding.
  public init(
    _ severity: Severity, _ message: String, at range: SourceRange, notes: [Note] = [], advice: String? = nil
  ) {
    self.severity = severity
    self.message = message
    self.range = range
    self.notes = notes
    self.advice = advice
  }
}
