package import Bluetooth
package import Model

/// How a run ended.
package struct ApplyResult: Hashable, Sendable {
  package var outcome: RunOutcome
  /// The outcome of each selected room, in the manifest's order. Empty only if the record failed before the
  /// first one.
  package var rooms: [RoomFinished]
  /// Why the record could not be written, if that ended the run.
  package var recordFailure: RecordFailure?
  /// Why the radio could not be used, or no longer, if that ended the run.
  package var radioFailure: CentralError?
  /// Why nothing was begun, if a condition of the run was not met.
  package var refusal: RunRefusal?
}

/// Why a run was not begun.
package enum RunRefusal: Hashable, Sendable {
  /// Matching differs from the plan, room by room.
  case plan([PlanDifference])
  /// Another run uses the adapter; `by` is a text with that run and its start.
  case adapterClaimed(adapter: String, by: String)
}

package enum PlanFailure: Error, Hashable, Sendable {
  /// The operator stopped it.
  case interrupted
  case radio(CentralError)
  case refused(RunRefusal)
}
