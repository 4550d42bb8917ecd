/// A machine-readable output of roboprov.
package struct Output: Hashable, Sendable {
  /// Its name for `roboprov schema`.
  package let name: String
  /// Name and version of its format: the value of its key `schema`, if it has that key.
  package let identifier: String
  package let about: String
  package let place: String
  package let schema: Schema

  package init(_ name: String, _ identifier: String, _ about: String, in place: String, _ schema: Schema) {
    (self.name, self.identifier, self.about, self.place) = (name, identifier, about, place)
    self.schema = schema
  }

  /// An output that a form encodes.
  package init<Source>(
    _ name: String, _ identifier: String, in place: String, _ form: OutputForm<Source>
  ) {
    self.init(name, identifier, form.about, in: place, .object(form.schema))
  }
}

extension Output {
  package static let report = Output(
    "report", JSONReport.schema,
    in: "`report.json`; `roboprov apply --output report`, `report --output json`",
    JSONReport.form)
  package static let building = Output(
    "building", BuildingJSON.schema, in: "`building.json`; `roboprov status --output json`", BuildingJSON.form
  )
}
