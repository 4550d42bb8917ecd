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

  /// The address from which an EUI-64 was made: FF:FE is in the middle of it (ESP-IDF, `mac_addr.c`). Parses sixteen hex
  /// digits, without separators, in eight pairs or in four groups of four. Nil for any other text, and for an EUI-64 that
  /// was not made in that way.
  package init?(inEUI64 text: some StringProtocol) {
    let text = String(text)
    let separator = text.first { ":-_. ".contains($0) }
    let parts = separator.map { text.split(separator: $0, omittingEmptySubsequences: false) } ?? [text[...]]
    guard [1, 4, 8].contains(parts.count), parts.allSatisfy({ $0.utf8.count == 16 / parts.count }),
      let bytes = [UInt8](hex: parts.joined()), bytes[3] == 0xFF, bytes[4] == 0xFE
    else { return nil }
    self.init(rawValue: (bytes.prefix(3) + bytes.suffix(3)).reduce(0) { $0 << 8 | UInt64($1) })
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
