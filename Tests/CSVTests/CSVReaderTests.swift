import CSV
import MarkedText
import Source
import Testing
import Workbook

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

  @Test("another encoding is reported by name, broken UTF-8 with its place, and a workbook as such")
  func encodings() {
    func problem(_ bytes: [UInt8]) -> CSVError? {
      #expect(throws: CSVError.self) { try CSVReader.read(SourceText(table: bytes)) }
    }
    #expect(problem([0xFF, 0xFE, 0x41])?.problem == .otherEncoding("UTF-16"))
    #expect(problem([0xFF, 0xFE, 0x00, 0xD8])?.problem == .otherEncoding("UTF-16"), "half a character")
    // 0x81 is no character of Windows-1252; `ü` in UTF-8 shows that the rest is damaged UTF-8.
    for bytes in [[0x81], [0xC3, 0xBC, 0xFC]] as [[UInt8]] {
      let error = problem(Array("Zimmer;".utf8) + bytes + Array("\n".utf8))
      #expect(error?.problem == .notUTF8)
      #expect(error?.range.start.offset == 7 + bytes.count - 1)
    }
    #expect(problem([0x50, 0x4B, 0x03, 0x04, 0x14])?.problem == .workbook(.damaged))
    #expect(problem([0xD0, 0xCF, 0x11, 0xE0])?.problem == .workbook(.oldOrProtected))
  }

  @Test("a table in Windows-1252 is read, and an edit of it is written in Windows-1252")
  func windows() throws {
    let bytes = Array("Zimmer;Preis\r\nK".utf8) + [0xFC] + Array("che;5 ".utf8) + [0x80]
    let source = SourceText(table: bytes)
    #expect(source.encoding == .windows1252)
    #expect(try CSVReader.read(source).rows[1].map(\.text) == ["Küche", "5 €"])
    #expect(source.encoded(source.bytes) == bytes)
    #expect(source.encoded(Array("ü€x".utf8)) == [0xFC, 0x80, UInt8(ascii: "x")])
    let plain = SourceText(table: Array("Küche".utf8))
    #expect(plain.encoding == .utf8 && plain.encoded(plain.bytes) == Array("Küche".utf8))
  }

  @Test(
    "a table in UTF-16 of either order is read, and an edit of it is written in the same",
    arguments: [false, true])
  func utf16(isBigEndian: Bool) throws {
    let units = "\u{FEFF}Raum\tNr\r\nKüche 😀\t7".utf16
    let bytes = units.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      return isBigEndian ? [high, low] : [low, high]
    }
    let source = SourceText(table: bytes)
    #expect(try CSVReader.read(source).rows.map { $0.map(\.text) } == [["Raum", "Nr"], ["Küche 😀", "7"]])
    #expect(source.encoded(source.bytes) == bytes)
  }

  @Test("the delimiter is that of the rows, not of a title above them")
  func title() throws {
    let table = "Rooms, printed 28.11., page 1\n\nroom;size;minor\nA;17,5;1\nB;20,0;2\n"
    #expect(
      try rows(table).dropFirst() == [["room", "size", "minor"], ["A", "17,5", "1"], ["B", "20,0", "2"]])
  }
}
