import Bluetooth
import Model
import Testing

@testable import Reporting

@Suite("report.csv")
struct CSVReportTests {
  @Test("report.csv matches its snapshot")
  func snapshot() throws {
    try expectSnapshot(CSVReport.text(RunReport(RunScript.mixed.events)), "report.csv")
  }

  @Test("each record has as many fields as the header (RFC 4180)")
  func wellFormed() throws {
    let records = try #require(parseCSV(CSVReport.text(RunReport(RunScript.mixed.events))))
    #expect(records.count == 5)
    #expect(records[0] == CSVReport.columns)
    for record in records { #expect(record.count == CSVReport.columns.count) }
  }

  @Test("a negative number is written as a number")
  func numbers() throws {
    let records = try #require(parseCSV(CSVReport.text(RunReport(RunScript.mixed.events))))
    let rssi = try #require(CSVReport.columns.firstIndex(of: "rssi"))
    #expect(records.dropFirst().map { $0[rssi] } == ["-55", "-55", "-91", ""])
  }

  @Test("a hostile text stays in its field and is not a formula", arguments: Hostile.texts)
  func hostile(text: String) throws {
    var script = RunScript()
    let room = PlannedRoom.sample("a", text, minor: 1)
    script.begin([room])
    script.end(room, .failed, .refused(stage: .save, deviceText: text))
    let csv = CSVReport.text(RunReport(script.events))
    let records = try #require(parseCSV(csv))
    #expect(records.count == 2)
    try #require(records[1].count == CSVReport.columns.count)
    let column = try #require(CSVReport.columns.firstIndex(of: "room"))
    let name = records[1][column].unicodeScalars
    #expect(
      !records[1].joined().unicodeScalars.contains {
        $0.isControlling && !"\t\r\n".unicodeScalars.contains($0)
      })
    let begins = name.first { !$0.properties.isWhitespace }
    if let begins { #expect(!"=+-@＝＋－＠".unicodeScalars.contains(begins)) }
    #expect(!["\t", "\r", "\n"].contains(name.first))
  }

  @Test(
    "a plain text stays unchanged", arguments: ["Kitchen", "Büro 1", "a=b", "1-2", "o'clock", "שלום"])
  func plain(text: String) {
    #expect(CSVCell.text(text).encoded == text)
  }

  @Test(
    "a special character is quoted, doubled or neutralised",
    arguments: [
      ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("=1", "'=1"), ("=1,2", "\"'=1,2\""), ("a\nb", "\"a\nb\""),
      ("nul\0", "nul\\0"), (" a", "\" a\""), ("\t=1", "'\t'=1"),
      // Where the comma is the decimal sign, a spreadsheet splits at `;`, also within quotes.
      ("a;b", "\"a;b\""), ("a;=1", "\"a;'=1\""), ("a; =1;b", "\"a;' =1;b\""), ("a\n@x", "\"a\n'@x\""),
      ("-52", "'-52"),
    ])
  func special(text: String, cell: String) {
    #expect(CSVCell.text(text).encoded == cell)
  }
}
