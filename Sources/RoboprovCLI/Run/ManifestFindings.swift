import Families
import Manifest
import Model
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
    let registered = building.rooms.count(where: \.isRegistered)
    let wifi = building.rooms.count { $0.settings[.wifiSSID] != nil }
    var parts = ["\(rooms) room\(rooms == 1 ? "" : "s")"]
    let profiles = profiles(of: building)
    if profiles.count > 1 || profiles.first?.id != DeviceProfiles.all.first?.id {
      parts[0] += " (" + profiles.map { "\($0.count) \($0.id)" }.joined(separator: ", ") + ")"
    }
    parts.append("\(named) with an address")
    if registered > 0 { parts.append("\(registered) registered") }
    parts.append("\(wifi) with WiFi")
    return "\(file): \(building.name.visible): \(parts.joined(separator: ", ")); can be applied"
  }

  /// How many rooms there are of each family that has some.
  private static func profiles(of building: Building) -> [(id: ProfileID, count: Int)] {
    DeviceProfiles.all.map { profile in
      (profile.id, building.rooms.count { $0.profile == profile.id })
    }.filter { $0.count > 0 }
  }

  /// For programs.
  static func json(_ reading: ManifestReading, file: String) -> JSONValue {
    .object([
      "schema": .string(schema),
      "file": .string(file),
      "valid": .bool(reading.building != nil),
      "building": .optional(reading.building?.id),
      "rooms": .optional(reading.building?.rooms.count),
      "profiles": reading.building.map { building in
        .object(profiles(of: building).map { .init($0.id.rawValue, .integer($0.count)) })
      } ?? .null,
      "registered": .optional(reading.building?.rooms.count(where: \.isRegistered)),
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
