import CSV
import MarkedText
import Source
import Testing

@Suite("Tables of comma-separated values")
struct CSVReaderTests {
  private func rows(_ text: String) throws -> [[String]] {
    try CSVReader.read(SourceText(Array(text.utf8))).rows.map { $0.map(\.text) }
  }

  @Test(
    "the delimiter is recognised with any line ends and quotes",
    arguments: [
      "room,minor\nLobby,7\nBar,8\n", "room;minor\r\nLobby;7\r\nBar;8", "room\tminor\rLobby\t7\rBar\t8\r",
      "\u{FEFF}room;minor\nLobby;7\n\n;\nBar;8\n", "sep=;\r\nroom;minor\r\nLobby;7\r\nBar;8\r\n",
      "\"room\",\"minor\"\n\"Lobby\" , 7 \n  Bar,8", "sep=\t\nroom\tminor\nLobby\t7\nBar\t8",
    ])
  func delimiters(text: String) throws {
    #expect(try rows(text) == [["room", "minor"], ["Lobby", "7"], ["Bar", "8"]])
  }

  @Test("cells keep leading zeros, and quotes, delimiters and line ends within quotes")
  func cells() throws {
    #expect(
      try rows("room;note\n007;\"a;b\"\n\"say \"\"hi\"\"\";\"two\r\nlines\"\n 1e3 ;\" x \"\n") == [
        ["room", "note"], ["007", "a;b"], ["say \"hi\"", "two\r\nlines"], ["1e3", " x "],
      ])
    #expect(try rows("room;\"a,b,c,d\"\n1;2") == [["room", "a,b,c,d"], ["1", "2"]])
    #expect(try rows("room;a,b\n1;2") == [["room", "a,b"], ["1", "2"]])
    #expect(try rows("room") == [["room"]])
    #expect(try rows("a;b\n1\n1;2;3") == [["a", "b"], ["1"], ["1", "2", "3"]])
    #expect(try rows("") == [])
  }

  @Test("a cell's line and column are those of an editor")
  func places() throws {
    let marked = MarkedText("zürich;1️⃣ \"b\"2️⃣ ;c\r\n\"x\ny\";3️⃣é4️⃣\r5️⃣last")
    let table = try CSVReader.read(SourceText(marked.bytes, number: 3))
    func mark(_ number: Int) -> Mark? {
      marked[number].map { Mark(line: $0.line, column: $0.column, offset: $0.offset, text: 3) }
    }
    // The space before a quoted cell is not part of the cell.
    #expect(table.rows[0][1].range.start.column == (mark(1)?.column ?? 0) + 1)
    #expect(table.rows[0][1].range.end == mark(2))
    #expect(table.rows[1][1].range == SourceRange(start: try #require(mark(3)), end: try #require(mark(4))))
    #expect(table.rows[2][0].range.start == mark(5))
    #expect(table.rows[2][0].range.text == 3)
  }

  @Test(
    "an invalid table is refused with its place",
    arguments: [
      ("a;b\n1;1️⃣\"2\n3;4\n", CSVError.Problem.unclosedQuote), ("a;b\n\"1\"1️⃣x;2\n", .textAfterQuote),
      ("a;1️⃣\u{0}", .nulByte),
    ])
  func refused(text: String, problem: CSVError.Problem) throws {
    let marked = MarkedText(text)
    let error = #expect(throws: CSVError.self) { try CSVReader.read(SourceText(marked.bytes)) }
    #expect(error?.problem == problem)
    #expect(error?.range.start == marked[1])
  }

  @Test("another encoding is reported by name, and broken UTF-8 with its place")
  func encodings() {
    #expect(throws: CSVError.self) { try CSVReader.read(SourceText([0xFF, 0xFE, 0x41, 0x00])) }
    let latin = Array("Zimmer;".utf8) + [0xFC] + Array("\n".utf8)
    let error = #expect(throws: CSVError.self) { try CSVReader.read(SourceText(latin)) }
    #expect(error?.problem == .notUTF8)
    #expect(error?.range.start.offset == 7)
  }
}
