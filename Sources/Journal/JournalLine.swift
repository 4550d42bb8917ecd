import Digest
import FoundationEssentials
package import Model

/// A line of a journal: the JSON object of a `RunEvent` with an additional key `prev`, the SHA-256
/// (lower-case hex) of the bytes of the previous line without its newline. In the first line it is the hash
/// of the schema's name.
struct JournalLine {
  /// Name and version of the format. It appears only as the hash in the first line's `prev`.
  static let schema = "roboprov/journal/1"

  var event: RunEvent
  var previous: String

  /// An encoder that gives the same bytes for the same event. JSON escapes every line end within a string, so
  /// one event is one line.
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// `prev` of the first line.
  static let origin = chain(Array(schema.utf8))

  /// `prev` of the line after this one.
  static func chain(_ line: [UInt8]) -> String { chain(line, in: line.indices) }

  /// The same for the line at these positions.
  static func chain(_ bytes: [UInt8], in line: Range<Int>) -> String { SHA256(of: bytes, in: line).hex }
}

extension JournalLine: Codable {
  private enum Key: String, CodingKey {
    case previous = "prev"
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
}

/// Encodes a journal's lines, each from its event and the previous line. The same events give the same bytes.
package struct JournalLines: Sendable {
  private let encoder = JournalLine.encoder()
  /// The hash of the last line.
  package private(set) var previous = JournalLine.origin

  /// Starts a new journal.
  package init() {}

  /// The next line, without its newline.
  package mutating func line(_ event: RunEvent) -> [UInt8] {
    let content = JournalLine(event: event, previous: previous)
    do {
      let json = try (try? PlainEncoder.encode(content)) ?? Array(encoder.encode(content))
      let line = JSONText.escaped(json)
      previous = JournalLine.chain(line)
      return line
    } catch {
      // Only a number that is not finite could not be encoded, and no event holds one.
      preconditionFailure("event \(event.sequence) cannot be encoded: \(error)")
    }
  }
}
