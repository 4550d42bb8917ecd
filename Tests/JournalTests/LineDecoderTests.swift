import Foundation
import Model
import Testing

@testable import Journal

@Suite("Reading the journal's JSON")
struct LineDecoderTests {
  @Test("gives what was written, for each event", arguments: Events.sample())
  func events(_ event: RunEvent) throws {
    let line = JournalLine(event: event, previous: JournalLine.origin)
    let read = try LineDecoder.decode(JournalLine.self, from: LineEncoder.bytes(of: line))
    #expect(read.event == event)
    #expect(read.previous == line.previous)
  }

  @Test("takes every text and every number that is written")
  func scalars() throws {
    for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FEFF}", "👩‍👧", "/"] {
      let texts = ["a\(scalar)b": "\(scalar)\(scalar)"]
      #expect(try LineDecoder.decode([String: String].self, from: LineEncoder.bytes(of: texts)) == texts)
    }
    let numbers = [0, 1, -1, 0.1, 1.0 / 3, 30.5, 1e16, 1e300, -1e-300, .greatestFiniteMagnitude]
    #expect(try LineDecoder.decode([Double].self, from: LineEncoder.bytes(of: numbers)) == numbers)
    let integers: [Int64?] = [.min, nil, 0, .max]
    #expect(try LineDecoder.decode([Int64?].self, from: LineEncoder.bytes(of: integers)) == integers)
  }

  /// Valid or not: Foundation is asked.
  static let refused = [
    "", " 1", "1 ", "[1, 2]", "[1,]", "[,1]", "[1", "[1]]", "{", "{}}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
    #"{"a":1,"a":2}"#, #"{"b":1,"a":2}"#, #"{a:1}"#, "01", "-01", "1.", ".5", "-", "--1", "1e", "1e+", "1-1",
    "+1", "1..2", "0x10", "tru", "True", "nul", "NaN", "Infinity", "'a'", #""a"#, #""\x""#, #""\/""#,
    #""\u00e9""#, #""\u+01f""#, #""\u001""#, "\"\u{1}\"", "\"\n\"",
    String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
  ]

  @Test("refuses what we do not write", arguments: refused)
  func refuses(_ text: String) {
    #expect(throws: LineDecoder.Refusal.self) {
      try LineDecoder.decode(Anything.self, from: Array(text.utf8))
    }
  }

  @Test("refuses text that is not UTF-8, and values of another type")
  func refusesTypes() {
    #expect(throws: LineDecoder.Refusal.self) {
      try LineDecoder.decode(String.self, from: [0x22, 0xC3, 0x28, 0x22])
    }
    let line = Array(#"{"a":[1,2.5,"x",true,null,300]}"#.utf8)
    #expect(throws: LineDecoder.Refusal.self) { try LineDecoder.decode([String: [Int]].self, from: line) }
    #expect(throws: LineDecoder.Refusal.self) { try LineDecoder.decode([String: String].self, from: line) }
    #expect(throws: LineDecoder.Refusal.self) { try LineDecoder.decode([Int].self, from: line) }
    #expect(throws: LineDecoder.Refusal.self) { try LineDecoder.decode(UInt8.self, from: Array("256".utf8)) }
    #expect(throws: LineDecoder.Refusal.self) { try LineDecoder.decode(Int.self, from: Array("1.5".utf8)) }
  }

  @Test("what is damaged is what Foundation finds damaged: each byte of a line, changed in turn")
  func everyByte() throws {
    let event = Events.sample()[3]
    let line = try LineEncoder.bytes(of: JournalLine(event: event, previous: JournalLine.origin))
    for index in line.indices {
      for byte in Array("\"\\{}[],:0-e.nt /x".utf8) + [0x00, 0x80, 0xFF] {
        var changed = line
        changed[index] = byte
        guard let read = try? LineDecoder.decode(JournalLine.self, from: changed) else { continue }
        let other = try JSONDecoder().decode(JournalLine.self, from: Data(changed))
        #expect(read.event == other.event && read.previous == other.previous, "byte \(byte) at \(index)")
      }
    }
  }
}

/// A value of whatever type, looked at as deep as it goes.
private struct Anything: Decodable {
  init(from decoder: any Decoder) throws {
    if var array = try? decoder.unkeyedContainer() {
      while !array.isAtEnd { _ = try array.decode(Anything.self) }
      return
    }
    if (try? decoder.container(keyedBy: Key.self)) != nil { return }
    let scalar = try decoder.singleValueContainer()
    if (try? scalar.decode(String.self)) == nil { _ = try scalar.decode(Double.self) }
  }

  private enum Key: CodingKey { case a }
}
