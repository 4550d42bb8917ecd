import Foundation
import Model
import Testing

@testable import Reporting

@Suite("HTML and XML")
struct HTMLTests {
  @Test(
    "text that is put into markup is escaped",
    arguments: [
      ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
      ("\" onload='x'", "&quot; onload=&#39;x&#39;"), ("a & b", "a &amp; b"), ("]]>", "]]&gt;"),
      ("&amp;", "&amp;amp;"),
      ("<\u{301}b", "&lt;\u{301}b"), ("\u{202E}desrever", "\\u{202E}desrever"), ("nul\0", "nul\\0"),
      ("a\nb", "a\\nb"), ("\u{FFFE}a\u{FFFF}\u{FFFD}\u{10FFFF}", "\u{FFFD}a\u{FFFD}\u{FFFD}\u{10FFFF}"),
      ("Büro 👩‍👩‍👧‍👦 שלום", "Büro 👩‍👩‍👧‍👦 שלום"),
    ])
  func escaping(text: String, escaped: String) {
    let cell: Markup = "<td title=\"\(text)\">\(text)</td>"
    #expect(cell.text == "<td title=\"\(escaped)\">\(escaped)</td>")
    #expect(Markup(text).text == escaped)
  }

  @Test("markup that is put into markup stays markup")
  func nesting() {
    let sign = "<"
    let bold: Markup = "<b>\(sign)</b>"
    let missing: Markup? = nil
    let line: Markup = "<p>\(bold)\(missing)\(7)</p>"
    #expect(line.text == "<p><b>&lt;</b>7</p>")
    let items: Markup = "<ol>\([sign, "a"].map { "<li>\($0)</li>" }.joined())</ol>"
    #expect(items.text == "<ol><li>&lt;</li><li>a</li></ol>")
    #expect([bold, bold].joined(separator: ", ").text == "<b>&lt;</b>, <b>&lt;</b>")
    #expect((bold + "!").text == "<b>&lt;</b>!")
  }

  @Test("hostile text leaves nothing that a browser interprets", arguments: Hostile.texts + Hostile.markup)
  func hostile(text: String) {
    let escaped = Markup(text).text
    #expect(!escaped.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) || $0.isControlling })
  }
}

@Suite("Local time")
struct LocalTimeTests {
  private let at = Date(timeIntervalSince1970: 1_795_251_600)

  @Test(
    "times are local and have their offset from UTC",
    arguments: [
      (0, "2026-11-21 09:00", "UTC"), (3600, "2026-11-21 10:00", "UTC+01:00"),
      (-12_600, "2026-11-21 05:30", "UTC-03:30"), (54_000, "2026-11-22 00:00", "UTC+15:00"),
    ])
  func local(seconds: Int, minute: String, offset: String) {
    let times = LocalTime { _ in seconds }
    #expect(times.minute(at) == minute)
    #expect(times.offset(at) == offset)
    #expect(times.universal(at) == "2026-11-21 09:00:00 UTC")
  }
}
