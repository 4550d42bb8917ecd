import Hex

/// A 48-bit Bluetooth device address, written most significant byte first: `C4:7C:8D:00:00:01`.
///
/// Ordered numerically, so that every decision "by address" is reproducible.
package struct BluetoothAddress: Hashable, Sendable {
  /// The address as a number, 0…2⁴⁸−1. The leftmost written byte is the most significant one.
  package let rawValue: UInt64

  /// Creates an address from its number. Bits above the 48th are dropped.
  package init(rawValue: UInt64) {
    self.rawValue = rawValue & 0xFFFF_FFFF_FFFF
  }

  /// Parses twelve hex digits in either case: without separators (barcode scanners, spreadsheets), in six pairs
  /// or in three groups of four, all separated by `:`, `-`, `.`, `_` (BlueZ's object paths) or a space. Returns nil
  /// for any other text.
  package init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let value = text.withUTF8({ Self.value(of: $0.span) }) else { return nil }
    rawValue = value
  }

  private static func value(of bytes: Span<UInt8>) -> UInt64? {
    let group: Int
    switch bytes.count {
    case 12: group = 12
    case 14: group = 4
    case 17: group = 2
    default: return nil
    }
    if group < 12, !":-_. ".utf8.contains(bytes[group]) { return nil }
    var value: UInt64 = 0
    for index in bytes.indices {
      if index % (group + 1) == group {
        guard bytes[index] == bytes[group] else { return nil }
      } else {
        guard let digit = UInt8(hexDigit: bytes[index]) else { return nil }
        value = value << 4 | UInt64(digit)
      }
    }
    return value
  }

  /// Whether a device can have it: it is neither all zeros nor all ones.
  package var isPossible: Bool { rawValue != 0 && rawValue != 0xFFFF_FFFF_FFFF }

  /// The first three bytes: the manufacturer's block, in a public address.
  package var manufacturer: UInt64 { rawValue >> 24 }

  /// Whether it lasts until the device is switched off at least, if it is a random one (Bluetooth Core, Vol 6 Part B 1.3.2).
  package var isStatic: Bool { rawValue >> 46 == 0b11 }

  /// The six bytes, most significant (leftmost written) first.
  package var bytes: [UInt8] {
    (0..<6).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
  }
}

extension BluetoothAddress: Comparable {
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension BluetoothAddress: CustomStringConvertible {
  /// Upper case, separated by colons: `C4:7C:8D:00:00:01`.
  package var description: String {
    var text = Array(bytes.hex(uppercase: true).utf8)
    for place in stride(from: 2, to: 17, by: 3) { text.insert(UInt8(ascii: ":"), at: place) }
    return String(decoding: text, as: UTF8.self)
  }
}

extension BluetoothAddress: WrittenAsText {
  package static let nounForErrors = "a Bluetooth address"
}
