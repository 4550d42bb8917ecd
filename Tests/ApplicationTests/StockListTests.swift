import Bluetooth
import CSV
import Source
import Testing

@testable import Application

@Suite("a delivery is read from a table")
struct StockListTests {
  private static func read(_ text: String) throws -> StockList {
    try StockList(CSVTable(SourceText(Array(text.utf8)), file: "stock.csv"), file: "stock.csv")
  }

  private static func addresses(_ text: String) throws -> [String] {
    try read(text).entries.map { $0.address.description }
  }

  private static let two = ["C4:7C:8D:00:00:01", "C4:7C:8D:00:00:02"]

  @Test(
    "addresses are in the only column, with or without a header, or in the column with that name",
    arguments: [
      "C47C8D000001\nC47C8D000002\n", "Sensor\nC4-7C-8D-00-00-01\nC4-7C-8D-00-00-02\n",
      "Article;MAC;Note\nRS-1;C4:7C:8D:00:00:01;ok\nRS-1;C47C.8D00.0002;\n",
      "address,box\nc4:7c:8d:00:00:01,1\n,2\nc4:7c:8d:00:00:02,3\n",
      "Delivery 4711\n\narticle,box\nC47C8D000001,1\nC47C8D000002,2\n",
      "Label\tPallet\r\nRobo Sensor MAC:C47C8D000001\t7\r\nRobo Sensor MAC:C47C8D000002\t7\r\n",
    ])
  func columns(_ text: String) throws {
    #expect(try Self.addresses(text) == Self.two)
  }

  @Test("each device has its line number, and duplicates are reported")
  func lines() throws {
    let list = try Self.read("mac\nC47C8D000001\nC47C8D000002\nc4:7c:8d:00:00:01\n")
    #expect(list.entries.map(\.line) == [2, 3])
    #expect(list.repeated.map(\.line) == [4])
  }

  @Test(
    "an invalid table is refused with its place and advice",
    arguments: [
      ("", "lists no device"), ("mac\n", "lists no device"),
      ("article,box\nRS-1,1\n", "no header names"),
      ("C47C8D000001,C47C8D000002\n", "no header names"), ("mac\nC47C8D0000\n", "stock.csv:2: "),
      ("mac\nC47C8D000001 C47C8D000002\n", "stock.csv:2: this text has 2 addresses"),
      ("mac\n\"C47C8D000001\n", "stock.csv:2:1: this quote is never closed"),
    ])
  func refused(_ text: String, _ words: String) throws {
    let failure = #expect(throws: CommandFailure.self) { try Self.read(text) }
    #expect(failure?.status == .manifest && failure?.advice != nil)
    #expect(failure?.text.contains(words) == true, "\(failure?.text ?? "")")
  }
}
