import Engine

/// What a person is told when a run's conditions are not met.
enum RefusalWords {
  static func failure(_ refusal: RunRefusal) -> CommandFailure {
    switch refusal {
    case .plan(let differences):
      CommandFailure(
        .incomplete, "what would be done is not what the plan says; nothing was touched",
        cure: SavedPlan.words(differences))
    case .adapterClaimed(let adapter, let holder):
      CommandFailure(
        .unavailable, "\(adapter) is in use: \(holder)",
        cure: "Wait until that run is done, or name another adapter with --adapter.")
    }
  }
}
