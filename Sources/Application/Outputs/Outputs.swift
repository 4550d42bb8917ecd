import Model
package import Reporting

/// The machine-readable outputs with a schema, whose names are frozen.
package enum Outputs {
  package static let all: [Output] = [
    .report, .building,
    Output(
      "plan", ApplyPlan.schema, "What a run would do, room by room.",
      in: "`roboprov plan --output json`; the file of `plan --save`",
      .object(RecordSchema.object("plan"))),
    Output(
      "event", "roboprov/journal/1", "A line of a journal: something that happened in a run.",
      in: "`journal.jsonl`, and `roboprov apply --output json`, one a line", .object(RecordSchema.line)),
    Output("scan", ScanResult.schema, in: "`roboprov scan --output json`", ScanResult.form),
    Output(
      "validate", ManifestFindings.schema, in: "`roboprov validate` and `init`, each with `--output json`",
      ManifestFindings.form),
  ]
}
