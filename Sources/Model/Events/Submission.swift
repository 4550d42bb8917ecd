package import Bluetooth

/// The result of a GATT session: everything was submitted.
package struct Submission: Hashable, Sendable {
  /// When it was submitted; proof counts only if first received after this.
  package var at: MonotonicInstant
  /// How the device acknowledged it; nil when it did not.
  package var acknowledgement: Evidence.Grade?
  /// Whether nothing had to be written because the device held everything.
  package var isUnchanged: Bool
  /// Whether the device confirmed the whole command, and showed nothing else since: a sighting of it as configured then
  /// proves it, in a family without an identity on air.
  package var isAccepted = false
  /// Whether the device showed that it carries the command out, and its result is still to come.
  package var isUnderWay = false
  /// The failure instead of an acknowledgement. It becomes the reason only if the proof does not arrive.
  package var problem: FailureReason?

  package init(
    at: MonotonicInstant, acknowledgement: Evidence.Grade?, isUnchanged: Bool = false,
    problem: FailureReason? = nil
  ) {
    (self.at, self.acknowledgement, self.isUnchanged) = (at, acknowledgement, isUnchanged)
    self.problem = problem
  }
}
