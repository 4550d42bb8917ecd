import Bluetooth
import Testing

@Suite("The length limit of text from outside") struct BoundedTextTests {
  @Test("a text within the limit is kept unchanged")
  func short() {
    let text = String(repeating: "x", count: String.mostBytesFromOutside)
    #expect(text.bounded() == text)
    #expect("".bounded() == "")
  }

  @Test(
    "a longer text is cut between characters and states its length",
    arguments: ["x", "ü", "€", "𝄞", "e\u{301}"])
  func long(_ character: String) {
    let text = "-" + String(repeating: character, count: 1_000_000)
    let bounded = text.bounded()
    let kept = bounded.prefix { $0 != "…" }
    #expect(text.utf8.starts(with: kept.utf8) && (4093...4096).contains(kept.utf8.count))
    #expect(bounded.hasSuffix("… [\(text.utf8.count) bytes]"), "\(bounded)")
  }
}
