import FoundationEssentials

/// A wall-clock time in the record: UTC, to the nearest millisecond, `2026-11-21T09:00:00.123Z`.
package struct Timestamp: Codable {
  let time: Date

  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  init(_ time: Date) {
    self.time = time
  }

  /// The value after encoding and decoding.
  static func rounded(_ time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 * 1000).rounded() / 1000)
  }

  /// The style truncates below a millisecond, so 0.123 s, which has no exact Double, would become .122
  /// without the addition.
  package var text: String { Self.style.format(time.addingTimeInterval(0.000_5)) }

  /// Parses a time; nil for another format.
  init?(_ text: String) {
    guard let time = try? Self.style.parse(text), RecordedNumbers.times.contains(time.timeIntervalSince1970)
    else { return nil }
    self.time = time
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let timestamp = Timestamp(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time: \(text)")
    }
    self = timestamp
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
