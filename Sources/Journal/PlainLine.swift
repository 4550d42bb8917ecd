import Digest
import FoundationEssentials
import Model

/// A line of a journal in the form that the writer gives it: a `PlainJSON` with exactly the keys of a line. Any other line,
/// valid or not, is left to Foundation's decoder.
struct PlainLine {
  private enum Value: Int, CaseIterable {
    case at, data, elapsed, kind, previous, sequence, version
  }

  /// The text before each value, and its kind.
  private static let form: [(text: [UInt8], kind: PlainJSON.Kind)] = [
    (#"{"at":"#, .string), (#","data":"#, .object), (#","elapsed_us":"#, .integer), (#","kind":"#, .string),
    (#","prev":"#, .string), (#","seq":"#, .integer), (#","v":"#, .integer),
  ].map { (Array($0.utf8), $1) }
  private static let ending = Array("}".utf8)

  private var json: PlainJSON
  /// The position of each value.
  private var places: [Int32] = []

  /// No line yet, of a journal with these bytes.
  init(of bytes: [UInt8]) { json = PlainJSON(bytes) }

  /// Reads the line at these positions.
  /// - Returns: Whether it has the form.
  mutating func read(_ line: Range<Int>) -> Bool {
    places.removeAll(keepingCapacity: true)
    do throws(PlainJSON.Refused) {
      try json.read(line) { json throws(PlainJSON.Refused) in
        for (text, kind) in Self.form {
          try json.take(text)
          places.append(try json.take(kind))
        }
        try json.take(Self.ending)
      }
    } catch {
      return false
    }
    return number(.version) == RunEvent.version
      && json.bytes[positions(.elapsed).lowerBound] != UInt8(ascii: "-")
  }

  private func text(_ value: Value) -> Range<Int32> { json.nodes[Int(places[value.rawValue])].text }
  private func positions(_ value: Value) -> Range<Int> {
    Int(text(value).lowerBound)..<Int(text(value).upperBound)
  }
  private func number(_ value: Value) -> Int { json.number(text(value)).value }

  /// Whether it is the line with this number, after a line with this digest.
  func follows(_ previous: SHA256, as number: Int) -> Bool {
    self.number(.sequence) == number && previous.isHex(json.bytes.span.extracting(positions(.previous)))
  }

  var kind: String { json.string(text(.kind)) }
  /// Nil for a time in another form.
  var time: Timestamp? { Timestamp(exactly: json.bytes.span.extracting(positions(.at))) }

  /// Its event; nil if it cannot be decoded with certainty as Foundation's decoder would.
  var event: RunEvent? {
    guard let time, let fact = try? fact else { return nil }
    return RunEvent(
      sequence: number(.sequence), at: time, microseconds: Int64(number(.elapsed)), fact: fact)
  }

  private var fact: Fact {
    get throws {
      let (name, data) = (kind, places[Value.data.rawValue])
      if let fact = try Fact(name, PlainFields(json, data)) { return fact }
      guard let kind = Fact.Kind(rawValue: name) else { throw PlainJSON.Refused() }
      return try PlainDecoder.decode(json, at: data) { try Fact(kind: kind, from: $0) }
    }
  }
}
