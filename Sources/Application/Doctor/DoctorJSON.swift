import Bluetooth
import Model
import Engine
package import Reporting

/// `roboprov doctor --output json`. An unknown value is null, never missing.
package struct DoctorJSON: Sendable {
  var host: String
  var diagnosis: Diagnosis
  package let findings: [Finding]

  package init(host: String, _ diagnosis: Diagnosis) {
    (self.host, self.diagnosis, findings) = (host, diagnosis, diagnosis.findings)
  }

  package var value: JSONValue {
    let counts = Finding.Severity.allCases.map { severity in
      JSONValue.Member(severity.rawValue, .integer(findings.count { $0.severity == severity }))
    }
    let building = diagnosis.building
    let found = findings.map { Self.finding($0) }
    let adapters = diagnosis.listedOnAllHosts.map { Self.adapter($0) }
    let reception = (building?.reception?.value).map { Self.reception($0) }
    return .values([
      "schema": "roboprov/doctor/1", "tool_version": Version.current, "host": host,
      "building": building?.building.id, "summary": JSONValue.object(counts), "findings": found,
      "adapters": adapters, "reception": reception,
    ])
  }

  private static func finding(_ finding: Finding) -> JSONValue {
    .values([
      "code": finding.code.rawValue, "severity": finding.severity.rawValue, "subject": finding.subject,
      "sentence": finding.sentence, "advice": finding.advice, "command": finding.command,
    ])
  }

  private static func adapter(_ listed: Diagnosis.ListedAdapter) -> JSONValue {
    let hardware = listed.adapter.hardware.map { JSONReport.hardware.value($0) }
    let isPowered = listed.adapter.state == .ready
    return .values([
      "name": listed.adapter.name, "address": listed.adapter.id, "alias": listed.description?.alias,
      "place": listed.description?.place, "powered": isPowered, "blocked": listed.block?.rawValue,
      "hardware": hardware, "links": listed.links,
    ])
  }

  private static func reception(_ reception: BuildingFacts.ScanReception) -> JSONValue {
    func list(_ rooms: [Room]) -> [JSONValue] {
      rooms.map { JSONValue.values(["id": $0.id, "room": $0.name, "floor": $0.floor]) }
    }
    let rooms = reception.rooms
    return .values([
      "seconds": reception.seconds, "adapters": reception.adapters, "received": list(rooms.received),
      "not_received": list(rooms.missing), "unknown": list(rooms.unknown), "unclaimed": rooms.unclaimed,
    ])
  }
}
