/// The file of a spreadsheet program: .xlsx (ISO/IEC 29500) or .ods (ISO/IEC 26300).
package struct Workbook: Sendable {
  /// Maximum number of cells of a sheet, with the empty ones before the last of each row.
  static let maximumCells = 4_000_000

  package let sheets: [Sheet]

  /// Whether the bytes can be those of a workbook: a ZIP archive, or the compound file of an old or protected one.
  package static func isMeant(by bytes: [UInt8]) -> Bool {
    [[0x50, 0x4B, 0x03, 0x04], compoundFile].contains(where: bytes.starts)
  }

  private static let compoundFile: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0]

  package init(_ bytes: [UInt8]) throws(WorkbookProblem) {
    guard !bytes.starts(with: Self.compoundFile) else { throw .oldOrProtected }
    let archive = try ZipArchive(bytes)
    if archive.has("xl/workbook.xml") {
      sheets = try OpenXML(archive).sheets
    } else if archive.has("content.xml") {
      sheets = try OpenDocument.sheets(of: archive.contents(of: "content.xml"))
    } else {
      throw .otherFormat
    }
  }

  /// The visible sheets with a table of more than one row and column; all with anything if there is none.
  package var candidates: [Sheet] {
    let filled = sheets.filter { !$0.isHidden && !$0.rows.isEmpty }
    let tables = filled.filter(\.isTable)
    return tables.isEmpty ? filled : tables
  }

  /// The sheet of this name; without a name the only candidate.
  package func sheet(_ name: String?) throws(WorkbookProblem) -> Sheet {
    if let name {
      guard let sheet = sheets.first(where: { $0.name == name }) else {
        throw .noSheet(sheets.filter { !$0.isHidden }.map(\.name))
      }
      return sheet
    }
    let candidates = candidates
    guard let sheet = candidates.first else { throw .empty }
    guard candidates.count == 1 else { throw .severalSheets(candidates.map(\.name)) }
    return sheet
  }
}

/// A sheet of a workbook. Cells are texts: whole numbers without a fraction, with the zeros that a format adds; dates
/// as `2026-01-02`.
package struct Sheet: Hashable, Sendable {
  package var name: String
  var isHidden = false
  /// The rows from the sheet's first one; each ends with its last cell that is not empty.
  private(set) var rows: [[String]] = []
  private var cells = 0
  private var joinedCells = 0

  init(name: String, isHidden: Bool = false) { (self.name, self.isHidden) = (name, isHidden) }

  /// - Parameters:
  ///   - row: From 0, as `column`.
  mutating func set(_ text: String, _ row: Int, _ column: Int) throws(WorkbookProblem) {
    guard !text.isEmpty else { return }
    // The limits of Excel.
    guard (0..<1_048_576).contains(row), (0..<16_384).contains(column) else { throw .damaged }
    while rows.count <= row { rows.append([]) }
    let missing = column + 1 - rows[row].count
    if missing > 0 {
      cells += missing
      guard cells <= Workbook.maximumCells else { throw .tooLarge }
      rows[row] += [String](repeating: "", count: missing)
    }
    rows[row][column] = text
  }

  /// Gives the text of a cell to those below it with which it is joined.
  mutating func join(_ rows: ClosedRange<Int>, _ column: Int) throws(WorkbookProblem) {
    guard self.rows.indices.contains(rows.lowerBound), self.rows[rows.lowerBound].indices.contains(column)
    else { return }
    let text = self.rows[rows.lowerBound][column]
    // Only down to the last row with a cell of its own.
    let last = min(rows.upperBound, self.rows.count - 1)
    joinedCells += last - rows.lowerBound
    guard joinedCells <= Workbook.maximumCells else { throw .tooLarge }
    for row in rows.lowerBound..<last { try set(text, row + 1, column) }
  }

  fileprivate var isTable: Bool {
    rows.count { row in row.count { !$0.isEmpty } > 1 } > 1
  }

  /// The sheet as comma-separated values in UTF-8, with a line for each row, so that the number of a line is that of its row.
  package var csv: [UInt8] {
    var text: [UInt8] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        let needsQuotes = cell.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        if needsQuotes { text.append(UInt8(ascii: "\"")) }
        for byte in cell.utf8 {
          if byte == UInt8(ascii: "\"") { text.append(byte) }
          // Also a line break.
          text.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
        }
        if needsQuotes { text.append(UInt8(ascii: "\"")) }
      }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
