import Testing
import Source
import YAML

@Suite("Hostile YAML", .timeLimit(.minutes(60)))
struct HostileTests {
  private func problem(_ text: String) -> YAMLError.Problem? {
    do throws(YAMLError) {
      _ = try YAMLParser.parse(Array(text.utf8))
      return nil
    } catch {
      return error.problem
    }
  }

  @Test("an alias bomb is refused before it is expanded")
  func aliasBomb() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let uses = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(uses)]\n"
    }
    #expect(problem(text) == .tooLarge)
  }

  @Test("the nesting depth is limited for brackets, indentation and chained aliases")
  func depth() {
    let allowed = YAMLParser.maximumDepth
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(problem(nested(allowed)) == nil)
    #expect(problem(nested(allowed + 1)) == .tooDeep)
    #expect(problem(String(repeating: "[", count: 100_000)) == .tooDeep)
    #expect(problem(String(repeating: "- ", count: 100_000)) == .tooDeep)

    let steps = (1...allowed).map { "- &a\($0) [*a\($0 - 1)]\n" }.joined()
    #expect(problem("- &a0 x\n" + steps) == .tooDeep)
  }

  @Test("a file above the size limit is refused without parsing")
  func size() {
    let bytes = [UInt8](repeating: 0xFF, count: YAMLParser.maximumBytes + 1)
    #expect(throws: YAMLError(.fileTooLarge(bytes: bytes.count), at: Mark(line: 1, column: 1))) {
      try YAMLParser.parse(bytes)
    }
  }

  @Test(
    "a place in a line of several megabytes is found",
    arguments: [("x", 5_000_000), ("é", 5_000_000), ("x, ", 13_000_000)])
  func longLine(unit: String, bytes: Int) throws {
    let value = String(repeating: unit, count: bytes / unit.utf8.count)
    let text = "a: [\(value)]\nb: 1\n"
    if unit == "x, " {
      // More than 4,000,000 items exceed the maximum number of nodes; the error still has a place.
      #expect(problem(text) == .tooLarge)
    } else {
      let root = try #require(try YAMLParser.parse(Array(text.utf8)))
      #expect(root.entries?.last?.keyRange.start.line == 2)
      #expect(root.entries?.first?.value.items?.first?.text == value)
    }
  }

  @Test("many values in one long line are parsed in linear time")
  func manyInOneLine() throws {
    let items = Array(repeating: "{é: 1, \"b\": [2]}", count: 60_000).joined(separator: ", ")
    let root = try #require(try YAMLParser.parse(Array("[\(items)]".utf8)))
    let last = try #require(root.items?.last)
    #expect(root.items?.count == 60_000)
    #expect(last.range.start == Mark(line: 1, column: 2 + 59_999 * 18, offset: 1 + 59_999 * 19))
  }
}
