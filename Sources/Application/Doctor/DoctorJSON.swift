import Bluetooth
import Model
import Engine
package import Reporting

/// `roboprov doctor --output json`. Keys are frozen; an unknown value is null, never missing.
package enum DoctorJSON {
  /// Name and version of the format.
  package static let schema = "roboprov/doctor/1"

  package struct Source: Sendable {
    var host: String
    var diagnosis: Diagnosis
    package let findings: [Finding]

    package init(host: String, _ diagnosis: Diagnosis) {
      (self.host, self.diagnosis, findings) = (host, diagnosis, diagnosis.findings)
    }
  }

  package static let form = OutputForm<Source>(
    "doctor", "What is wrong with a computer, and with the requirements of a building."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("tool_version", "Version of roboprov.") { _ in Version.current }
    Field("host", "The computer.") { $0.host }
    Field("building", "The building's stable id; null if no manifest was named.") {
      $0.diagnosis.building?.building.id
    }
    Field("summary", "How many findings of each severity there are.", form: summary) { $0 }
    Field("findings", "What was found, by topics.", each: finding) { $0.findings }
    Field(
      "adapters", "The adapters that BlueZ has, by name; empty, too, if it could not be asked.", each: adapter
    ) {
      $0.diagnosis.listedOnAllHosts
    }
    Field("reception", "What a scan received from the building; null without a scan.", optional: reception) {
      $0.diagnosis.building?.reception?.value
    }
  }

  private static let summary = OutputForm<Source>(
    "finding_counts", "How many findings of each severity there are."
  ) {
    Finding.Severity.counts { source, severity in source.findings.count { $0.severity == severity } }
  }

  private static let finding = OutputForm<Finding>("finding", "Something that was found out, good or bad.") {
    Field("code", "What was found.") { $0.code }
    Field("severity", "How bad it is.") { $0.severity }
    Field("subject", "The adapter, file or network concerned; null if there is only one of its kind.") {
      $0.subject
    }
    Field("sentence", "What it is, for people.") { $0.sentence }
    Field("advice", "What to do, for people; null if the command is enough, or nothing is to be done.") {
      $0.advice
    }
    Field("command", "What to do, as a command of a shell; null if there is none.") { $0.command }
  }

  private static let adapter = OutputForm<Diagnosis.ListedAdapter>(
    "listed_adapter", "An adapter as it is now."
  ) {
    Field("name", "Its name on the host: `hci0`.") { $0.adapter.name }
    Field("address", "Its Bluetooth address, which does not change.") { $0.adapter.id }
    Field("alias", "Its name in the manifest; null if it has none.") { $0.description?.alias }
    Field("place", "Its place in the manifest; null if it has none.") { $0.description?.place }
    Field("powered", "Whether it is switched on.") { $0.adapter.state == .ready }
    Field("blocked", "Whether rfkill blocks it; null if unknown.") { $0.block }
    Field(
      "hardware", "Its controller; null if nothing is known about it.",
      optional: JSONReport.hardware
    ) { $0.adapter.hardware }
    Field("links", "The devices that it holds a link to, made by any program; null if unknown.") { $0.links }
  }

  private static let reception = OutputForm<BuildingFacts.ScanReception>(
    "reception", "Which rooms' devices a scan received."
  ) {
    Field("seconds", "How long each adapter scanned.") { $0.seconds }
    Field("adapters", "The adapters that scanned, by name.") { $0.adapters }
    Field("received", "Rooms whose device or identity was received, in the manifest's order.", each: room) {
      $0.rooms.received
    }
    Field("not_received", "Rooms whose device is known and was not received.", each: room) {
      $0.rooms.missing
    }
    Field("unknown", "Rooms whose device is not known and whose identity was not received.", each: room) {
      $0.rooms.unknown
    }
    Field("unclaimed", "The number of waiting devices that no room has.") { $0.rooms.unclaimed }
  }

  private static let room = OutputForm<Room>("received_room", "A room.") {
    Field("id", "Its stable id.") { $0.id }
    Field("room", "Its name for people.") { $0.name }
    Field("floor", "Its floor; null if the manifest does not name it.") { $0.floor }
  }
}
