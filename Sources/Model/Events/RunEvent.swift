package import FoundationEssentials

/// One event of a run: numbered, with its times, and complete. Every view of a run is made from events. None
/// contains a secret.
package struct RunEvent: Hashable, Sendable {
  /// The version of the encoded form.
  package static let version = 1

  /// The number in the run, from 1 without gaps.
  package var sequence: Int
  /// The wall-clock time, to the millisecond.
  package var at: Date
  /// The monotonic time since the run began, to the microsecond.
  package var elapsed: Duration
  package var fact: Fact

  /// `at` is rounded to the millisecond and `elapsed` truncated to the microsecond, so that a decoded event
  /// equals the encoded one.
  package init(sequence: Int, at: Date, elapsed: Duration, fact: Fact) {
    self.sequence = sequence
    self.at = Timestamp.rounded(at)
    self.elapsed = .microseconds(elapsed.inMicroseconds)
    self.fact = fact
  }
}
