import Digest
import FoundationEssentials
import Model

/// A line of a journal in the form that the writer gives it: a `PlainJSON` with exactly the keys of a line. Any other line,
/// valid or not, is left to Foundation's decoder.
struct PlainLine {
  private enum Value: Int, CaseIterable {
    case at, data, elapsed, kind, previous, sequence, version
  }

  /// The key and the kind of each value.
  private static let form: [(key: [UInt8], kind: PlainJSON.Kind)] = [
    ("at", .string), ("data", .object), ("elapsed_us", .integer), ("kind", .string), ("prev", .string),
    ("seq", .integer), ("v", .integer),
  ].map { (Array($0.utf8), $1) }

  private var json: PlainJSON
  /// The position of each value.
  private var places: [Int32] = []

  /// No line yet, of a journal with these bytes.
  init(of bytes: [UInt8]) { json = PlainJSON(bytes) }

  /// Reads the line at these positions.
  /// - Returns: Whether it has the form.
  mutating func read(_ line: Range<Int>) -> Bool {
    places.removeAll(keepingCapacity: true)
    guard (try? json.read(line)) != nil, json.nodes[0].kind == .object else { return false }
    var place = 1
    for value in Self.form {
      guard place < json.nodes.count, json.isText(json.nodes[place].text, value.key.span),
        json.nodes[place + 1].kind == value.kind
      else { return false }
      places.append(Int32(place + 1))
      place = Int(json.nodes[place + 1].next)
    }
    return place == json.nodes.count && number(.version) == RunEvent.version
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
    guard let kind = Fact.Kind(rawValue: kind), let time else { return nil }
    return try? PlainDecoder.decode(json, at: places[Value.data.rawValue]) {
      try RunEvent(
        sequence: number(.sequence), at: time, microseconds: Int64(number(.elapsed)), kind: kind, from: $0)
    }
  }
}
