import Model
import Testing

@testable import Reporting

@Suite("Columns on a terminal")
struct DisplayWidthTests {
  @Test(
    "a text has the number of columns that a terminal uses",
    arguments: [
      ("", 0), ("Kitchen", 7), ("Büro", 4), ("Bu\u{308}ro", 4), ("会議室", 6), ("한국", 4), ("ﾊﾝｶｸ", 4), ("Ａ", 2),
      ("🚪", 2),
      ("❤\u{FE0F}", 2), ("🇩🇪", 2), ("שלום", 4), ("مرحبا", 5), ("e\u{301}\u{302}\u{303}", 1), ("👩‍👧", 4),
      ("…→✓", 3), ("\u{7F}", 0), ("é\u{1B} ö", 3), ("\u{1112}\u{1161}\u{11AB}", 2),
    ])
  func columns(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test(
    "a truncated text fits its width, and its own width leaves it unchanged",
    arguments: ["Kitchen", "会議室の隣", "e\u{301}e\u{301}e\u{301}", "👩‍👧👩‍👧"])
  func truncated(text: String) {
    for limit in 0...text.columns + 1 {
      #expect(text.truncated(to: limit).columns <= limit)
      #expect(text.fitted(to: limit).columns == limit)
    }
    #expect(text.truncated(to: text.columns) == text)
  }

  @Test("wrapped text has no line that is too long and loses no word", arguments: [1, 2, 5, 10, 40])
  func wrapped(limit: Int) {
    let text = "Bring the adapter within 3 m of the 会議室, averylongwordwithoutanyblank included."
    let lines = text.wrapped(to: limit)
    #expect(lines.allSatisfy { $0.columns <= max(limit, 2) && !$0.isEmpty })
    #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
  }

  @Test("blank text gives no line", arguments: ["", "   "])
  func blank(text: String) {
    #expect(text.wrapped(to: 10) == [])
  }
}
