/// Records events, in order. An error ends the run.
package protocol RunRecorder: Sendable {
  /// Records events; returns when each is as durable as its `Fact.durability` requires.
  /// - Throws: `RecordFailure` when the record cannot be written; there is no retry.
  func record(_ events: [RunEvent]) async throws(RecordFailure)
}

package struct RecordFailure: Error, Hashable, Sendable {
  /// The system's error message.
  package var text: String

  package init(_ text: String) {
    self.text = text
  }
}
