/// What a number in a record or a plan may be. A number beyond that is damage, found where it is read: sums, differences and
/// conversions of what was read never overflow.
enum RecordedNumbers {
  /// Counts, dBm and bytes.
  static let integers = -0x7FFF_FFFF...0x7FFF_FFFF
  /// Seconds: 31 years.
  static let seconds = -1e9...1e9
  /// Microseconds since a run began.
  static let elapsed: ClosedRange<Int64> = 0...1_000_000_000_000_000
  /// Seconds since 1970, up to the year 9999.
  static let times = 0...253_402_300_799.999
}

/// A number within its range.
private struct Bounded<Number: Decodable & Comparable & RecordedNumber>: Decodable {
  let number: Number

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    number = try container.decode(Number.self)
    guard Number.recorded.contains(number) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number out of range")
    }
  }
}

private protocol RecordedNumber: Comparable {
  static var recorded: ClosedRange<Self> { get }
}

extension Int: RecordedNumber {
  fileprivate static var recorded: ClosedRange<Int> { RecordedNumbers.integers }
}

extension Double: RecordedNumber {
  fileprivate static var recorded: ClosedRange<Double> { RecordedNumbers.seconds }
}

/// In this module these stand before those of the standard library: every number that a fact, a plan or a part of these has is
/// read by them, also by the initialisers that the compiler writes.
extension KeyedDecodingContainer {
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try decode(Bounded<Int>.self, forKey: key).number
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try decodeIfPresent(Bounded<Int>.self, forKey: key)?.number
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decode(Bounded<Double>.self, forKey: key).number
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try decodeIfPresent(Bounded<Double>.self, forKey: key)?.number
  }
}
