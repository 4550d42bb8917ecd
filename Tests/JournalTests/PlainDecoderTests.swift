import Bluetooth
import Digest
import Foundation
import SampleFacts
import Testing

@testable import Journal
@testable import Model

/// The fast decoder of journal lines may refuse a line. What it accepts, Foundation's decoder reads as the same event.
@Suite("Decoding and encoding the lines of a journal") struct PlainDecoderTests {
  /// Lines with each kind of fact, reason, number and text.
  private static let lines = encodedLines()

  private static func encodedLines() -> [[UInt8]] {
    var encoder = JournalLines()
    let facts = SampleFacts.facts + Events.facts + SampleFacts.reasons.map { Self.ended($0.reason) }
    return Events.numbered(facts).map { encoder.line($0) }
  }

  /// The line before those that are tested one by one.
  private static let before = SHA256(of: [])

  private static func ended(_ reason: FailureReason) -> Fact {
    .attemptEnded(.init(room: "kitchen", number: 1, seconds: 0.123_456, failure: reason))
  }

  /// A line as Foundation's decoder reads it; nil for one that it refuses.
  private func read(_ line: [UInt8]) -> JournalLine? {
    try? JSONDecoder().decode(JournalLine.self, from: Data(line))
  }

  private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

  /// Checks a line after one with this digest; returns whether the fast decoder accepts it.
  private func agrees(_ line: [UInt8], after previous: SHA256 = before) -> Bool {
    var plain = PlainLine(of: line)
    guard plain.read(line.indices) else { return false }
    let slow = read(line)
    if let slow {
      // A time in another form is left to Foundation.
      let time = plain.time?.time ?? slow.event.at
      #expect(plain.kind == slow.event.fact.kind.rawValue && time == slow.event.at, "\(text(line))")
      for number in [slow.event.sequence, slow.event.sequence + 1] {
        let follows = slow.previous == previous.hex && slow.event.sequence == number
        #expect(plain.follows(previous, as: number) == follows, "\(text(line))")
      }
    }
    guard let event = plain.event else { return false }
    #expect(event == slow?.event, "\(text(line))")
    return true
  }

  @Test("every line without an escape or a number of 16 digits is decoded fast, and as by Foundation")
  func facts() {
    var previous = SHA256(of: Array(JournalLine.schema.utf8))
    for line in Self.lines {
      let isPlain = !text(line).contains("\\") && !text(line).contains(".3333333333333333")
      #expect(agrees(line, after: previous) == isPlain, "\(text(line))")
      previous = SHA256(of: line)
    }
  }

  @Test("every line without an escape is encoded fast, and as by Foundation; the others are refused")
  func encoded() throws {
    for line in Self.lines {
      let content = try #require(read(line))
      let foundation = [UInt8](try JournalLine.encoder().encode(content))
      #expect(text(JSONText.escaped(foundation)) == text(line))
      let plain = try? PlainEncoder.encode(content)
      #expect(plain == (text(foundation).contains("\\") ? nil : foundation), "\(text(line))")
    }
  }

