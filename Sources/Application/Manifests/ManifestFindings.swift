import CSV
import FoundationEssentials
import Journal
package import Manifest
package import Model
package import Reporting
import Source

/// The output of `validate`.
package enum ManifestFindings {
  /// Version of the JSON form.
  package static let schema = "roboprov/validate/1"

  /// The summary of a valid manifest.
  package static func summary(_ building: Building, file: String) -> String {
    // By index: a loop over the rooms would copy each of them.
    func count(_ isCounted: (Int) -> Bool) -> Int { building.rooms.indices.count(where: isCounted) }
    let rooms = building.rooms.count
    let named = count { building.rooms[$0].address != nil }
    let registered = count { building.rooms[$0].isRegistered }
    let wifi = count { building.rooms[$0].settings[.wifiSSID] != nil }
    var parts = ["\(rooms) room\(rooms == 1 ? "" : "s")"]
    let profiles = profiles(of: building)
    if profiles.count > 1 || profiles.first?.id != building.families.all.first?.id {
      parts[0] += " (" + profiles.map { "\($0.count) \($0.id)" }.joined(separator: ", ") + ")"
    }
    parts.append("\(named) with an address")
    let byName = count { building.rooms[$0].address == nil && building.rooms[$0].deviceName != nil }
    if byName > 0 { parts.append("\(byName) with a device's name") }
    if registered > 0 { parts.append("\(registered) registered") }
    parts.append("\(wifi) with WiFi")
    return "\(file): \(building.name.visible): \(parts.joined(separator: ", ")); can be applied"
  }

  /// How the tables of rooms were read, a line for each.
  package static func tables(_ reading: ManifestReading) -> [String] {
    reading.tables.filter { $0.delimiter != .comma || $0.encoding != .utf8 }.map { table in
      let delimiter =
        switch table.delimiter {
        case .semicolon: "semicolons"
        case .comma: "commas"
        case .tab: "tabs"
        }
      let form =
        switch table.encoding {
        case .utf8: ", with \(delimiter) between the cells"
        case .windows1252: ", with \(delimiter) between the cells, in Windows-1252"
        case .utf16: ", with \(delimiter) between the cells, in UTF-16"
        case .workbook: ", from a workbook"
        }
      return "\(table.file.visible): \(table.rooms) row\(table.rooms == 1 ? "" : "s")\(form)"
    }
  }

  /// Rooms that have the device of a room on record that the manifest does not have: a line for each, with what to write. A
  /// record that cannot be read is none of this command's business.
  package static func renamed(_ building: Building, in reports: String) -> [String] {
    guard FileManager.default.fileExists(atPath: "\(reports)/\(building.id)"),
      let archive = try? BuildingArchive.read(in: reports, building: building.id)
    else { return [] }
    let earlier = archive.state.lastKnown.earlierIDs(of: building.rooms.map { $0.planned(sealedBy: nil) })
    return building.rooms.compactMap { room in
      earlier[room.id].map { id in
        let words = Explanation.renamed(from: id)
        return "\(room.name.visible): \(words.sentence) \(words.advice)"
      }
    }
  }

  /// The number of rooms of each family that has any.
  private static func profiles(of building: Building) -> [(id: FamilyID, count: Int)] {
    var counts: [FamilyID: Int] = [:]
    for index in building.rooms.indices {
      counts[building.rooms[index].sharedFamily.value.id, default: 0] += 1
    }
    return building.families.all.compactMap { family in counts[family.id].map { (family.id, $0) } }
  }

  package static func json(_ reading: ManifestReading, file: String) -> JSONValue {
    form.value((reading, file))
  }

  static let form = OutputForm<(reading: ManifestReading, file: String)>(
    "validate", "What is wrong with a manifest, and where."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("file", "The manifest's path as the command line named it.") { $0.file }
    Field("valid", "Whether it can be applied.") { $0.reading.building != nil }
    Field("building", "The building's stable id; null when it cannot be applied, as below.") {
      $0.reading.building?.id
    }
    Field("rooms", "How many rooms it has.") { $0.reading.building?.rooms.count }
    Field(
      "profiles", "How many rooms there are of each device family, by its name.",
      schema: .nullable(.map(Int.schema))
    ) {
      $0.reading.building.map { building in
        .object(profiles(of: building).map { .init($0.id.rawValue, .integer($0.count)) })
      } ?? .null
    }
    Field("registered", "How many rooms have a device that is configured elsewhere.") {
      $0.reading.building?.rooms.count(where: \.isRegistered)
    }
    Field("findings", "Errors and warnings, in the order of their places.", each: finding) {
      let reading = $0.reading
      return reading.diagnostics.map { ($0, reading) }
    }
  }

  private static let finding = OutputForm<(diagnostic: Diagnostic, reading: ManifestReading)>(
    "finding", "An error or a warning."
  ) {
    Field("code", "The stable name of the finding, explained in docs/diagnostics.md.") {
      $0.diagnostic.code.rawValue
    }
    Field("severity", "How bad it is.") { $0.diagnostic.severity }
    Field("message", "What is wrong, as a sentence without its full stop.") { $0.diagnostic.message }
    Field("file", "The file in which it is: the manifest, or one that it names.") {
      $0.reading.excerpts[$0.diagnostic.range.text].file
    }
    Field("range", "Where.", form: range) { $0.diagnostic.range }
    Field("advice", "The action to take; null if the message is enough.") { $0.diagnostic.advice }
    Field("fixable", "Whether `validate --fix` corrects it.") { $0.diagnostic.fix != nil }
    Field("notes", "Other places that belong to it.", each: note) { finding in
      finding.diagnostic.notes.map { ($0, finding.reading) }
    }
  }

  private static let note = OutputForm<(note: Diagnostic.Note, reading: ManifestReading)>(
    "note", "Another place."
  ) {
    Field("message", "What is there.") { $0.note.message }
    Field("file", "The file in which it is.") { $0.reading.excerpts[$0.note.range.text].file }
    Field("range", "Where.", form: range) { $0.note.range }
  }

  private static let range = OutputForm<SourceRange>(
    "range", "A part of a file. Lines and columns count from 1."
  ) {
    Field("line", "Its first line.") { $0.start.line }
    Field("column", "Its first column.") { $0.start.column }
    Field("end_line", "The line in which it ends.") { $0.end.line }
    Field("end_column", "The column after its last character.") { $0.end.column }
  }
}

extension Diagnostic.Severity: OutputNames {
  package static let definition = "severity"
  package static let about = "How bad a finding is."
  package var documentation: String {
    switch self {
    case .error: "The manifest cannot be used."
    case .warning: "The manifest can be used, but probably does not have the intended meaning."
    }
  }
}
