import Digest
import FoundationEssentials
public import Model

/// A line of a journal: a `RunEvent`'s JSON object and, in it, `prev`: the SHA-256 (lower-case hex) of the
/// bytes of the line before, without its newline; for the first line, of the schema's name.
struct JournalLine: Codable {
  /// Name and version of the format; no line holds it, the first line's `prev` does.
  static let schema = "roboprov/journal/1"

  var event: RunEvent
  var previous: String

  private enum Key: String, CodingKey {
    case previous = "prev"
  }

  init(event: RunEvent, previous: String) {
    self.event = event
    self.previous = previous
  }

  init(from decoder: any Decoder) throws {
    event = try RunEvent(from: decoder)
    previous = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .previous)
  }

  func encode(to encoder: any Encoder) throws {
    try event.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(previous, forKey: .previous)
  }

  /// An encoder that writes the same bytes for the same event each time. JSON escapes every line end within
  /// a string, so one event is one line.
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// What `prev` of the first line holds.
  static let origin = chain(Array(schema.utf8))

  /// What `prev` of the line after this one holds.
  static func chain(_ line: some Sequence<UInt8>) -> String {
    SHA256(of: Array(line)).hex
  }
}

/// Makes the lines of a journal, each from its event and the line before it. The same events give the same bytes.
public struct JournalLines: Sendable {
  private let encoder = JournalLine.encoder()
  /// The hash of the line before the next one.
  private(set) var previous = JournalLine.origin

  /// At the beginning of a journal.
  public init() {}

  /// The next line, without its newline.
  public mutating func line(_ event: RunEvent) -> [UInt8] {
    do {
      let line = JSONText.escaped([UInt8](try encoder.encode(JournalLine(event: event, previous: previous))))
      previous = JournalLine.chain(line)
      return line
    } catch {
      // Only a number that is none (NaN) could not be written, and no measurement of ours is one.
      preconditionFailure("event \(event.sequence) cannot be encoded: \(error)")
    }
  }
}
