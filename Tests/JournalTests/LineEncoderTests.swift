import Foundation
import Model
import Testing

@testable import Journal

@Suite("The journal's JSON")
struct LineEncoderTests {
  private static let foundation: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  private func expectSame(_ value: some Encodable) throws {
    let line = String(decoding: try LineEncoder.bytes(of: value), as: UTF8.self)
    #expect(line == String(decoding: try Self.foundation.encode(value), as: UTF8.self))
    #expect(!line.contains("\n"))
  }

  @Test("is what Foundation makes of each event", arguments: Events.sample())
  func events(_ event: RunEvent) throws {
    try expectSame(JournalLine(event: event, previous: JournalLine.origin))
  }

  @Test("escapes every control in texts and in keys, and nothing else")
  func texts() throws {
    for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FEFF}", "👩‍👧", "/"] {
      try expectSame(["a\(scalar)\(scalar)b"])
      try expectSame(["a\(scalar)": "b"])
    }
    try expectSame("a\r\nb\\\"c\"")
  }

  @Test(
    "writes numbers as Foundation does",
    arguments: [
      0, -0.0, 1, -1, 0.1, 1.0 / 3, 30.5, 1e15, 1e16, 1e17, 123_456_789.125, 1e-5, 1e300, -1e-300,
      .greatestFiniteMagnitude,
    ])
  func numbers(_ number: Double) throws {
    try expectSame([number])
    try expectSame(["a": number])
    try expectSame(number)
  }

  @Test("writes integers of every width, truth and absence")
  func scalars() throws {
    try expectSame(Scalars())
    try expectSame([Scalars(), Scalars()])
  }

  @Test("orders keys as Foundation does")
  func keys() throws {
    try expectSame(["b": 1, "a": 2, "ab": 3, "a_b": 4, "a1": 5, "a10": 6, "a9": 7, "": 8])
    try expectSame(["x": ["d": ["b": [1], "a": []]], "c": [:]])
  }

  @Test("refuses numbers that are none", arguments: [Double.nan, .infinity, -.infinity])
  func noNumbers(_ number: Double) {
    #expect(throws: EncodingError.self) { try LineEncoder.bytes(of: [number]) }
  }

  @Test("knows every way to nest")
  func nesting() throws {
    try expectSame(Nested())
  }
}

private struct Scalars: Encodable {
  var a = Int8.min
  var b = Int16.max
  var c = Int32.min
  var d = Int64.max
  var e = UInt8.max
  var f = UInt16.max
  var g = UInt32.max
  var h = UInt64.max
  var i = UInt.max
  var j = Int.min
  var k = true
  var l: Int?
  var m: String? = "m"
  var n: [Int?] = [1, nil]
}

private struct Nested: Encodable {
  private enum Key: String, CodingKey { case first, second, third, fourth }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    var object = container.nestedContainer(keyedBy: Key.self, forKey: .first)
    var array = container.nestedUnkeyedContainer(forKey: .second)
    try ["inherited": 1].encode(to: container.superEncoder(forKey: .third))
    try container.encode(1, forKey: .fourth)
    try container.encode("again", forKey: .fourth)
    try object.encode("in an object", forKey: .first)
    var inner = array.nestedContainer(keyedBy: Key.self)
    try inner.encodeNil(forKey: .second)
    var deeper = array.nestedUnkeyedContainer()
    try deeper.encode(false)
    try deeper.encodeNil()
    try "text".encode(to: array.superEncoder())
    // A second container of the same kind goes on where the first one ended.
    var same = encoder.container(keyedBy: Key.self)
    try same.encode([0.5], forKey: .third)
  }
}
