package import Engine

/// The messages if the conditions of a run are not met.
package enum RefusalWords {
  package static func failure(_ refusal: RunRefusal) -> CommandFailure {
    switch refusal {
    case .plan(let differences):
      CommandFailure(
        .incomplete, "this run would not do what was planned; no device was written",
        advice: SavedPlan.words(differences))
    case .adapterClaimed(let adapter, let holder):
      CommandFailure(
        .unavailable, "\(adapter) is in use: \(holder)",
        advice: "Wait until that run is done, or name another adapter with --adapter.")
    }
  }
}
