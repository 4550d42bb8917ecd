public import Model

/// What came of a trial.
public struct TrialResult: Sendable {
  /// The seed of the trial: what repeats it.
  public var seed: UInt64
  /// What it went through.
  public var tally: Tally
  /// What must never be, and was; the first of them, if there are many.
  public var violations: [Violation]
  /// The events before the first violation, and that with which it was found.
  public var story: [RunEvent]
  /// The journals of its runs, in order.
  public var journals: [[UInt8]]
}
