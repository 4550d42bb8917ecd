/// The valid ranges of numbers in records and plans. A number outside is reported as damage when it is read,
/// so later sums, differences and conversions cannot overflow.
package enum RecordedNumbers {
  /// Counts, dBm and bytes.
  package static let integers = -0x7FFF_FFFF...0x7FFF_FFFF
  /// Seconds: 31 years.
  package static let seconds = -1e9...1e9
  /// Microseconds since a run began.
  static let elapsed: ClosedRange<Int64> = 0...1_000_000_000_000_000
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

/// In this module, these take precedence over those of the standard library, also in synthesised
/// initialisers: every number of a fact or a plan is checked.
extension KeyedDecodingContainer {
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try recorded(type, key) }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try recordedIfPresent(type, key) }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try recorded(type, key) }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try recordedIfPresent(type, key)
  }

  private func recorded<Number: Decodable & RecordedNumber>(_ type: Number.Type, _ key: Key) throws -> Number
  {
    try checked(try decode(type, forKey: key), key)
  }

  private func recordedIfPresent<Number: Decodable & RecordedNumber>(
    _ type: Number.Type, _ key: Key
  ) throws -> Number? {
    try decodeIfPresent(type, forKey: key).map { try checked($0, key) }
  }

  private func checked<Number: RecordedNumber>(_ number: Number, _ key: Key) throws -> Number {
    guard Number.recorded.contains(number) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "a number out of range")
    }
    return number
  }
}
