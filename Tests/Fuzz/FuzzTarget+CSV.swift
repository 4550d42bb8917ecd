import CSV
import Families
import Manifest
import Model
import Source

extension FuzzTarget {
  /// Tables: every place lies inside the text, and a written table is read back equal. For a table as the
  /// rooms of a manifest, findings lie inside the text and cannot control the terminal.
  static let csv = FuzzTarget(name: "csv") { bytes in
    let source = SourceText(bytes)
    let table: CSVTable
    do throws(CSVError) {
      table = try CSVReader.read(source)
    } catch {
      Observation.take(error)
      try check(error.range, in: source)
      return try checkAsRooms(bytes)
    }
    Observation.take(table)
    for cell in table.rows.joined() { try check(cell.range, in: source) }
    let copy: CSVTable
    do throws(CSVError) {
      copy = try CSVReader.read(SourceText(text(of: table)))
    } catch {
      throw Violation("a written table can be read: \(error.problem)")
    }
    try Violation.unless(
      copy.rows.map { $0.map(\.text) } == table.rows.map { $0.map(\.text) },
      "a table that was written out is the same")
    try checkAsRooms(bytes)
  }

  private static func checkAsRooms(_ bytes: [UInt8]) throws {
    let reading = ManifestReader.read(
      Array("building: B\nmatch: later\nrooms_from: rooms.csv\n".utf8), file: "building.yaml",
      families: .builtIn,
      files: ManifestFiles { name, _ in .success(.init(name: name, bytes: bytes)) })
    let source = SourceText(table: bytes, number: 1)
    for finding in reading.diagnostics where finding.range.text == 1 {
      try check(finding.range, in: source)
    }
    Observation.take([reading.rendered, reading.building as Any])
    try checkIsHarmless(reading.rendered, "findings")
  }

  /// The table with every cell quoted and a `sep=` line.
  private static func text(of table: CSVTable) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    let rows = table.rows.map { row in
      let cells = row.map { cell in
        [quote] + cell.text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
      }
      return Array(cells.joined(separator: [table.delimiter.rawValue]))
    }
    return Array(([Array("sep=".utf8) + [table.delimiter.rawValue]] + rows).joined(separator: "\n".utf8))
  }
}
