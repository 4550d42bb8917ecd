import Model
package import Reporting

/// Every machine-readable output.
package enum Outputs {
  package static let all: [Output] = [
    .report, .building, .verification,
    Output(
      "plan", ApplyPlan.schema, "What a run would do, room by room.",
      in: "`roboprov plan --output json`; the file of `plan --save`",
      .object(RecordSchema.object("plan"))),
    Output(
      "event", "roboprov/journal/1", "A line of a journal: something that happened in a run.",
      in: "`journal.jsonl`, and `roboprov apply --output json`, one a line", .object(RecordSchema.line)),
    Output(
      "history", HistoryJSON.schema, HistoryJSON.form.about, in: "`roboprov history --output json`",
      .object(HistoryJSON.form)),
    Output("scan", ScanResult.schema, in: "`roboprov scan --output json`", ScanResult.form),
    Output("monitor", MonitorLine.schema, in: "`roboprov monitor`, one a line", MonitorLine.form),
    Output("doctor", DoctorJSON.schema, in: "`roboprov doctor --output json`", DoctorJSON.form),
    Output(
      "inspection", Inspection.schema, in: "`roboprov inspect --output json`, without `--set`",
      Inspection.form),
    Output("wifi-scan", WiFiList.schema, in: "`roboprov inspect --networks --output json`", WiFiList.form),
    Output(
      "validate", ManifestFindings.schema, in: "`roboprov validate` and `init`, each with `--output json`",
      ManifestFindings.form),
    Output("capture", CaptureOutcome.schema, in: "`roboprov capture --output json`", CaptureOutcome.form),
    Output(
      "change", ChangeJSON.schema, in: "`roboprov replace`, `retire` and `accept`, each with `--output json`",
      ChangeJSON.form),
    Output("merge", MergeJSON.schema, in: "`roboprov report merge --output json`", MergeJSON.form),
    Output("check", CheckJSON.schema, in: "`roboprov report check --output json`", CheckJSON.form),
    Output("signature", SignatureJSON.schema, in: "`roboprov report sign --output json`", SignatureJSON.form),
    Output(
      "error", ErrorJSON.schema,
      in: "the last line of stderr of every command with `--output json` that ends with an error",
      ErrorJSON.form),
  ]
}
