public import Bluetooth

/// The end of a conversation: the last word has been submitted.
public struct Submission: Hashable, Sendable {
  /// When it was submitted; proof counts only if first heard after this.
  public var at: MonotonicInstant
  /// How the device itself acknowledged it; nil when it did not.
  public var acknowledgement: Evidence.Grade?
  /// Whether nothing had to be written: the device held it all.
  public var isUnchanged: Bool
  /// What came instead of an acknowledgement: no failure yet, but the reason should the proof not be heard.
  public var trouble: FailureReason?

  /// A submission.
  public init(
    at: MonotonicInstant, acknowledgement: Evidence.Grade?, isUnchanged: Bool = false,
    trouble: FailureReason? = nil
  ) {
    self.at = at
    self.acknowledgement = acknowledgement
    self.isUnchanged = isUnchanged
    self.trouble = trouble
  }
}
