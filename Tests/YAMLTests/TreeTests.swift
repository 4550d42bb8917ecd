import MarkedText
import Testing
import Source
import YAML

@Suite("A YAML document as a tree")
struct TreeTests {
  private func root(_ text: String) throws -> YAMLNode {
    try #require(try YAMLParser.parse(Array(text.utf8)))
  }

  private func value(_ text: String) throws -> YAMLNode {
    try #require(try root(text).entries?.first?.value)
  }

  @Test(
    "a plain scalar is always text",
    arguments: ["no", "on", "0x10", "1e3", "012", "1_000", "12:30:45", "2026-01-01", ".inf", "=", "214"])
  func plain(text: String) throws {
    #expect(try value("key: \(text)").content == .scalar(text, isPlain: true))
  }

  @Test(
    "a quoted scalar and a plain one are distinguished",
    arguments: [
      (#""214""#, "214"), ("'214'", "214"), (#""a\tb\u00e9""#, "a\tbé"), ("'it''s'", "it's"),
      (#""""#, ""), ("|\n  one\n  two\n", "one\ntwo\n"), (">-\n  one\n  two\n", "one two"),
    ])
  func quoted(written: String, text: String) throws {
    #expect(try value("key: \(written)").content == .scalar(text, isPlain: false))
  }

  @Test(
    "only an empty plain scalar, `~` and `null` are null",
    arguments: [("", true), ("~", true), ("null", true), ("''", false)])
  func null(written: String, isNull: Bool) throws {
    #expect(try value("key: \(written)").isNull == isNull)
  }

  @Test("the keys of a mapping keep the order of the file")
  func order() throws {
    #expect(try root("b: 1\na: 2\n<<: 3\nc: 4").entries?.map(\.key) == ["b", "a", "<<", "c"])
  }

  @Test("an alias gives a copy of its anchor's node with the place of the alias")
  func alias() throws {
    let marked = MarkedText("a: &x [1, 2]\nb: 1️⃣*x2️⃣\n")
    let entries = try #require(try root(marked.text).entries)
    #expect(entries[1].value.content == entries[0].value.content)
    #expect(entries[1].value.range.start == marked[1])
    #expect(entries[1].value.range.end == marked[2])
  }

  @Test(
    "an empty file, comments only, or `---` gives no document",
    arguments: ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "\u{FEFF}", "   \n"])
  func empty(text: String) throws {
    #expect(try YAMLParser.parse(Array(text.utf8)) == nil)
  }

  @Test(
    "keys and values have the places where they begin and end",
    arguments: [
      "1️⃣key2️⃣: 3️⃣value4️⃣",
      "# é\n1️⃣key2️⃣: 3️⃣'v a l'4️⃣ # comment\n",
      "1️⃣key2️⃣: 3️⃣{ a: 1, b: [2] }4️⃣\n\n\n",
      "1️⃣key2️⃣:\n  3️⃣a: 1\n  b: 24️⃣\n\n# end\n",
      "1️⃣key2️⃣:\n  3️⃣- 1\n  - 24️⃣\n\n",
      "1️⃣key2️⃣:3️⃣4️⃣\n",
      "\u{FEFF}1️⃣key2️⃣: 3️⃣x4️⃣\n",
      "# one\r\n# two\r\n1️⃣key2️⃣: 3️⃣x4️⃣\r\nother: y\r\n",
      "# one\r# two\r1️⃣key2️⃣: 3️⃣x4️⃣\r",
      "1️⃣schlüssel🔑2️⃣: 3️⃣\"wert e\u{301} שלום 👨‍👩‍👧\"4️⃣\n",
      "1️⃣key2️⃣: 3️⃣\"NEL\u{85} and LS\u{2028} end no line of an editor\"4️⃣\n",
    ])
  func places(text: String) throws {
    let marked = MarkedText(text.replacing("\u{FEFF}", with: ""))
    let bom = text.hasPrefix("\u{FEFF}") ? 3 : 0
    let entry = try #require(try root(text.removingMarkers).entries?.first)
    func expected(_ number: Int) -> Mark? {
      marked[number].map { Mark(line: $0.line, column: $0.column, offset: $0.offset + bom) }
    }
    #expect(entry.keyRange.start == expected(1))
    #expect(entry.keyRange.end == expected(2))
    #expect(entry.value.range.start == expected(3))
    #expect(entry.value.range.end == expected(4))
  }
}

extension String {
  fileprivate var removingMarkers: String { MarkedText(self).text }
}
