import CSV
import Foundation
import Source
import Testing
import Workbook

@Suite("Workbooks")
struct WorkbookTests {
  /// A ZIP archive of these entries, without compression.
  private static func archive(_ entries: [(name: String, text: String)]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
    var (files, directory) = ([UInt8](), [UInt8]())
    for (name, text) in entries {
      let count = number(text.utf8.count, 4)
      let sizes: [[UInt8]] = [number(0, 4), count, count, number(name.utf8.count, 2)]
      let start = number(files.count, 4)
      directory += ([number(0x0201_4B50, 4), number(0, 12)] + sizes + [number(0, 12), start]).joined()
      directory += name.utf8
      files += ([number(0x0403_4B50, 4), number(0, 10)] + sizes + [number(0, 2)]).joined()
      files += (name + text).utf8
    }
    let count = number(entries.count, 2)
    let end: [[UInt8]] = [
      number(0x0605_4B50, 4), number(0, 4), count, count, number(directory.count, 4), number(files.count, 4),
      number(0, 2),
    ]
    return files + directory + end.joined()
  }

  private static func ods(_ rows: String) -> [UInt8] {
    archive([("content.xml", "<d><table name='T'>\(rows)</table></d>")])
  }

  private static func xlsx(_ rows: String, styles: String = "") -> [UInt8] {
    archive([
      ("xl/workbook.xml", "<workbook><sheets><sheet name='S' r:id='rId1'/></sheets></workbook>"),
      (
        "xl/_rels/workbook.xml.rels",
        "<Relationships><Relationship Id='rId1' Type='x/worksheet' Target='worksheets/sheet1.xml'/></Relationships>"
      ),
      ("xl/styles.xml", "<styleSheet>\(styles)</styleSheet>"),
      ("xl/worksheets/sheet1.xml", "<worksheet><sheetData>\(rows)</sheetData></worksheet>"),
    ])
  }

  private static func rows(_ bytes: [UInt8]) throws -> [[String]] {
    try CSVReader.read(SourceText(table: bytes)).rows.map { $0.map(\.text) }
  }

  private static func problem(_ bytes: [UInt8]) -> CSVError.Problem? {
    let error = #expect(throws: CSVError.self) { try CSVReader.read(SourceText(table: bytes)) }
    return error?.problem
  }

  @Test("a row is a line, whose number is that of the row")
  func lines() throws {
    let bytes = Self.xlsx(
      "<row r='3'><c r='B3' t='inlineStr'><is><t>a, \"b\"</t></is></c><c r='D3' t='str'><v>x&#10;y</v></c></row><row r='5'><c r='A5'><v>7</v></c></row>"
    )
    let source = SourceText(table: bytes)
    #expect(source.encoding == .workbook)
    let table = try CSVReader.read(source)
    #expect(table.rows.map { $0.map(\.text) } == [["", "a, \"b\"", "", "x y"], ["7"]])
    #expect(table.rows.map { $0[0].range.start.line } == [3, 5])
  }

  @Test("numbers are those that are stored, with the zeros of their format, and dates are dates")
  func numbers() throws {
    let styles =
      "<numFmts><numFmt numFmtId='164' formatCode='000'/><numFmt numFmtId='165' formatCode='d. mmm;@'/><numFmt numFmtId='166' formatCode='0.0 &quot;Tag&quot;'/></numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/><xf numFmtId='165'/><xf numFmtId='14'/><xf numFmtId='166'/></cellXfs>"
    let cells = [
      ("0", "101.0"), ("0", "1.5"), ("1", "7"), ("2", "46024"), ("3", "46024.5"), ("4", "46024"),
      ("9", "1E3"),
    ]
    let row = cells.map { "<c s='\($0.0)'><v>\($0.1)</v></c>" }.joined()
    #expect(
      try Self.rows(Self.xlsx("<row>\(row)</row>", styles: styles)) == [
        ["101", "1.5", "007", "2026-01-02", "2026-01-02", "46024", "1000"]
      ])
  }

  @Test("what is wrong with a workbook is said")
  func problems() throws {
    #expect(Self.problem(Self.archive([("a", "b")])) == .workbook(.otherFormat))
    #expect(Self.problem(Self.ods("")) == .workbook(.empty))
    #expect(Self.problem(Self.ods("<table-row><table-cell><p>x</q>")) == .workbook(.damaged))
    let whole = Self.ods("<table-row><table-cell><p>x</p></table-cell></table-row>")
    #expect(try Self.rows(whole) == [["x"]])
    for count in 4..<whole.count {
      #expect(Self.problem(Array(whole[..<count])) == .workbook(.damaged), "\(count) bytes")
    }
    let row = "<table-row><table-cell><p>a</p></table-cell><table-cell><p>b</p></table-cell></table-row>"
    let two = "\(row)\(row)</table><table name='U'>\(row)\(row)"
    #expect(Self.problem(Self.ods(two)) == .workbook(.severalSheets(["T", "U"])))
    #expect(try CSVReader.read(SourceText(table: Self.ods(two), sheet: "U")).rows.count == 2)
  }

  @Test("a small file does not become a large table, and an entity is not expanded")
  func bombs() {
    let cell = "<table-cell number-columns-repeated='16000'><p>x</p></table-cell>"
    #expect(
      Self.problem(Self.ods("<table-row number-rows-repeated='1000000'>\(cell)</table-row>"))
        == .workbook(.tooLarge))
    let far = "<row r='1'><c r='XFD1'><v>1</v></c></row>"
    let wide = (1...300).map { far.replacing("1'", with: "\($0)'") }.joined()
    #expect(Self.problem(Self.xlsx(wide)) == .workbook(.tooLarge))
    #expect(
      Self.problem(Self.xlsx("<row r='99999999999'><c r='A1'><v>1</v></c></row>")) == .workbook(.damaged))
    #expect(
      Self.problem(Self.xlsx("<row r='-9223372036854775808'><c><v>1</v></c></row>")) == .workbook(.damaged))
    let entities =
      "<!DOCTYPE d [<!ENTITY a \"xx\">]><d><table name='T'><table-row><table-cell><p>&a;</p></table-cell></table-row></table></d>"
    #expect(Self.problem(Self.archive([("content.xml", entities)])) == .workbook(.damaged))
  }

  @Test("an entry that says that it is larger than it is, or than any table, is refused")
  func falseSizes() throws {
    let file = URL(filePath: #filePath).appending(path: "../../Tables/excel-de.xlsx").standardizedFileURL
    let bytes = Array(try Data(contentsOf: file))
    let entries = bytes.indices.filter { bytes[$0...].starts(with: [0x50, 0x4B, 0x01, 0x02]) }
    try #require(entries.count > 3)
    for (size, problem) in [(0x00, WorkbookProblem.damaged), (0x01, .damaged), (0x40, .tooLarge)] {
      var changed = bytes
      for entry in entries { changed[entry + 27] = UInt8(size); if size == 0 { changed[entry + 16] ^= 1 } }
      #expect(Self.problem(changed) == .workbook(problem), "\(size)")
    }
    var encrypted = bytes
    for entry in entries { encrypted[entry + 8] |= 1 }
    #expect(Self.problem(encrypted) == .workbook(.oldOrProtected))
  }
}
