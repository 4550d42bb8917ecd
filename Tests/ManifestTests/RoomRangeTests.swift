import Testing

@testable import Manifest

/// A range with this many letters around its braces.
private func long(before: Int, after: Int) -> String {
  String(repeating: "x", count: before) + "{1..2}" + String(repeating: "x", count: after)
}

@Suite("Ranges in room names")
struct RoomRangeTests {
  @Test(
    "a range gives its names in order",
    arguments: [
      ("Room {301..304}", ["Room 301", "Room 302", "Room 303", "Room 304"], [0, 1, 2, 3]),
      ("{301..305..2}", ["301", "303", "305"], [0, 2, 4]),
      ("Room {301..302,304}", ["Room 301", "Room 302", "Room 304"], [0, 1, 3]),
      ("R{08..11}x", ["R08x", "R09x", "R10x", "R11x"], [0, 1, 2, 3]),
      ("Suite {A..C}", ["Suite A", "Suite B", "Suite C"], [0, 1, 2]),
      ("{North, South} Wing", ["North Wing", "South Wing"], [0, 1]),
      ("{305,301}", ["305", "301"], [0, -4]),
      ("R {7}", ["R 7"], [0]), ("R {7..7}", ["R 7"], [0]), ("R {B..B}", ["R B"], [0]),
      ("R {A..E..2}", ["R A", "R C", "R E"], [0, 1, 2]), ("{0..1}", ["0", "1"], [0, 1]),
      ("R {1,A}", ["R 1", "R A"], [0, 1]), ("{000000001..000000002}", ["000000001", "000000002"], [0, 1]),
    ])
  func writtenOut(text: String, names: [String], offsets: [Int]) throws {
    let range = try RoomRange(text)
    #expect(range.names == names)
    #expect(range.offsets == offsets)
  }

  @Test(
    "an ambiguous range is refused",
    arguments: [
      ("Room {}", RoomRange.Problem.part), ("Room {1..}", .part), ("Room {1..2..}", .part),
      ("Room {..2}", .part),
      ("Room {A..9}", .part), ("Room {a..Z}", .part), ("Room {1...3}", .part), ("Room {1..2..3..4}", .part),
      ("Room {1,,2}", .part), ("Room {-1..2}", .part), ("Room {1..2", .braces), ("Room 1..2}", .braces),
      ("Room }{", .braces), ("{1..2} {3..4}", .braces), ("{{1..2}}", .braces), ("{{1..2}", .braces),
      ("Room {AB..CD}", .part), ("Room {!..)}", .part), ("Room {0000000001..2}", .part),
      ("Room {2..1}", .order), ("Room {C..A}", .order),
      ("Room {1..9..0}", .order), ("Room {1..99999}", .tooMany), ("Room {1..9999999999}", .part),
      ("{1..65537}", .tooMany), ("{0..999999999}", .tooMany), ("{1..60000,1..60000}", .tooMany),
      (long(before: 513, after: 0), .tooLong), (long(before: 300, after: 300), .tooLong),
      (long(before: 1 << 20, after: 0), .tooLong),
    ])
  func refused(text: String, problem: RoomRange.Problem) {
    #expect(throws: problem) { try RoomRange(text) }
  }

  @Test(
    "a range has up to 65,536 rooms, and 512 bytes around its braces",
    arguments: [
      ("{1..65536}", 65_536), ("{0..131071..2}", 65_536), ("{70000..70004}", 5),
      (long(before: 256, after: 256), 2),
    ])
  func longest(text: String, count: Int) throws { #expect(try RoomRange(text).names.count == count) }
}

@Suite("Unquoted text")
struct PlainScalarTests {
  @Test(
    "unquoted text that other YAML readers read as another type is recognised",
    arguments: [
      ("12345678", "a number"), ("01234567", "a number"), ("1e3", "a number"), ("0x10", "a number"),
      ("0o17", "a number"), ("0x1", "a number"), ("0b11", "a number"), ("+5", "a number"),
      ("1e-3", "a number"), ("1e+3", "a number"), (String(repeating: "1", count: 64), "a number"),
      ("1_000", "a number"), ("1.10", "a number"), ("-5", "a number"), (".5", "a number"),
      (".inf", "a number"),
      ("false", "a Boolean"), ("yes", "a Boolean"), ("No", "a Boolean"), ("ON", "a Boolean"),
      ("y", "a Boolean"),
      ("190:20:30", "a number to base 60"), ("1:30", "a number to base 60"),
      ("12:00", "a number to base 60"), ("99:59", "a number to base 60"),
      ("12:34:56", "a number to base 60"), ("2026-11-22", "a date"), ("2026-11-22 10:00", "a date"),
    ])
  func otherTypes(text: String, meaning: String) {
    #expect(PlainScalar.otherMeaning(of: text) == meaning)
  }

  @Test(
    "unquoted text that every YAML reader reads as text is not reported",
    arguments: [
      "Lobby", "C4:7C:8D:00:00:01", "Room 301", "301a", "1st", "+", "-", ".", "e3", "0x", "0xg", "1.2.3",
      "1e", "1ex", "1e3e4", "..5", String(repeating: "1", count: 65),
      "12:345", "99:99", "12:60", "12:", "12::34", "1a:12", "2026--1-22", "2026-1a-22",
      "2026-11", "2026-11-22x", "nope", "", "٣٠١", "12 34",
    ])
  func text(text: String) {
    #expect(PlainScalar.otherMeaning(of: text) == nil)
  }

  @Test(
    "every YAML reader gives a number back as written, unless it begins with 0 or has more than 15 digits",
    arguments: [
      ("0", true), ("7", true), ("10", true), (String(repeating: "9", count: 15), true),
      (String(repeating: "9", count: 16), false), ("007", false), ("1.10", false), ("", false),
    ])
  func plainNumbers(text: String, isPlain: Bool) { #expect(PlainScalar.isPlainNumber(text) == isPlain) }

  @Test(
    "a text is written without quotes only if every YAML reader reads it as this text",
    arguments: [
      ("Room 301-b_2.1", "Room 301-b_2.1"), ("Büro", "Büro"), ("Room 3", "Room 3"), ("301", "301"),
      ("1.10", #""1.10""#), ("Null", #""Null""#), ("yes", #""yes""#), ("Lobby ", #""Lobby ""#),
      ("-a", #""-a""#), ("a:b", #""a:b""#), ("", "\"\""), ("a\u{7}", #""a\x07""#),
      ("a\u{2028}", #""a\u2028""#),
    ])
  func written(text: String, scalar: String) { #expect(YAMLScalar.text(text) == scalar) }
}
