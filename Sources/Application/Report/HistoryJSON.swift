import Reporting

/// `roboprov history --output json`: the events about a room or a device.
package enum HistoryJSON {
  package static let schema = "roboprov/history/1"

  static let form = ObjectSchema(
    "history", "Every event about a room or a device, oldest first.",
    [
      .init("schema", "Name and version of the format.", .constant(.string(schema))),
      .init("events", "The events.", .array(.object(entry))),
    ])

  private static let entry = ObjectSchema(
    "entry", "An event and its run.",
    [
      .init("run", "The run's id.", String.schema),
      .init("event", "The event, as in the journal but without `prev`.", .object(RecordSchema.event)),
    ])
}
