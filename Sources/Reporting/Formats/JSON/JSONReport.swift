package import Bluetooth
import FoundationEssentials
import Model

/// `report.json`: a run for programs. Keys are frozen; an unknown value is null, never missing.
package enum JSONReport {
  package static let schema = "roboprov/report/1"

  /// The file's text.
  /// - Parameter after: The state of the building after the run; nil where it is not known.
  package static func text(_ report: RunReport, after: BuildingReport? = nil) -> String {
    value(report, after: after).pretty
  }

  package static func value(_ report: RunReport, after: BuildingReport? = nil) -> JSONValue {
    form.value((report, after))
  }

  static let form = OutputForm<(report: RunReport, after: BuildingReport?)>(
    "report", "One run, and the outcome of each room."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("run", "The run.", form: run) { $0.report }
    Field("summary", "The number of rooms with each outcome.", form: summary) { $0.report }
    Field(
      "building_after",
      "The number of rooms of the building in each state after the run; null if unknown.",
      optional: BuildingJSON.summary
    ) { $0.after }
    Field("rooms", "The rooms of the manifest, in its order.", each: room) {
      RunRow.rows($0.report, after: $0.after).map { ($0, Explanation(of: $0.room)) }
    }
    Field(
      "unclaimed", "Devices that could be provisioned, and that belong to no room of the building.",
      each: unclaimed
    ) { source in source.report.unclaimed.map { ($0, source.report) } }
  }

  private static let run = OutputForm<RunReport>(
    "run", "A run. All but `outcome` is null before its first event."
  ) {
    Field("id", "Globally unique id of the run: time, host and a random part.") { $0.run?.run }
    Field("building", "The building's stable id.") { $0.run?.building }
    Field("building_name", "The building's name for people.") { $0.run?.buildingName }
    Field("started", "When it began.") { $0.started }
    Field("finished", "When it ended; null when the record has no end.") { $0.finished }
    Field("duration_s", "Seconds from its beginning to its newest event.") { $0.elapsed.inSeconds }
    Field("outcome", "How it ended as a whole.", schema: .names(RunReport.ends)) { $0.endName }
    Field("interruption", "What stopped it early; null when nothing did.") { $0.interruption?.cause }
    Field("simulated", "Whether the building was virtual.") { $0.run?.simulated }
    Field("tool_version", "Version of roboprov.") { $0.run?.toolVersion }
    Field("host", "Name of its host.") { $0.run?.host }
    Field("kernel", "The host's kernel.") { $0.run?.kernel }
    Field("os", "The host's operating system.") { $0.run?.operatingSystem }
    Field("operator", "The person who ran it; null if none is named.") { $0.run?.operatedBy }
    Field(
      "clock_synchronised",
      "Whether a time server set the host's clock; null if the host does not report it."
    ) { $0.run?.isClockSynchronised }
    Field(
      "clock_behind",
      "How far the host's clock was behind the newest event on record, in seconds; null unless it was behind."
    ) { $0.run?.clockBehind }
    Field("bluez_version", "Version of BlueZ; another Bluetooth stack is given with its name.") {
      $0.bluezVersion
    }
    Field("adapters", "The adapters that it used, in the order of their first use.", each: adapter) {
      $0.adapters
    }
    Field(
      "foreign_scans", "Adapters that another program scanned with; connecting then takes up to 10 s longer.",
      each: foreignScan
    ) { report in report.foreignScans.map { ($0, report) } }
    Field(
      "busy_host_s",
      "For how many seconds roboprov waited for a processor, in the spans of 10 s in which that was a fifth of the time or more."
    ) { $0.secondsOfBusyHost }
    Field("manifest", "The manifest.", form: manifest) { $0.run }
    Field(
      "speed",
      "How fast it was; null if fewer than five devices were provisioned, if it did not end by itself, or if something other than the radio took time.",
      optional: speed
    ) { $0.speed }
  }

  private static let speed = OutputForm<RunSpeed>("run_speed", "How fast a run was.") {
    Field("devices", "The number of devices that were provisioned.") { $0.devices }
    Field(
      "least_s",
      "The least time in seconds for the same devices on the same adapters, with this run's survey, mean session times and number of links at once (docs/internals/radio-model.md); at most `duration_s`."
    ) { $0.least }
  }

  private static let adapter = OutputForm<AdapterSelected>("adapter", "An adapter.") {
    Field("address", "Its Bluetooth address, which does not change.") { $0.adapter }
    Field(
      "name",
      "Its name on the host: `hci0`; with the host if that is another computer: `floor-3/hci0`."
    ) { $0.name }
    Field("alias", "Its name in the manifest; null if it has none.") { $0.alias }
    Field("place", "Its place in the manifest; null if it has none.") { $0.place }
    Field("hardware", "Its controller; null if the host does not report it.", optional: hardware) {
      $0.hardware
    }
  }

  /// The controller behind an adapter.
  package static let hardware = OutputForm<AdapterHardware>(
    "adapter_hardware", "The controller of an adapter, as far as its host reports it."
  ) {
    Field("manufacturer", "The company that made it, by the Bluetooth SIG's number.") { $0.manufacturer }
    Field(
      "core_version",
      "The version of its core specification, by number: 9 is Bluetooth 5.0."
    ) { $0.version }
    Field("bus", "The bus that it is on: `usb`, `serial`.") { $0.bus }
    Field("id", "Vendor and product on that bus, lower-case hex: `0bda:8771`.") { $0.identifier }
    Field("product", "Its own name.") { $0.product }
    Field("driver", "The kernel's driver: `btusb`.") { $0.driver }
    Field("path", "Where it is plugged in: `usb1/1-3/1-3:1.0`.") { $0.path }
  }

  private static let foreignScan = OutputForm<(scan: ForeignScanDetected, report: RunReport)>(
    "foreign_scan", "An adapter that another program scans with."
  ) {
    Field("adapter", "The adapter.") { $0.scan.adapter }
    Field("adapter_name", "Its name on the host.") { $0.report.name(of: $0.scan.adapter) }
    Field(
      "clients", "The programs that may have scanned: `bluetoothctl (pid 812)`. Empty if unknown."
    ) { $0.scan.clients }
  }

  private static let manifest = OutputForm<RunStarted?>("manifest", "The manifest of a run.") {
    Field("path", "Its path as the command line named it.") { $0?.manifestPath }
    Field(
      "sha256", "`content:` and the SHA-256 of its content without passwords.",
      schema: .nullable(.text(.manifestDigest))
    ) { ($0?.manifestSHA256).map(JSONValue.string) ?? .null }
  }

  private static let summary = OutputForm<RunReport>("summary", "The number of rooms with each outcome.") {
    Field("total", "All rooms.") { $0.rooms.count }
    Outcome.counts { $0.count($1) }
  }

  private static let room = OutputForm<(row: RunRow, explanation: Explanation?)>(
    "room", "A room, and its result in this run."
  ) {
    Field("room", "Its name for people.") { $0.row.room.planned.name }
    Field("id", "Its stable id, also the name of its log.") { $0.row.room.id }
    Field("floor", "Its floor; null if the manifest has none.") { $0.row.room.planned.floor }
    Field("profile", "The device family.") { $0.row.room.planned.profile }
    Field("registered", "Whether its device is configured elsewhere and is only looked for.") {
      $0.row.room.isRegistered
    }
    Field("identity", "The identity that it is to have; null for families without one.") {
      $0.row.room.identity
    }
    Field("outcome", "How it ended.") { $0.row.room.outcome }
    Field("state", "The room's state after the run, from all runs; null if unknown.") {
      $0.row.after?.state
    }
    Field("address", "Its device; null if none is known.") {
      $0.row.room.address ?? $0.row.after?.devices.first
    }
    Field(
      "consent",
      "How the operator permitted its device in this run; null if the manifest or the record names the device."
    ) { $0.row.room.consent }
    Field("adapter", "The adapter last used for it.") { $0.row.room.adapter }
    Field("adapter_name", "That adapter's name on the host.") { $0.row.report.name(of: $0.row.room.adapter) }
    Field("attempts", "How many attempts at its device count.") { $0.row.room.attempts }
    Field("not_counted", "How many attempts do not count, by cause.", form: notCounted) { $0.row.room }
    Field("duration_s", "Seconds from its first attempt to its outcome, waiting for retries included.") {
      $0.row.room.seconds
    }
    Field("rssi", "RSSI last received from its device, in dBm.") { $0.row.room.rssi }
    Field("evidence", "The evidence for a success; null if nothing is proved.", optional: evidence) {
      $0.row.proof
    }
    Field("settings", "The state of each setting, in the profile's order.", each: setting) { $0.row.settings }
    Field("details", "What its device reported of itself.", each: detail) { $0.row.room.details }
    Field("reason", "Why it is not done, as a sentence; null for a success.") { $0.explanation?.sentence }
    Field("reason_code", "The same as a code.") { $0.row.room.reason?.code }
    Field("advice", "What to do next, as a sentence.") { $0.explanation?.advice }
    Field("exclusion", "Why the run excluded it; null if it did not.", optional: exclusion) {
      $0.row.room.planned.exclusion
    }
    Field("log", "The path of its log, relative to the folder of the run.") { $0.row.room.log }
  }

  static let notCounted = OutputForm<RoomReport>("attempts_not_counted", AttemptExemption.about) {
    AttemptExemption.counts { $0.attempts(notCounted: $1) }
  }

  private static let evidence = OutputForm<ShownProof>("evidence", "The evidence for a success.") {
    Field("grade", "Its strength.") { $0.evidence.grade }
    Field("address", "The address that it came from.") { $0.evidence.address }
    Field("identity", "The identity that was received, if any.") { $0.evidence.identity }
    Field("rssi", "Its RSSI in dBm.") { $0.evidence.rssi }
    Field(
      "seconds_after_save",
      "Seconds from the submission of the save until it was received."
    ) { $0.evidence.secondsAfterSave }
    Field("seen_at", "When it was observed; null if the record does not have the time.") { $0.seenAt }
    Field("run", "The run that observed it.") { $0.run }
    Field("seen_in_this_run", "Whether it was observed in this run, not in an earlier one.") {
      $0.isOfThisRun
    }
  }

  private static let setting = OutputForm<SettingResult>("setting", "A setting of a room.") {
    Field("name", "Which setting.") { $0.name }
    Field("value", "Its value; null for a secret.") { $0.value }
    Field("state", "Its state.") { $0.state }
  }

  static let detail = OutputForm<DeviceDetail>("device_detail", "What a device reports of itself.") {
    Field("name", "What the value is.") { $0.name }
    Field("value", "The value in the device's words, without secrets.") { $0.value }
  }

  private static let exclusion = OutputForm<Exclusion>("exclusion", "Why a room of the manifest is excluded.")
  {
    Field("cause", "What excludes it.") { $0.cause }
    Field("reason", "Why it was accepted or retired.") { $0.reason }
    Field("by", "Who accepted it.") { $0.by }
  }

  private static let unclaimed = OutputForm<(device: DeviceUnclaimed, report: RunReport)>(
    "unclaimed_device", Fact.Kind("device_unclaimed").meaning
  ) {
    Field("address", "The device.") { $0.device.address }
    Field("profile", "Its family.") { $0.device.profile }
    Field("adapter", "The adapter that received it last.") { $0.device.adapter }
    Field("adapter_name", "That adapter's name on the host.") { $0.report.name(of: $0.device.adapter) }
    Field("rssi", "RSSI in dBm.") { $0.device.rssi }
  }
}

extension Output {
  package static let report = Output(
    "report", JSONReport.schema,
    in: "`report.json`; `roboprov apply --output report`, `report --output json`",
    JSONReport.form)
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
