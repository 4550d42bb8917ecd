import FoundationEssentials

/// A wall-clock time as the record has it: UTC, to the nearest millisecond, `2026-11-21T09:00:00.123Z`.
package struct Timestamp: Codable {
  let time: Date

  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  init(_ time: Date) {
    self.time = time
  }

  /// The time that an encoded one reads back as.
  static func rounded(_ time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 * 1000).rounded() / 1000)
  }

  /// The style cuts off what lies below a millisecond, so 0.123 s, which no Double is, would become .122.
  package var text: String { Self.style.format(time.addingTimeInterval(0.000_5)) }

  /// The time that this text says; nil where it says none.
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
