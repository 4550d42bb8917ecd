import Manifest
import Provisioning
import Reporting
import YAML

/// What `validate` says about a manifest.
enum ManifestFindings {
  /// Version of the JSON form.
  static let schema = "roboprov/validate/1"

  /// For people, when it can be applied.
  static func summary(_ building: Building, file: String) -> String {
    let rooms = building.rooms.count
    let named = building.rooms.count { $0.address != nil }
    let wifi = building.rooms.count { $0.settings[.wifiSSID] != nil }
    return
      "\(file): \(building.name.visible): \(rooms) room\(rooms == 1 ? "" : "s"), \(named) with an address, "
      + "\(wifi) with WiFi; can be applied"
  }

  /// For programs.
  static func json(_ reading: ManifestReading, file: String) -> JSONValue {
    .object([
      "schema": .string(schema),
      "file": .string(file),
      "valid": .bool(reading.building != nil),
      "building": .optional(reading.building?.id),
      "rooms": .optional(reading.building?.rooms.count),
      "findings": .array(reading.diagnostics.map(json)),
      "omitted": .integer(reading.omitted),
    ])
  }

  private static func json(_ finding: Diagnostic) -> JSONValue {
    .object([
      "severity": .string(finding.severity.rawValue),
      "message": .string(finding.message),
      "range": json(finding.range),
      "advice": .optional(finding.advice),
      "notes": .array(
        finding.notes.map { .object(["message": .string($0.message), "range": json($0.range)]) }),
    ])
  }

  private static func json(_ range: SourceRange) -> JSONValue {
    .object([
      "line": .integer(range.start.line), "column": .integer(range.start.column),
      "end_line": .integer(range.end.line), "end_column": .integer(range.end.column),
    ])
  }
}
