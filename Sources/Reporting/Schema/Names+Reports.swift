import Model

extension CommonCause.Name: OutputNames {
  package static let definition = "common_cause_name"
  package static let about = "What the rooms that were attempted and not done have in common."
  package var documentation: String {
    switch self {
    case .adapter: "All were attempted on the adapter `value`, and no room was done on it."
    case .moment: "Attempts at several rooms lost their devices within milliseconds of each other."
    case .weakSignal: "All devices were received below \(CommonCause.weak) dBm."
    case .network: "All were to join the network `value`, and no room with it was done."
    case .deviceText: "All devices reported the error message `value`."
    }
  }
}

extension RunReport {
  /// How a run ended, or that its record has no end.
  static let ends = Schema.Names(
    "run_end", RunOutcome.about,
    RunOutcome.names.cases + [
      .init(unfinished, "The record has no end: the run was killed, or continues.")
    ])

  /// How the run ended, by its name in `ends`.
  var endName: JSONValue { .string(outcome?.rawValue ?? Self.unfinished) }
}

extension RunSpeed.Change: OutputNames {
  package static let definition = "run_change"
  package static let about = "Something to change for the next run."
  package var documentation: String {
    switch self {
    case .adapter: "One more adapter, in range of the same devices."
    case .links: "Adapters that hold \(RunSpeed.moreLinks) links at once."
    case .nearer: "Less distance to the devices that were received below \(CommonCause.weak) dBm."
    }
  }
}

extension RunSpeed.Cost {
  var documentation: String {
    switch self {
    case .failedAttempts:
      "Connecting in attempts that failed; after the last success, all time until the last failure."
    case .scanning: "Scan windows."
    case .connecting: "Connecting in attempts that succeeded."
    case .links: "Without a free link, while no scan window was open."
    }
  }
}
