/// Puts events on record, in order. What throws here ends the run.
public protocol RunRecorder: Sendable {
  /// Records events; returns when each is as durable as its `Fact.durability` asks.
  /// - Throws: `RecordFailure` when the record cannot be written; nothing of ours is tried again.
  func record(_ events: [RunEvent]) async throws(RecordFailure)
}

/// The record could not be written.
public struct RecordFailure: Error, Hashable, Sendable {
  /// What the system said, for the log and the person.
  public var text: String

  /// A failure with the system's words.
  public init(_ text: String) {
    self.text = text
  }
}
