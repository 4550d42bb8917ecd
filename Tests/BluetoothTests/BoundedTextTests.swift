import Bluetooth
import Testing

@Suite("A text from outside") struct BoundedTextTests {
  @Test("is kept as it is up to the limit")
  func short() {
    let text = String(repeating: "x", count: String.mostBytesFromOutside)
    #expect(text.bounded() == text)
    #expect("".bounded() == "")
  }

  @Test("is cut at a character, and tells its length", arguments: ["x", "ü", "€", "𝄞", "e\u{301}"])
  func long(_ character: String) {
    let text = "-" + String(repeating: character, count: 1_000_000)
    let bounded = text.bounded()
    let kept = bounded.prefix { $0 != "…" }
    #expect(text.utf8.starts(with: kept.utf8) && (4093...4096).contains(kept.utf8.count))
    #expect(bounded.hasSuffix("… [\(text.utf8.count) bytes]"), "\(bounded)")
  }
}
