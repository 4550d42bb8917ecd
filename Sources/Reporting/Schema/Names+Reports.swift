import Model

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
