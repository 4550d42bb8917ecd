import Hex

/// A 48-bit Bluetooth device address, written most significant byte first: `C4:7C:8D:00:00:01`.
///
/// Ordered by its bytes, so that anything decided "by address" is decided the same way each time.
public struct BluetoothAddress: Hashable, Sendable {
  /// The address as a number, 0…2⁴⁸−1; the leftmost written byte is the most significant one.
  public let rawValue: UInt64

  /// An address from its number; bits above the 48th are dropped.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue & 0xFFFF_FFFF_FFFF
  }

  /// An address from six pairs of hex digits, separated by `:` (or throughout by `-` or `_`, as
  /// labels and BlueZ's object paths have it), in either case. Anything else is nil.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let value = text.withUTF8({ Self.value(of: $0.span) }) else { return nil }
    rawValue = value
  }

  private static func value(of bytes: Span<UInt8>) -> UInt64? {
    guard bytes.count == 17 else { return nil }
    let separator = bytes[2]
    guard ":-_".utf8.contains(separator) else { return nil }
    var value: UInt64 = 0
    for index in 0..<17 {
      if index % 3 == 2 {
        guard bytes[index] == separator else { return nil }
      } else {
        guard let digit = UInt8(hexDigit: bytes[index]) else { return nil }
        value = value << 4 | UInt64(digit)
      }
    }
    return value
  }

  /// The six bytes, most significant (leftmost written) first.
  public var bytes: [UInt8] {
    (0..<6).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
  }
}

extension BluetoothAddress: Comparable {
  /// Numeric order.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension BluetoothAddress: CustomStringConvertible {
  /// Upper case, separated by colons: `C4:7C:8D:00:00:01`.
  public var description: String {
    bytes.map { $0.hex(digits: 2, uppercase: true) }.joined(separator: ":")
  }
}

extension BluetoothAddress: Codable {
  /// Reads the written form.
  /// - Throws: `DecodingError.dataCorrupted` for anything that is not an address.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let address = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no Bluetooth address: \(text)")
    }
    self = address
  }

  /// Writes `description`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
