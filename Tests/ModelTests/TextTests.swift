import Model
import Testing

@Suite("texts") struct TextTests {
  @Test(
    "characters that control a terminal or hide text are shown as escapes, and escaped in JSON",
    arguments: [
      ("a b~é", "a b~é", "a b~é"), ("x\u{7F}", "x\\u{7F}", "x\\u007f"), ("\u{9B}é", "\\u{9B}é", "\\u009bé"),
      ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}", "\\u2028\\u2029"), ("\u{202E}", "\\u{202E}", "\\u202e"),
      // They join and tag emoji.
      ("👩\u{200D}👧 x\u{200C}y \u{E0067}\u{E007F}", "👩\u{200D}👧 x\u{200C}y \u{E0067}\u{E007F}", nil),
      ("\u{E0001}", "\\u{E0001}", "\\udb40\\udc01"),
      // JSON's encoder escapes these itself; a line break ends a line of its own.
      ("\u{1F}\0\t\n\r", "\\u{1F}\\0\\t\\n\\r", "\u{1F}\0\t\n\r"), ("é\n", "é\\n", "é\n"),
    ] as [(String, String, String?)])
  func controlling(text: String, visible: String, json: String?) {
    #expect(text.visible == visible)
    #expect(String(decoding: JSONText.escaped(Array(text.utf8)), as: UTF8.self) == (json ?? text))
  }

  @Test(
    "a duration is a whole number and its unit",
    arguments: [
      ("0s", .zero), ("7s", .seconds(7)), ("10s", .seconds(10)), ("-5ms", .milliseconds(-5)),
      ("3m", .seconds(180)), ("9999999999s", .seconds(1_000_000_000)), ("", nil), ("s", nil), ("-", nil),
      ("-s", nil), ("5", nil),
      ("5 s", nil), ("05s", nil), ("00s", nil), ("--5s", nil), ("5-s", nil), ("5h", nil), ("1.5s", nil),
    ] as [(String, Duration?)])
  func readDuration(text: String, duration: Duration?) {
    #expect(Duration(written: text) == duration)
  }

  @Test(
    "a duration is written in seconds or milliseconds, with as many digits as it needs",
    arguments: [
      (.zero, "0s"), (.seconds(3), "3s"), (.milliseconds(1500), "1500ms"), (.milliseconds(-5), "-5ms"),
      (.microseconds(1250), "1.250ms"), (.microseconds(20_005), "20.005ms"),
    ] as [(Duration, String)])
  func writtenDuration(duration: Duration, text: String) {
    #expect(duration.written == text)
  }
}
