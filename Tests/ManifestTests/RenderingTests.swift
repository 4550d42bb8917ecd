import Families
import Manifest
import MarkedText
import Model
import Source
import Testing

@Suite("Findings as text")
struct RenderingTests {
  private func rendered(_ bytes: [UInt8]) -> String {
    readManifest(bytes, file: "b.yaml", families: .builtIn).rendered
  }

  private func rendered(_ text: String) -> String { rendered(Array(text.utf8)) }

  @Test("a finding has place, message, the line with its mark, advice and notes")
  func whole() {
    let text = """
      building: B
      rooms:
        - { room: Lobby, minor: 101, address: C4:7C:8D:00:00:01 }
        - { room: Bar, minor: 101, address: C4:7C:8D:00:00:02, wifi: { ssid: Bar, password: correct horse } }
        - { room: Spa, mino: 102, address: C4:7C:8D:00:00:03 }  # the old one was correct horse
      """
    #expect(
      rendered(text)
        == """
        b.yaml:4:25: error: another room has the minor 101, on line 3 [duplicate-identity]
            4 |   - { room: Bar, minor: 101, address: C4:7C:8D:00:00:02, wifi: { ssid: Bar, password: *** } }
              |                         ^~~
        b.yaml:3:27: note: the first with it
            3 |   - { room: Lobby, minor: 101, address: C4:7C:8D:00:00:01 }
              |                           ^~~
        b.yaml:5:7: error: a room without `minor` [missing-setting]
            5 |   - { room: Spa, mino: 102, address: C4:7C:8D:00:00:03 }  ***
              |       ^~~~
              = add `minor: …`. The number that the room's sensor sends, different in each room.
        b.yaml:5:18: error: unknown key in a room [unknown-key]
            5 |   - { room: Spa, mino: 102, address: C4:7C:8D:00:00:03 }  ***
              |                  ^~~~
              = did you mean `minor`?

        """)
  }

  /// The parts of a joined emoji are counted, because not every terminal joins them.
  @Test(
    "the mark is below the value, whatever the width of the text before it",
    arguments: [
      ("e\u{301}cole", 5), ("客室", 4), ("👨‍👩‍👧", 6), ("\u{202E}x", 9), ("a\tb", 4), ("שלום", 4),
    ])
  func width(name: String, columns: Int) throws {
    let lines = rendered("building: B\nmatch: any\nrooms: [{ room: \"\(name)\", id: a, minor: x }]")
      .split(separator: "\n")
    let mark = try #require(lines.first { $0.hasSuffix("^") })
    let before = #"rooms: [{ room: "", id: a, minor: "#.count
    #expect(mark.count == "      | ".count + 1 + before + columns)
  }

  @Test("a tab reaches to the next of the columns that are multiples of four")
  func tab() {
    let text = rendered("building: \"a\tb\"\nmatch: any\nrooms: [{ room: R, minor: 1 }]\n")
    #expect(text.contains("| building: \"a    b\"\n"), "\(text)")
  }

  @Test("the line of an alias of a list on the same line is shown once")
  func alias() {
    let text = rendered(
      "building: B\nmatch: any\nrooms: [{ room: R, minor: x, tags: &t [a] }, { room: S, minor: 2, tags: *t }]\n"
    )
    #expect(
      text.contains("| rooms: [{ room: R, minor: x, tags: *** [a] }, { room: S, minor: 2, tags: *** }]\n"),
      "\(text)")
  }

  /// The text of findings in a file without secrets.
  private func text(of findings: [Range<Int>], in text: String) -> String {
    let source = SourceText(Array(text.utf8))
    return DiagnosticFormatter([SourceExcerpt(open: source, file: "b.yaml")])
      .text(of: findings.map { Diagnostic(.error, .yamlSyntax, "m", at: source.range($0)) })
  }

  /// The line of a finding at the first byte of `rest`, with its mark.
  private func marked(_ before: String, _ rest: String) -> String {
    let place = before.utf8.count
    return text(of: [place..<place + 1], in: "\(before)\(rest)\n").replacing(
      "b.yaml:1:\(before.unicodeScalars.count + 1): error: m [yaml-syntax]\n", with: "")
  }

  @Test(
    "a long line is cut between its characters, with a third of its width before the mark", arguments: 0..<4)
  func cut(shift: Int) {
    func wide(_ count: Int) -> String { String(repeating: "\u{1D400}", count: count) }
    let narrow = String(repeating: "x", count: shift)
    #expect(
      marked(wide(200) + narrow, "y" + wide(200))
        == "    1 | …\(wide(33 - shift))\(narrow)y\(wide(66))…\n      | \(String(repeating: " ", count: 34))^\n"
    )
  }

  @Test(
    "a line of 100 columns, and the start of one with its mark in the first two thirds, is not cut",
    arguments: [
      (66, 33, "", 66, 33, ""), (66, 80, "", 66, 33, "…"), (67, 80, "…", 33, 66, "…"),
    ])
  func fits(before: Int, after: Int, start: String, shownBefore: Int, shownAfter: Int, end: String) {
    func text(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }
    let blank = text(" ", shownBefore + start.count)
    #expect(
      marked(text("a", before), "y" + text("f", after))
        == "    1 | \(start)\(text("a", shownBefore))y\(text("f", shownAfter))\(end)\n      | \(blank)^\n")
  }

  @Test("the number of a line may have any number of digits")
  func longNumber() {
    #expect(
      text(of: [99_999..<100_000], in: String(repeating: "\n", count: 99_999) + "x\n")
        == "b.yaml:100000:1: error: m [yaml-syntax]\n100000 | x\n       | ^\n")
  }

  @Test(
    "of more than three findings of a kind, the further lines are named: at most ten parts",
    arguments: [
      ([], nil), ([7], "line 7"), ([7, 8], "lines 7–8"), ([7, 9], "lines 7, 9"),
      (Array(stride(from: 10, through: 28, by: 2)), "lines 10, 12, 14, 16, 18, 20, 22, 24, 26, 28"),
      (Array(stride(from: 10, through: 30, by: 2)), "lines 10, 12, 14, 16, 18, 20, 22, 24, 26, 28 …"),
    ] as [([Int], String?)])
  func furtherLines(lines: [Int], words: String?) {
    let places = ([1, 2, 3] + lines).map { line in (line - 1) * 2..<line * 2 - 1 }
    let text = text(of: places, in: String(repeating: "x\n", count: 40))
    #expect(text.contains(", \(places.count) times") == (words != nil))
    let line = text.split(separator: "\n").first { $0.contains("also on") }.map(String.init)
    #expect(line == words.map { "      = also on \($0)" })
  }

  @Test(
    "a typing mistake is recognised in a line of up to 2000 bytes", arguments: [(2000, true), (2001, false)])
  func longMistake(length: Int, isRecognised: Bool) {
    let line = "  -{ room: R, minor: 1 } #"
    let comment = String(repeating: "x", count: length - line.utf8.count)
    let text = rendered("building: B\nrooms:\n\(line)\(comment)\n")
    #expect(text.contains("a space is missing after `-`") == isRecognised)
  }

  @Test("a very long line is shown only near its mark")
  func longLine() throws {
    let names = (0..<20_000).map { "{ room: R\($0), minor: \($0 == 19_000 ? "x" : "1") }" }
    let text = "building: B\nmatch: any\nrooms: [\(names.joined(separator: ", "))]\n"
    let shown = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    let finding = try #require(
      shown.diagnostics.first { $0.message.contains("whole number") } ?? shown.diagnostics.last)
    let lines = DiagnosticFormatter(shown.excerpts).text(of: [finding]).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count < 140 })
    let source = try #require(lines.first { $0.contains(" | …") })
    let mark = try #require(lines.first { $0.contains("^") })
    let column = try #require(mark.firstIndex(of: "^"))
    let marked = source[
      source.index(source.startIndex, offsetBy: mark.distance(from: mark.startIndex, to: column))...]
    #expect(marked.first == "1" || marked.first == "R" || marked.first == "x")
  }

  @Test(
    "control characters for the terminal are escaped",
    arguments: ["building: \"\u{202E}evil\"\n", "building: B\nrooms: \u{200F}\n", "building: \u{1B}[2J\n"])
  func control(text: String) {
    let shown = readManifest(Array(text.utf8), file: "b\u{1B}[2J.yaml", families: .builtIn).rendered
    #expect(!shown.isEmpty)
    #expect(
      !shown.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || [0x202E, 0x200F].contains($0.value) })
  }

  @Test("a line with broken UTF-8 is shown up to the invalid byte")
  func invalidUTF8() {
    let text = rendered(Array("building: B\nid: caf".utf8) + [0xE9] + Array("\nrooms: []\n".utf8))
    #expect(text.hasPrefix("b.yaml:2:8: error: not UTF-8 from here on [wrong-encoding]\n    2 | id: ***\n"))
  }

  @Test(
    "only the harmless parts of a file that is not YAML are shown",
    arguments: [
      ("rooms:\n  - { room: Lobby, minor: 1\n  - { room: Bar }\n", "- { room: Bar }"),
      ("rooms:\n\t- room: Lobby\n", "    - room: Lobby\n"),
      ("building: B: C\n", "building: ***"),
      ("wifi:\n  guests: { ssid: G, password: correct horse\nrooms: []\n", "rooms: []"),
      ("wifi:\n  a: { ssid: G, password: correct: horse: x }\n", "***"),
      // A part of a long line is not enough to know what it shows.
      ("wifi:\n  a: { ssid: \(String(repeating: "G", count: 500)), password: correct horse ]\n", " | …***\n"),
    ])
  func unparsed(text: String, shown: String) {
    let text = rendered(text)
    #expect(text.contains(shown), "\(text)")
    #expect(!text.contains("horse"))
  }
}
