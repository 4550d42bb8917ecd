package import Source
import Workbook

/// Reads tables of comma-separated values: with or without a byte order mark; `;`, `,` or tab between cells;
/// LF, CR LF or CR between rows. Quoted cells may contain all of them.
///
/// A first line such as `sep=;`, which spreadsheets read and write, names the delimiter. Otherwise it is the
/// one that most of the first rows have equally often, outside quotes.
package enum CSVReader {
  /// Maximum file size in bytes.
  package static let maximumBytes = 64 << 20
  /// Maximum number of cells.
  package static let maximumCells = 4_000_000

  /// Reads the table in a text.
  /// - Throws: the first error.
  package static func read(_ source: SourceText) throws(CSVError) -> CSVTable {
    guard source.bytes.count <= maximumBytes else {
      throw CSVError(
        .fileTooLarge(bytes: source.bytes.count), in: source.range(source.start..<source.start))
    }
    if Workbook.isMeant(by: source.bytes) {
      throw CSVError(.workbook(Self.problem(of: source.bytes)), in: source.range(0..<0))
    }
    switch source.encodingProblem {
    case .other(let encoding)?: throw CSVError(.otherEncoding(encoding), in: source.range(0..<0))
    case .invalid(let range)?: throw CSVError(.notUTF8, in: range)
    case nil: break
    }
    if let nul = source.bytes.firstIndex(of: 0) { throw CSVError(.nulByte, in: source.range(nul..<nul + 1)) }
    var scanner = Scanner(source)
    return try scanner.table()
  }

  /// Why a workbook was not converted.
  private static func problem(of bytes: [UInt8]) -> WorkbookProblem {
    do throws(WorkbookProblem) {
      _ = try Workbook(bytes).sheet(nil)
      return .damaged
    } catch {
      return error
    }
  }
}

extension SourceText {
  /// The text of a table: of a text file in one of the encodings of spreadsheets, or of the sheet of a workbook. One that
  /// cannot be converted is left as it is; `CSVReader` says why.
  /// - Parameter sheet: The sheet's name; nil for the only one with a table.
  package init(table bytes: [UInt8], number: Int = 0, sheet: String? = nil) {
    guard Workbook.isMeant(by: bytes) else {
      self.init(spreadsheet: bytes, number: number)
      return
    }
    guard let sheet = try? Workbook(bytes).sheet(sheet) else {
      self.init(bytes, number: number)
      return
    }
    self.init(sheet.csv, number: number, from: .workbook)
  }

  /// The sheets of a workbook that can be meant; empty for another file.
  package static func sheets(of bytes: [UInt8]) -> [SourceText] {
    guard Workbook.isMeant(by: bytes) else { return [] }
    return (try? Workbook(bytes).candidates.map { SourceText($0.csv, from: .workbook) }) ?? []
  }
}

/// Reads a text once from start to end.
private struct Scanner {
  private let source: SourceText
  private var offset: Int
  private var line = 1
  /// Byte offset of the line's start, and the number of UTF-8 continuation bytes in the line so far.
  private var lineStart: Int
  private var continuations = 0
  private var cells = 0

  init(_ source: SourceText) {
    self.source = source
    offset = source.start
    lineStart = source.start
  }

  mutating func table() throws(CSVError) -> CSVTable {
    let delimiter = source.encoding == .workbook ? .comma : declaredDelimiter() ?? likelyDelimiter
    var table = CSVTable(delimiter: delimiter, rows: [])
    while offset < source.bytes.count {
      let row = try row(delimiter)
      if row.contains(where: { !$0.text.isEmpty }) { table.rows.append(row) }
    }
    return table
  }

  /// The delimiter that a first line such as `sep=;` names. Skips that line.
  private mutating func declaredDelimiter() -> CSVTable.Delimiter? {
    guard let first = source.range(ofLine: 1), first.count == 5,
      source.bytes[first].starts(with: "sep=".utf8),
      let delimiter = CSVTable.Delimiter(rawValue: source.bytes[first.upperBound - 1])
    else { return nil }
    while offset < first.upperBound { step() }
    endRow()
    return delimiter
  }

