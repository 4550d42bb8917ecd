import MarkedText
import Testing
import Source
import YAML

@Suite("Texts that the YAML parser refuses")
struct RefusalTests {
  private func refusal(of bytes: [UInt8]) -> YAMLError? {
    do throws(YAMLError) {
      _ = try YAMLParser.parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "an invalid document is refused with its error and its place",
    arguments: [
      ("a: 1\n1️⃣---\nb: 2\n", .severalDocuments),
      ("a: 1️⃣*nowhere\n", .unknownAlias),
      ("a: &x [1, 1️⃣*x]\n", .recursiveAlias),
      ("1️⃣[a, b]: 1\n", .keyIsNotText),
      ("a: 1️⃣!!int 3\n", .tag),
      ("a:\n1️⃣\tb: 1\n", .tab),
      ("a: 1\n1️⃣\tb: 1\n", .tab),
      ("a: b1️⃣: c\n", .unexpectedMapping),
      ("a: 1\n1️⃣b\nc: 2\n", .missingColon),
      ("a: 1️⃣\"never closed\nb: 1\n", .unclosedQuote),
      ("a: 1️⃣'never closed\nb: 1\n", .unclosedQuote),
      ("a: 1️⃣@b\n", .reservedCharacter),
      ("a: 1️⃣`b`\n", .reservedCharacter),
      ("a: 1\n1️⃣  b: 2\n", nil),
      ("a: \"1️⃣\\q\"\n", .unknownEscape),
      ("- a\n1️⃣b: 1\n", .misplaced),
      ("a: x1️⃣\u{0}y\n", .forbiddenCharacter(0)),
      ("a: \"é1️⃣\u{1B}[2J\"\n", .forbiddenCharacter(0x1B)),
      ("a: 1️⃣\u{9B}\n", .forbiddenCharacter(0x9B)),
      ("a: 1️⃣\u{7F}\n", .forbiddenCharacter(0x7F)),
      ("a: 1️⃣\u{FFFF}\n", .forbiddenCharacter(0xFFFF)),
      ("a: x1️⃣\u{FEFF}y\n", .forbiddenCharacter(0xFEFF)),
    ] as [(String, YAMLError.Problem?)])
  func refused(text: String, problem: YAMLError.Problem?) throws {
    let marked = MarkedText(text)
    let error = try #require(refusal(of: marked.bytes))
    if let problem {
      #expect(error.problem == problem)
      #expect(error.mark == marked[1])
    } else {
      #expect(error.mark.line == marked[1]?.line)
    }
  }

  @Test("an unclosed bracket is reported with the place where it was opened")
  func brackets() throws {
    let marked = MarkedText("rooms:\n  - 1️⃣{ a: 1, b: 2\n  - { a: 1 }\n")
    let opened = try #require(marked[1])
    #expect(refusal(of: marked.bytes)?.problem == .brokenBrackets(opened: opened))
  }

  @Test("every duplicate key is reported with the place of the first, and the rest is read")
  func duplicates() throws {
    let marked = MarkedText("1️⃣a: 1\nb: { 2️⃣x: 1, 3️⃣x: 2, 4️⃣x: 3 }\n5️⃣a: 2\nc: 1\n")
    let document = try YAMLParser.read(SourceText(marked.bytes))
    let firstA = try #require(marked[1])
    let firstX = try #require(marked[2])
    #expect(
      document.problems.map(\.problem) == [
        .duplicateKey(first: firstX), .duplicateKey(first: firstX), .duplicateKey(first: firstA),
      ])
    #expect(document.problems.map(\.mark) == [marked[3], marked[4], marked[5]])
    #expect(document.root?.entries?.map(\.key) == ["a", "b", "a", "c"])
    #expect(refusal(of: marked.bytes)?.problem == .duplicateKey(first: firstX))
  }

  @Test(
    "the first byte that is not UTF-8 is reported with its place",
    arguments: [
      [0xFF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80],
    ] as [[UInt8]])
  func invalidUTF8(bad: [UInt8]) throws {
    let before = MarkedText("a: é\r\nbü: x1️⃣")
    for tail in ["", "\nc: 1\n"] {
      let error = try #require(refusal(of: before.bytes + bad + Array(tail.utf8)))
      #expect(error.problem == .notUTF8)
      #expect(error.mark == before[1])
    }
  }

  @Test(
    "another encoding is recognised by its byte order mark",
    arguments: [
      ([0xFF, 0xFE, 0x61, 0x00], "UTF-16"), ([0xFE, 0xFF, 0x00, 0x61], "UTF-16"),
      ([0xFF, 0xFE, 0x00, 0x00], "UTF-32"),
    ] as [([UInt8], String)])
  func otherEncoding(bytes: [UInt8], name: String) {
    #expect(refusal(of: bytes)?.problem == .otherEncoding(name))
  }
}
