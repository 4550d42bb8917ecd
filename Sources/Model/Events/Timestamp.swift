package import FoundationEssentials

/// A wall-clock time in the record: UTC, to the nearest millisecond, `2026-11-21T09:00:00.123Z`.
package struct Timestamp: Hashable, Sendable, Codable {
  package let time: Date

  init(_ time: Date) {
    self.time = time
  }

  /// The value after encoding and decoding.
  package static func rounded(_ time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 * 1000).rounded() / 1000)
  }

  /// Formatted here because Foundation's style takes much longer, which counts since every event of a record has a time.
  package var text: String {
    let milliseconds = (time.timeIntervalSince1970 * 1000).rounded()
    guard Self.expressible.contains(milliseconds) else {
      // The style truncates.
      return Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(
        time.addingTimeInterval(0.000_5))
    }
    let (seconds, fraction) = Int(milliseconds).quotientAndRemainder(dividingBy: 1000)
    let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // Days since the first of March of the year 0, in eras of 400 years. The years begin in March, as below.
    let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let numbers = [
      400 * era + year + (month < 10 ? 0 : 1), (month + 2) % 12 + 1, dayOfYear - (153 * month + 2) / 5 + 1,
      second / 3600, second / 60 % 60, second % 60, fraction,
    ]
    var text = Self.pattern
    for (place, var number) in zip(Self.lastDigits, numbers) {
      var place = place
      while number > 0 {
        text[place] += UInt8(number % 10)
        (place, number) = (place - 1, number / 10)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Milliseconds since 1970 of a time with a year of four digits.
  private static let expressible = 0..<253_402_300_800_000.0

  /// The positions in `pattern` of the last digit of each number.
  private static let lastDigits = [3, 6, 9, 12, 15, 18, 22]

  /// Reads a time that is written exactly as above; nil for any other text, and before 1970.
  package init?(_ text: String) {
    var text = text
    guard let exact = text.withUTF8({ Self(exactly: $0.span) }) else { return nil }
    self = exact
  }

  /// Reads the text of a time from its bytes. Foundation's style takes much longer, and accepts 30 February.
  package init?(exactly text: Span<UInt8>) {
    guard let milliseconds = Self.milliseconds(of: text) else { return nil }
    time = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The milliseconds since 1970.
  private static func milliseconds(of text: Span<UInt8>) -> Int? {
    guard text.count == pattern.count else { return nil }
    for index in text.indices where pattern[index] != UInt8(ascii: "0") {
      guard text[index] == pattern[index] else { return nil }
    }
    guard let year = number(0..<4, text), let month = number(5..<7, text), let day = number(8..<10, text),
      let hour = number(11..<13, text), let minute = number(14..<16, text),
      let second = number(17..<19, text), let milliseconds = number(20..<23, text), year >= 1970,
      1...12 ~= month,
      1...days(month, year) ~= day, hour < 24,
      minute < 60, second < 60
    else { return nil }
    // The years begin in March, so that a leap day is the last one.
    let years = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let days = 365 * years + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds
  }

  private static func days(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static let pattern = Array("0000-00-00T00:00:00.000Z".utf8)

  /// The number of these digits; nil if one is none.
  private static func number(_ range: Range<Int>, _ text: Span<UInt8>) -> Int? {
    var value = 0
    for index in range {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] else { return nil }
      value = 10 * value + Int(text[index] - UInt8(ascii: "0"))
    }
    return value
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
