import Testing

@testable import Manifest

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
      ("R {A..E..2}", ["R A", "R C", "R E"], [0, 1, 2]),
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
      ("Room }{", .braces), ("{1..2} {3..4}", .braces), ("{{1..2}}", .braces), ("Room {2..1}", .order),
      ("Room {1..9..0}", .order), ("Room {1..99999}", .tooMany), ("Room {1..9999999999}", .part),
      ("{1..60000,1..60000}", .tooMany), (String(repeating: "x", count: 1 << 20) + "{1..65536}", .tooLong),
    ])
  func refused(text: String, problem: RoomRange.Problem) {
    #expect(throws: problem) { try RoomRange(text) }
  }
}

@Suite("Unquoted text")
struct PlainScalarTests {
  @Test(
    "unquoted text that other YAML readers read as another type is recognised",
    arguments: [
      ("12345678", "a number"), ("01234567", "a number"), ("1e3", "a number"), ("0x10", "a number"),
      ("0o17", "a number"),
      ("1_000", "a number"), ("1.10", "a number"), ("-5", "a number"), (".5", "a number"),
      (".inf", "a number"),
      ("yes", "a Boolean"), ("No", "a Boolean"), ("ON", "a Boolean"), ("y", "a Boolean"),
      ("12:34:56", "a number to base 60"), ("2026-11-22", "a date"), ("2026-11-22 10:00", "a date"),
    ])
  func otherTypes(text: String, meaning: String) {
    #expect(PlainScalar.otherMeaning(of: text) == meaning)
  }

  @Test(
    "unquoted text that every YAML reader reads as text is not reported",
    arguments: [
      "Lobby", "C4:7C:8D:00:00:01", "Room 301", "301a", "1st", "+", "-", ".", "e3", "0x", "0xg", "1.2.3",
      "12:345", "99:99",
      "2026-11", "2026-11-22x", "nope", "", "٣٠١", "12 34",
    ])
  func text(text: String) {
    #expect(PlainScalar.otherMeaning(of: text) == nil)
  }
}
