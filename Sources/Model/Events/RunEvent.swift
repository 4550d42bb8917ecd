public import FoundationEssentials

/// One thing that happened in a run: numbered, stamped, self-sufficient. Whatever a person or program ever
/// sees of a run is made from these. None can carry a secret.
public struct RunEvent: Hashable, Sendable {
  /// Version of the encoded form.
  public static let version = 1

  /// Its number in the run, from 1 without gaps.
  public var sequence: Int
  /// Wall-clock time, to the millisecond.
  public var at: Date
  /// Time since the run began, by the monotonic clock, to the microsecond.
  public var elapsed: Duration
  /// What happened.
  public var fact: Fact

  /// An event; `at` is rounded to the millisecond and `elapsed` cut to the microsecond, so that an event read
  /// back equals the one written.
  public init(sequence: Int, at: Date, elapsed: Duration, fact: Fact) {
    self.sequence = sequence
    self.at = Timestamp.rounded(at)
    self.elapsed = .microseconds(elapsed.inMicroseconds)
    self.fact = fact
  }
}
