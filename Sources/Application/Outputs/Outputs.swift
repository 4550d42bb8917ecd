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

  /// The content of docs/outputs.md.
  static var page: String { OutputPage.text(all, introduction: introduction) }

  private static let introduction = """
    This page explains every field of the outputs that roboprov writes for programs. `roboprov schema NAME` prints the JSON Schema \
    (draft 2020-12) of an output; `roboprov schema` lists the names. Page and schemas are generated from the code that writes the \
    outputs, and tests check real outputs against them. Do not edit this page; record it with `ROBOPROV_RECORD=1 make test \
    FILTER=OutputSchemaTests`.

    - Names are frozen. The number at the end of a format increases when a field changes its meaning or is removed. A field or \
    a name can be added without a new number. The schemas are closed: this version writes nothing that they do not list.
    - Unknown values are null. In events and plans they are absent instead.
    - A time is UTC to the millisecond: `2026-11-21T09:00:00.123Z`. An address is upper case with colons: \
    `C4:7C:8D:00:00:01`. RSSI is in dBm, durations are in seconds unless the name of the field says otherwise.
    - `reason`, `advice`, `message`, `text` and `sentence` are for people and change with any version. Programs read the codes.
    """
}
