import Families
import Manifest
import MarkedText
import Model
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
    ])
  func unparsed(text: String, shown: String) {
    let text = rendered(text)
    #expect(text.contains(shown), "\(text)")
    #expect(!text.contains("horse"))
  }
}