  private var likelyDelimiter: CSVTable.Delimiter {
    // How many of the first rows have a delimiter this often.
    var rows: [CSVTable.Delimiter: [Int: Int]] = [:]
    var counts: [CSVTable.Delimiter: Int] = [:]
    var (isQuoted, isInRow, rowCount) = (false, false, 0)
    func endRow() {
      for (delimiter, count) in counts { rows[delimiter, default: [:]][count, default: 0] += 1 }
      if isInRow { rowCount += 1 }
      (counts, isInRow) = ([:], false)
    }
    for byte in source.bytes[offset...] {
      if byte == .quote { isQuoted.toggle() }
      if isQuoted { continue }
      if byte.isLineEnd {
        endRow()
        // Enough, also below a title.
        if rowCount == 40 { break }
        continue
      }
      isInRow = true
      if let delimiter = CSVTable.Delimiter(rawValue: byte) { counts[delimiter, default: 0] += 1 }
    }
    endRow()
    func weight(_ delimiter: CSVTable.Delimiter) -> (Int, Int) {
      rows[delimiter, default: [:]].map { ($0.value, $0.key) }.max { $0 < $1 } ?? (0, 0)
    }
    // On a tie the first in the order of the enumeration wins.
    return CSVTable.Delimiter.allCases.max { weight($0) < weight($1) } ?? .comma
  }

  private var byte: UInt8? { offset < source.bytes.count ? source.bytes[offset] : nil }

  private var mark: Mark {
    Mark(line: line, column: offset - lineStart - continuations + 1, offset: offset, text: source.number)
  }

  private mutating func step() {
    let byte = source.bytes[offset]
    offset += 1
    if byte.isContinuation { continuations += 1 }
    let isBeforeLF = offset < source.bytes.count && source.bytes[offset] == UInt8(ascii: "\n")
    if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && !isBeforeLF {
      line += 1
      lineStart = offset
      continuations = 0
    }
  }

  /// Skips a line end: LF, CR LF or CR.
  private mutating func endRow() {
    let isCR = byte == UInt8(ascii: "\r")
    if byte?.isLineEnd == true { step() }
    if isCR, byte == UInt8(ascii: "\n") { step() }
  }

  private mutating func row(_ delimiter: CSVTable.Delimiter) throws(CSVError) -> [CSVTable.Cell] {
    var row: [CSVTable.Cell] = []
    while true {
      cells += 1
      guard cells <= CSVReader.maximumCells else {
        throw CSVError(.tooManyCells, in: SourceRange(start: mark, end: mark))
      }
      skipBlanks(delimiter)
      row.append(byte == .quote ? try quoted(delimiter) : plain(delimiter))
      guard let byte else { return row }
      if byte == delimiter.rawValue {
        step()
      } else {
        endRow()
        return row
      }
    }
  }

  private mutating func skipBlanks(_ delimiter: CSVTable.Delimiter) {
    while let byte, byte.isBlank, byte != delimiter.rawValue { step() }
  }

  private mutating func plain(_ delimiter: CSVTable.Delimiter) -> CSVTable.Cell {
    let start = mark
    var end = start
    while let byte, byte != delimiter.rawValue, !byte.isLineEnd {
      step()
      if !byte.isBlank { end = mark }
    }
    let text = String(decoding: source.bytes[start.offset..<end.offset], as: UTF8.self)
    return CSVTable.Cell(text: text, range: SourceRange(start: start, end: end))
  }

  private mutating func quoted(_ delimiter: CSVTable.Delimiter) throws(CSVError) -> CSVTable.Cell {
    let start = mark
    step()
    var bytes: [UInt8] = []
    while true {
      guard let byte else {
        throw CSVError(.unclosedQuote, in: SourceRange(start: start, end: start))
      }
      step()
      if byte != .quote {
        bytes.append(byte)
      } else if self.byte == .quote {
        bytes.append(byte)
        step()
      } else {
        break
      }
    }
    let range = SourceRange(start: start, end: mark)
    skipBlanks(delimiter)
    if let byte, byte != delimiter.rawValue, !byte.isLineEnd {
      throw CSVError(.textAfterQuote, in: SourceRange(start: mark, end: mark))
    }
    return CSVTable.Cell(text: String(decoding: bytes, as: UTF8.self), range: range)
  }
}

extension UInt8 {
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
