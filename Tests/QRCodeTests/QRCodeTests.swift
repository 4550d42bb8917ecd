import QRCode
import Testing

@Suite("A QR code") struct QRCodeTests {
  private static let address = "http://192.168.100.200:8080/0123456789abcdef0123456789abcdef"

  @Test(
    "a text of up to 2,331 bytes has a code of the least size that can hold it",
    arguments: [("a", 21), (address, 33), (String(repeating: "ü", count: 1165), 177)])
  func size(text: String, side: Int) throws {
    #expect(try #require(QRCode(text)).side == side + 8)
  }

  @Test("a longer text has none, nor has an empty one", arguments: ["", String(repeating: "a", count: 2332)])
  func refused(text: String) {
    #expect(QRCode(text) == nil)
  }

  @Test("a code has its three finder patterns, and around it four light modules")
  func patterns() throws {
    let code = try #require(QRCode(Self.address))
    let rings = (0..<7).map { y in (0..<7).map { x in max(abs(x - 3), abs(y - 3)) != 2 } }
    for (left, top) in [(4, 4), (code.side - 11, 4), (4, code.side - 11)] {
      #expect((0..<7).map { y in (0..<7).map { x in code[left + x, top + y] } } == rings)
    }
    for place in -1...code.side {
      for depth in 0..<4 {
        let around = [
          code[place, depth], code[place, code.side - 1 - depth], code[depth, place],
          code[code.side - 1 - depth, place],
        ]
        #expect(!around.contains(true))
      }
    }
  }

  @Test("the path draws the dark modules, and nothing else")
  func path() throws {
    let code = try #require(QRCode(Self.address))
    var drawn = Set<[Int]>()
    for match in code.path.matches(of: #/M(\d+) (\d+)h(\d+)v1h-(\d+)z/#) {
      let numbers = [match.1, match.2, match.3, match.4].compactMap { Int($0) }
      #expect(numbers[2] == numbers[3])
      for x in numbers[0]..<numbers[0] + numbers[2] { drawn.insert([x, numbers[1]]) }
    }
    #expect(drawn == Self.dark(code))
  }

  @Test(
    "the lines show the dark modules as holes in blocks; with colours they are black on white",
    arguments: [false, true])
  func lines(hasColor: Bool) throws {
    let code = try #require(QRCode(Self.address))
    let (begin, end) = hasColor ? ("\u{1B}[38;5;231;48;5;16m", "\u{1B}[0m") : ("", "")
    var shown = Set<[Int]>()
    for (index, line) in code.lines(hasColor: hasColor).enumerated() {
      #expect(line.hasPrefix(begin) && line.hasSuffix(end))
      let blocks = line.dropFirst(begin.count).dropLast(end.count)
      #expect(blocks.count == code.side)
      for (x, block) in blocks.enumerated() {
        if " ▄".contains(block) { shown.insert([x, 2 * index]) }
        if " ▀".contains(block), 2 * index + 1 < code.side { shown.insert([x, 2 * index + 1]) }
      }
    }
    #expect(shown == Self.dark(code))
  }

  private static func dark(_ code: QRCode) -> Set<[Int]> {
    Set((0..<code.side).flatMap { y in (0..<code.side).filter { code[$0, y] }.map { [$0, y] } })
  }
}