  @Test("a value that the fast encoder cannot write as Foundation would is refused")
  func refused() throws {
    struct Nested: Encodable {
      enum Key: String, CodingKey { case outer, inner }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var inner = container.nestedContainer(keyedBy: Key.self, forKey: .outer)
        try inner.encode(1, forKey: .inner)
      }
    }
    struct Nothing: Encodable {
      func encode(to encoder: any Encoder) {}
    }
    struct Catching: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try? container.encode("line\n")
        try container.encode(1)
      }
    }
    struct Twice: Encodable {
      enum Key: String, CodingKey { case key }

      func encode(to encoder: any Encoder) throws {
        for number in 1...2 {
          var container = encoder.container(keyedBy: Key.self)
          try container.encode(number, forKey: .key)
        }
      }
    }
    let values: [any Encodable] = [
      "a\\b", "\"", "\u{1F}", "line\n", Double.infinity, -0.0, 1e-7, 1e30, Float(1), ["é": 1], Nested(),
      Nothing(), Catching(), [Twice()],
    ]
    for value in values {
      #expect(throws: PlainJSON.Refused.self, "\(value)") { try PlainEncoder.encode(value) }
    }
    let accepted: [any Encodable] = [
      "", "é\u{7F}/", 0, -7, UInt64.max, Int8.min, true, 0.1, 6.0, 123_456.789, [Int](), [String: Int](),
      [[1], []],
      ["b": ["d": 1, "c": 2], "a": [:], "a_b": ["x": 3], "B": [:], "a1": [:]], [String?.none, "x"],
    ]
    for value in accepted {
      #expect(try PlainEncoder.encode(value) == [UInt8](JournalLine.encoder().encode(value)), "\(value)")
    }
  }

  @Test("nearly every line of a run's journal is decoded fast, and as by Foundation")
  func run() throws {
    let bytes = try File.reading(StoredRecordTests.root + "/reports/sample/journal.jsonl").readAll()
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { [UInt8]($0) }
    let fast = lines.count { agrees($0) }
    #expect(lines.count > 100 && fast > lines.count * 9 / 10, "\(fast) of \(lines.count)")
  }

  @Test("a line with changed bytes is refused, or decoded as by Foundation")
  func changed() {
    var chance = Chance(state: 32)
    let bytes = Array("{}[]\":,.-+eE0123456789nulltruefalse \\/\0\u{1}\u{7F}é\u{2028}".utf8) + [0xFF, 0xC0]
    var (accepted, refused) = (0, 0)
    for _ in 0..<30_000 {
      var line = Self.lines.randomElement(using: &chance) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &chance) where !line.isEmpty {
        let place = line.indices.randomElement(using: &chance) ?? 0
        let other = line.indices.randomElement(using: &chance) ?? 0
        switch Int.random(in: 0..<5, using: &chance) {
        case 0: line[place] = bytes.randomElement(using: &chance) ?? 0
        case 1: line.insert(bytes.randomElement(using: &chance) ?? 0, at: place)
        case 2: line.remove(at: place)
        case 3: line.swapAt(place, other)
        default:
          // A part of a line twice gives keys twice.
          let part = line[min(place, other)...min(max(place, other), min(place, other) + 40)]
          line.insert(contentsOf: part, at: other)
        }
      }
      if agrees(line) { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted > 1000 && refused > 1000, "\(accepted) accepted, \(refused) refused")
  }

  /// Values of `seconds` in a line, each with whether the fast decoder accepts it.
  static let numberTexts: [(String, Bool)] = [
    ("0", true), ("0.5", true), ("-61", true), ("0.1", true), ("123456789.012345", true), ("1.50", true),
    ("0.000000000000001", false), ("-0", false), ("-0.5", false), ("00", false), ("01", false), ("1.", false),
    (".5", false), ("1e2", false), ("+1", false), ("-", false), ("1234567890.1234567", false), ("NaN", false),
    ("1 ", false), ("\"1\"", false), ("null", false), ("[1]", false), ("9999999999", false),
  ]

  @Test("a number is refused, or read as by Foundation", arguments: numberTexts)
  func number(text: String, isAccepted: Bool) {
    let line = line("\"number\":1,\"room\":\"a\",\"seconds\":\(text)")
    #expect(agrees(line) == isAccepted)
    for more in " }" { #expect(!agrees(line + Array("\(more)".utf8))) }
  }

  @Test("100,000 fractions are read as by Foundation")
  func fractions() throws {
    var chance = Chance(state: 7)
    for _ in 0..<100_000 {
      let digits = Int.random(in: 0...14, using: &chance)
      let whole = Int.random(in: 0...9_999_999, using: &chance) / [1, 1000, 10_000_000][digits % 3]
      let fraction = String(
        (0..<min(digits, 8)).map { _ in "0123456789".randomElement(using: &chance) ?? "0" })
      let text = fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)"
      let bytes = Array("[\(text)]".utf8)
      var json = PlainJSON(bytes)
      try json.read(bytes.indices) { json throws(PlainJSON.Refused) in _ = try json.take(.array) }
      let fast = try PlainDecoder.decode(json) { try [Double](from: $0) }
      #expect(fast.first?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  /// The content of a line, with what the fast decoder must not accept.
  @Test(
    "a line of another form is left to Foundation",
    arguments: [
      #""room":"a","number":1,"seconds":1"#, #""number":1,"number":2,"room":"a","seconds":1"#,
      #""number":1.0,"room":"a","seconds":1"#, #""number":1, "room":"a","seconds":1"#,
      #""number":1,"room":"a\u0062","seconds":1"#, #""number":1,"r\u006fom":"a","seconds":1"#,
      #""number":1,"room":"a","seconds":1,"#, #""number":1,"room":"a/b","seconds":1"#,
      #""number":9999999999999,"room":"a","seconds":1"#,
    ])
  func otherForm(content: String) { #expect(!agrees(line(content))) }

  @Test(
    "a part of a line of another type is left to Foundation",
    arguments: [
      (#""elapsed_us":1"#, #""elapsed_us":1.0"#), (#""seq":1"#, #""seq":"1""#), (#""v":1"#, #""v":true"#),
      (#""attempt_ended""#, "null"), (#""data":{"#, #""data":[{"#), (#""prev""#, #""pref""#),
    ])
  func otherType(old: String, new: String) {
    let text = text(line(#""number":1,"room":"a","seconds":1"#))
    #expect(text.contains(old) && !agrees(Array(text.replacing(old, with: new).utf8)))
  }

  @Test("an array with the keys and values of an object is not taken for it")
  func arrays() throws {
    let object = try Regex(#"\{("[a-z_]+":[^{}\[\]]*)\}"#)
    var count = 0
    for line in Self.lines.map(text) {
      for match in line.matches(of: object) {
        let content = String(line[match.range].dropFirst().dropLast())
        let array = "[" + content.replacing("\":", with: "\",") + "]"
        #expect(!agrees(Array(line.replacingCharacters(in: match.range, with: array).utf8)), "\(array)")
        count += 1
      }
    }
    #expect(count > 30)
  }

  private struct Outer: Decodable, Equatable {
    struct Inner: Decodable, Equatable { var y: Int? }
    var x: Inner
    var y: Int?
  }

  /// Elements, each with its index.
  private struct Indices: Decodable, Equatable {
    var found: [Int] = []

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      for _ in 0..<2 {
        found.append(container.currentIndex)
        found.append(try container.decode(Int.self))
      }
      found += [container.currentIndex, container.isAtEnd ? 1 : 0]
    }
  }

  /// Whether the fast decoder accepts a value, which Foundation's then reads as the same.
  private func accepts<Value: Decodable & Equatable>(_ text: String, _: Value.Type) -> Bool {
    let bytes = Array(text.utf8)
    var json = PlainJSON(bytes)
    let kind: PlainJSON.Kind = text.hasPrefix("{") ? .object : .array
    do throws(PlainJSON.Refused) {
      try json.read(bytes.indices) { json throws(PlainJSON.Refused) in _ = try json.take(kind) }
    } catch {
      return false
    }
    guard let value = try? PlainDecoder.decode(json, { try Value(from: $0) }) else { return false }
    #expect(value == (try? JSONDecoder().decode(Value.self, from: Data(bytes))), "\(text)")
    return true
  }

  @Test("a value is read as its type only, and an object has its own keys only")
  func types() {
    #expect(accepts("[true,false]", [Bool].self) && !accepts("[1]", [Bool].self))
    #expect(accepts("[\"a\",\"\"]", [String].self) && !accepts("[1]", [String].self))
    #expect(accepts("[1,-2]", [Int].self) && !accepts("[1.5]", [Int].self))
    #expect(accepts("[127,-128]", [Int8].self) && !accepts("[128]", [Int8].self))
    #expect(accepts("[1,0.5,-2.25]", [Double].self) && !accepts("[\"1\"]", [Double].self))
    #expect(
      accepts("[1,null]", [Int?].self) && !accepts("[null]", [Int].self) && !accepts("[1]", [Float].self))
    #expect(accepts("[[1],[],[2,3]]", [[Int]].self) && !accepts("[1]", [[Int]].self))
    #expect(accepts("{\"a\":1,\"b\":2}", [String: Int].self) && accepts("{}", [String: Int].self))
    #expect(accepts("{\"x\":{\"y\":1}}", Outer.self) && accepts("{\"x\":{},\"y\":2}", Outer.self))
    for other in ["1", "\"a\"", "[]", "[\"y\",1]", "null", "true"] {
      #expect(!accepts("{\"x\":\(other)}", Outer.self), "\(other)")
    }
    #expect(
      accepts("[7,8]", Indices.self) && accepts("[7,8,9]", Indices.self) && !accepts("[7]", Indices.self))
    #expect(!accepts("[[7],8]", [Indices].self))
  }

  private func line(_ data: String) -> [UInt8] {
    Array(
      (#"{"at":"2026-11-21T09:00:00.000Z","data":{"# + data
        + #"},"elapsed_us":1,"kind":"attempt_ended","prev":"\#(Self.before.hex)","seq":1,"v":1}"#).utf8)
  }

  @Test("a time is the one that Foundation's style parses, to the millisecond, if it writes it like that")
  func times() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var chance = Chance(state: 9)
    for _ in 0..<20_000 {
      let milliseconds = Int.random(in: 0...253_402_300_799_999, using: &chance)
      let time = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      #expect(Timestamp(Timestamp(time).text)?.time == time)
    }
    let days = "2024-02-29 2100-02-29 2026-02-30 2026-04-31 1969-12-31 2026-13-01 2026-00-10 2026-1a-01"
    let clocks = "00:00:00.000Z 23:59:59.999Z 24:00:00.000Z 12:60:00.000Z 12:00:60.000Z 12:00:00.000z"
    for day in days.split(separator: " ") {
      for clock in clocks.split(separator: " ") {
        let text = "\(day)T\(clock)"
        // It reads 30 February as 2 March.
        let parsed = (try? style.parse(text)).flatMap { time in
          time.timeIntervalSince1970 >= 0 && Timestamp(time).text == text ? time : nil
        }
        let read = Timestamp(text).map { Timestamp.rounded($0.time) }
        #expect(read == parsed.map(Timestamp.rounded), "\(text)")
      }
    }
  }

  private static func firstControl(in text: [UInt8], from start: Int) -> (index: Int, isASCII: Bool) {
    text.span.firstControl(from: start, or: 0x22, 0x5C)
  }

  @Test("the end of a string is found at every position, among every byte")
  func controls() {
    var chance = Chance(state: 3)
    for _ in 0..<20_000 {
      var text = (0..<Int.random(in: 0...40, using: &chance)).map { _ in
        UInt8.random(in: 0x20...0x7E, using: &chance)
      }
      for _ in 0..<Int.random(in: 0...3, using: &chance) where !text.isEmpty {
        text[Int.random(in: text.indices, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
      }
      let start = Int.random(in: 0...text.count, using: &chance)
      let expected = text[start...].firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? text.count
      let found = Self.firstControl(in: text, from: start)
      #expect(found.index == expected, "\(text) from \(start)")
      #expect(!found.isASCII || text[start..<expected].allSatisfy { $0 < 0x80 }, "\(text) from \(start)")
      #expect(found.isASCII || text.contains { $0 >= 0x80 }, "\(text) from \(start)")
    }
  }

  @Test("text that nests deeply is refused without a crash")
  func deep() {
    for (depth, isAccepted) in [(31, true), (32, false)] {
      for (start, value, end) in [("[", "", "]"), ("{\"a\":", "1", "}")] {
        let text = String(repeating: start, count: depth) + value + String(repeating: end, count: depth)
        let bytes = Array(text.utf8)
        var json = PlainJSON(bytes)
        let kind: PlainJSON.Kind = start == "[" ? .array : .object
        let result = Result { () throws(PlainJSON.Refused) in
          try json.read(bytes.indices) { json throws(PlainJSON.Refused) in _ = try json.take(kind) }
        }
        #expect(((try? result.get()) != nil) == isAccepted, "\(depth) of \(start)")
      }
    }
    for (part, kind) in [("[", PlainJSON.Kind.array), ("{\"a\":", .object)] {
      let bytes = Array(String(repeating: part, count: 100_000).utf8)
      var json = PlainJSON(bytes)
      #expect(throws: PlainJSON.Refused.self) {
        try json.read(bytes.indices) { json throws(PlainJSON.Refused) in _ = try json.take(kind) }
      }
    }
  }
}

/// Chance from a seed.
private struct Chance: RandomNumberGenerator {
  var state: UInt64

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
