package import Engine
import Model
import Reporting

/// The messages if the conditions of a run are not met.
package enum RefusalWords {
  package static func failure(_ refusal: RunRefusal) -> CommandFailure {
    switch refusal {
    case .plan(let differences):
      CommandFailure(
        .incomplete, "this run would not do what was planned; no device was written",
        advice: words(differences))
    case .adapterClaimed(let adapter, let holder):
      CommandFailure(
        .unavailable, "\(adapter) is in use: \(holder)",
        advice: "Wait until that run is done, or name another adapter with --adapter.")
    }
  }

  /// The differences, room by room.
  static func words(_ differences: [PlanDifference]) -> String {
    CommandFailure.list(differences) { $0.words(SettingTitles(BuiltIn.families)) }
      + "\nLook at it with `roboprov plan`, and save a new plan if it is right."
  }
}
