import Model

/// The schema of an event: of the events in a room's history and, with `prev`, of the lines of a journal.
package enum EventSchema {
  /// An event.
  package static let event = ObjectSchema(
    "event", "Something that happened in a run.",
    [
      .init("v", "Version of the encoding.", .constant(.integer(RunEvent.version))),
      .init("seq", "Its number in the run, from 1 without gaps.", .integer(from: 1)),
      .init("at", "When it happened, by the host's clock.", .text(.time)),
      .init("elapsed_us", "Microseconds since the run began, by the monotonic clock.", .integer(from: 0)),
      .init("kind", "What happened.", .names(kinds)),
      .init("data", "The data of the event. Its keys depend on `kind`.", .payload),
    ],
    variants: .init(key: "kind", payload: "data", Fact.Kind.allCases.map(variant)))

  /// A line of `journal.jsonl`.
  package static let line = {
    var line = event
    line.definition = "journal_line"
    line.properties.append(
      .init(
        "prev",
        "SHA-256 of the previous line without its newline; in the first line, of the name of the format.",
        .text(.sha256)))
    return line
  }()

  private static let kinds = Schema.Names(
    "kind", "The events of a run.", Fact.Kind.allCases.map { .init($0.rawValue, about($0)) })

  /// The meaning of a kind of event; empty for one without an explanation.
  private static func about(_ kind: Fact.Kind) -> String { words[kind] ?? "" }

  private static func variant(_ kind: Fact.Kind) -> ObjectSchema.Variant {
    var schema: ObjectSchema?
    do {
      _ = try Fact(kind: kind) { type in
        let read = SchemaReader.read(type)
        schema = read.schema
        return read.sample
      }
    } catch {
      preconditionFailure("\(kind.rawValue) cannot be made: \(error)")
    }
    guard let schema else { preconditionFailure("\(kind.rawValue) has no payload") }
    return .init(kind.rawValue, about(kind), schema)
  }

  private static let words: [Fact.Kind: String] = [
    "run_started": "The run began.",
    "adapter_awaited": "No adapter could be used; the run waits for one.",
    "adapter_selected": "An adapter was taken into use.",
    "adapter_faulted": "An adapter receives nothing, or the stack refuses to scan with it.",
    "link_released": "A link that an earlier run left was ended.",
    "foreign_scan_detected": "Another program scanned with an adapter in use.",
    "scan_started": "An adapter started to scan.",
    "scan_stopped": "An adapter stopped scanning.",
    "device_sighted": "A device was received for the first time, or with another state than before.",
    "binding_committed":
      "Intent: a device was bound to a room; on record before the first byte is written.",
    "binding_released": "A device is no longer bound to a room.",
    "room_retired": "A room was taken out of service.",
    "room_accepted": "A room was accepted as it is.",
    "room_verified": "What was received from a room's device when the building was verified.",
    "host_paused": "The host paused, or its clock was set.",
    "attempt_started": "An attempt began.",
    "stage_started": "A stage of an attempt began.",
    "operator_awaited": "A room waits for an operator action; the run continues meanwhile.",
    "operator_requested": "The operator asked the run to pause, continue or stop.",
    "stage_ended": "A stage of an attempt ended.",
    "status_received": "The device sent a status.",
    "settings_read": "The device's settings were read.",
    "wifi_checked": "The device reported whether it receives its WiFi network.",
    "elapsed_sent": "The device got the time since an action.",
    "setting_written": "The device confirmed a setting.",
    "save_submitted": "Intent: the device is about to be asked to save what was written.",
    "link_ended": "The link ended.",
    "proof_received": "The proof was received on air.",
    "attempt_ended": "An attempt ended.",
    "retry_scheduled": "Another attempt will follow.",
    "canaries_judged":
      "The first rooms of each network were done, and a person or a command decided whether the rest follows.",
    "device_unclaimed": "A device that could be provisioned was received, and it belongs to no room.",
    "room_finished": "A room got its outcome.",
    "run_interrupted": "The run was asked to stop.",
    "run_finished": "The run ended.",
  ]
}
