import Bluetooth
import Model

/// `building.json`: the state of a building, for programs. Keys are frozen; an unknown value is null, never
/// missing.
package enum BuildingJSON {
  package static let schema = "roboprov/building/2"

  /// The file's text.
  package static func text(_ report: BuildingReport) -> String { value(report).pretty }

  package static func value(_ report: BuildingReport) -> JSONValue { form.value(report) }

  static let form = OutputForm<BuildingReport>(
    "building", "The state of a building, from the whole record."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("building", "The building's stable id.") { $0.building }
    Field("building_name", "The building's name for people.") { $0.name }
    Field("made", "When the report was made.") { $0.made }
    Field("tool_version", "Version of roboprov.") { $0.maker.toolVersion }
    Field("host", "The host that made it.") { $0.maker.host }
    Field("operator", "The person who made it; null if none is named.") { $0.maker.user }
    Field("time_zone", "The host's time zone, in which the HTML page shows times: `Europe/Berlin`.") {
      $0.maker.timeZone
    }
    Field(
      "manifest", "The manifest that the building is compared with; null if none is known.",
      optional: manifest
    ) {
      $0.manifest
    }
    Field("summary", "The number of rooms in each state.", form: summary) { $0 }
    Field("rooms", "The rooms, in the manifest's order; those that it no longer has come last.", each: room) {
      $0.rooms.map { ($0, $0.isOpen ? Explanation(of: $0, times: .utc) : nil) }
    }
    Field("runs", "The runs, and the changes that a person made, oldest first.", each: run) { $0.runs }
  }

  private static let manifest = OutputForm<BuildingReport.Manifest>("manifest", "A manifest.") {
    Field("path", "Its path as the command line named it.") { $0.path }
    Field(
      "sha256", "`content:` and the SHA-256 of its content without passwords.",
      schema: .text(.manifestDigest)
    ) { .string($0.sha256) }
  }

  /// The number of rooms in each state; every state is listed.
  static let summary = OutputForm<BuildingReport>("building_summary", "The number of rooms in each state.") {
    Field("total", "All rooms.") { $0.rooms.count }
    Field("complete", "Whether nothing is left to do.") { $0.isDone }
    RoomStatus.Kind.counts { $0.count($1) }
  }

  private static let room = OutputForm<(room: BuildingRoom, explanation: Explanation?)>(
    "building_room", "The state of a room."
  ) {
    Field("id", "Its stable id.") { $0.room.id }
    Field("room", "Its name for people.") { $0.room.name }
    Field("floor", "Its floor; null if neither the manifest nor a run has one.") { $0.room.floor }
    Field("profile", "The device family.") { $0.room.profile }
    Field("state", "Its state.") { $0.room.state }
    Field("in_manifest", "Whether the manifest has it.") { $0.room.isInManifest }
    Field("devices", "Its device; several where merged records contradict each other.") { $0.room.devices }
    Field(
      "unordered_runs",
      "Runs that wrote its device or changed its state and had not read each other's records; empty unless a person has to decide."
    ) { $0.room.unordered }
    Field("identity", "The identity that its device has on record, or that the newest run was to write.") {
      $0.room.identity
    }
    Field("evidence", "The evidence for its state; null if nothing is proved.", optional: evidence) {
      source in
      source.room.evidence.map { ($0, source.room.seen) }
    }
    Field("settings", "Its settings as the record has them, in the profile's order.", each: setting) {
      $0.room.settings
    }
    Field("details", "What its device last reported of itself.", each: JSONReport.detail) { $0.room.details }
    Field("verification", "What `verify` last found; null if it never ran.", optional: verification) {
      $0.room.verification
    }
    Field(
      "missing_since",
      "When its device was first searched for and not received; null while it is not missing."
    ) {
      $0.room.missingSince?.at
    }
    Field("acceptances", "Its acceptances by people, oldest first.", each: acceptance) { $0.room.acceptances }
    Field("retirement", "Why it is out of service; null when it is not.", optional: retirement) {
      $0.room.retirement
    }
    Field("reason", "Why something is left to do, as a sentence; null when nothing is.") {
      $0.explanation?.sentence
    }
    Field(
      "reason_code", "Why the newest run did not do it; null when nothing is left to do, or it is missing."
    ) { $0.room.openReason?.code }
    Field("advice", "What to do next, as a sentence.") { $0.explanation?.advice }
    Field("runs", "What each run did with it, oldest first.", each: attempt) { $0.room.runs }
  }

  private static let evidence = OutputForm<(evidence: Evidence, seen: RecordedAt?)>(
    "building_evidence", "The evidence for a state."
  ) {
    Field("grade", "Its strength.") { $0.evidence.grade }
    Field("address", "The address that it came from.") { $0.evidence.address }
    Field("identity", "The identity that was received, if any.") { $0.evidence.identity }
    Field("rssi", "Its RSSI in dBm.") { $0.evidence.rssi }
    Field("seen_at", "When it was last observed.") { $0.seen?.at }
    Field("run", "The run that observed it.") { $0.seen?.run }
  }

  private static let setting = OutputForm<BuildingRoom.Setting>("building_setting", "A setting of a room.") {
    Field("name", "Which setting.") { $0.result.name }
    Field("value", "Its value; null for a secret.") { $0.result.value }
    Field("state", "Its state.") { $0.result.state }
    Field("at", "When it reached this state; null if it was not written.") { $0.recorded?.at }
    Field("run", "The run that has it on record.") { $0.recorded?.run }
  }

  private static let verification = OutputForm<RecordedVerification>("verification", "What `verify` found.") {
    Field("finding", "What was found.") { $0.found.finding }
    Field("held_identity", "What its device sent instead; null unless it sent another identity.") {
      $0.found.held
    }
    Field("rssi", "RSSI of its device in dBm: the median over the scan windows.") { $0.found.rssi }
    Field(
      "windows_received",
      "The number of scan windows that received it with the room's identity."
    ) { $0.found.windowsReceived }
    Field("windows", "The number of all scan windows.") { $0.found.windows }
    Field("adapters", "The adapters that scanned; empty if they are not on record.", each: AdapterScan.form) {
      $0.found.adapters ?? []
    }
    Field("at", "When.") { $0.recorded.at }
    Field("run", "The record of it.") { $0.recorded.run }
  }

  private static let acceptance = OutputForm<Acceptance>("acceptance", "A room was accepted as it is.") {
    Field("by", "The person responsible for it.") { $0.by }
    Field("reason", "Why.") { $0.reason }
    Field("at", "When.") { $0.given.at }
    Field("run", "The record of it.") { $0.given.run }
    Field(
      "ended_at",
      "When it ended, because the room was done, retired, or got another device; null while it is valid."
    ) {
      $0.ended?.at
    }
  }

  private static let retirement = OutputForm<RoomRetirement>("retirement", "The end of a room's service.") {
    Field("reason", "The reason that a person gave.") { $0.reason }
    Field("at", "When.") { $0.recorded.at }
    Field("run", "The record of it.") { $0.recorded.run }
  }

  private static let attempt = OutputForm<BuildingRoom.Run>("room_run", "What one run did with a room.") {
    Field("run", "The run.") { $0.recorded.run }
    Field("started", "When it began.") { $0.recorded.at }
    Field("outcome", "How the room ended.") { $0.room.outcome }
    Field("reason_code", "Why it is not a success; null when it is.") { $0.room.reason?.code }
    Field("address", "The device.") { $0.room.address }
    Field("adapter", "The adapter last used for it.") { $0.room.adapter }
    Field("adapter_name", "That adapter's name on the host.") { $0.adapterName }
    Field("attempts", "How many attempts count.") { $0.room.attempts }
    Field("not_counted", "How many attempts do not count, by cause.", form: JSONReport.notCounted) { $0.room }
    Field("duration_s", "Seconds from the first attempt to the outcome, waiting for retries included.") {
      $0.room.seconds
    }
    Field("rssi", "RSSI last received from the device, in dBm.") { $0.room.rssi }
  }

  private static let run = OutputForm<BuildingRun>(
    "building_run", "A run, or a change that a person made."
  ) {
    Field("id", "Its globally unique id.") { $0.started.run }
    Field("command", "The command that made the record.") { $0.started.command }
    Field("started", "When it began.") { $0.began }
    Field("finished", "When it ended; null when the record has no end.") { $0.report.finished }
    Field("outcome", "How it ended as a whole.", schema: .names(RunReport.ends)) { $0.report.endName }
    Field("host", "Name of its host.") { $0.started.host }
    Field("operator", "The person who ran it; null if none is named.") { $0.started.operatedBy }
    Field(
      "clock_synchronised",
      "Whether a time server set the host's clock; null if the host does not report it."
    ) { $0.started.isClockSynchronised }
    Field(
      "clock_behind",
      "How far the host's clock was behind the newest event on record, in seconds; null unless it was behind."
    ) { $0.started.clockBehind }
    Field("predecessors", "The ids of the runs that it had read and that no other of them names.") {
      ($0.started.predecessors ?? []).map(\.run)
    }
    Field("tool_version", "Version of roboprov.") { $0.started.toolVersion }
    Field("bluez_version", "Version of BlueZ; another Bluetooth stack is given with its name.") {
      $0.report.bluezVersion
    }
    Field("rooms_selected", "The number of rooms that it was to work on; null if it is not a run.") {
      $0.started.command == .apply ? $0.report.selected.count : nil
    }
    Field("rooms_done", "How many of these are done; null if it is not a run.") {
      $0.started.command == .apply ? $0.report.selected.count(where: \.outcome.isSuccess) : nil
    }
    Field("room", "The room that a person changed; null for a run.") { $0.change?.room }
    Field("reason", "Why that was changed.") { $0.change?.reason }
    Field(
      "manifest_sha256", "`content:` and the SHA-256 of its content without passwords.",
      schema: .text(.manifestDigest)
    ) { .string($0.started.manifestSHA256) }
    Field(
      "journal_sha256", "SHA-256 of the journal's last line, which identifies the whole journal.",
      schema: .text(.sha256)
    ) { .string($0.journalHash) }
  }
}

extension Output {
  package static let building = Output(
    "building", BuildingJSON.schema, in: "`building.json`; `roboprov status --output json`", BuildingJSON.form
  )
}
