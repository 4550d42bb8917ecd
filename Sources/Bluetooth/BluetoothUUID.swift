import Hex

/// A 128-bit Bluetooth UUID. The 16-bit and 32-bit short forms are expanded with the Base UUID
/// `00000000-0000-1000-8000-00805F9B34FB` (Bluetooth Core, Vol 3 Part B 2.5.1).
package struct BluetoothUUID: Hashable, Sendable {
  /// The upper 64 bits; the first written byte is the most significant one. The value is stored as two
  /// numbers because a stored UInt128 is aligned to 16 bytes, and Swift 6.3 miscompiles asynchronous
  /// functions that hold one.
  private let upper: UInt64
  private let lower: UInt64

  private init(_ number: UInt128) {
    upper = UInt64(truncatingIfNeeded: number >> 64)
    lower = UInt64(truncatingIfNeeded: number)
  }

  private var number: UInt128 { UInt128(upper) << 64 | UInt128(lower) }

  /// The 16 bytes in written order, most significant first (on air the order is reversed).
  package var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - 8 * $0)) } }

  /// Creates a UUID from 16 bytes in written order. Returns nil for any other number of bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.init(bytes.reduce(0) { $0 << 8 | UInt128($1) })
  }

  /// The UUID of nothing.
  package static let zero: BluetoothUUID = "00000000-0000-0000-0000-000000000000"

  /// Creates the 128-bit form of a 16-bit UUID.
  package init(short: UInt16) { self.init(Self.base | UInt128(short) << 96) }

  /// Parses 36 characters with dashes, or a short form of 4 or 8 hex digits, in either case. Returns nil for
  /// any other text.
  package init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let number = text.withUTF8({ Self.number(of: $0.span) }) else { return nil }
    self.init(number)
  }

  private static func number(of text: Span<UInt8>) -> UInt128? {
    guard [4, 8, 36].contains(text.count) else { return nil }
    var number: UInt128 = 0
    for index in 0..<text.count {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = UInt8(hexDigit: text[index]) else { return nil }
        number = number << 4 | UInt128(digit)
      }
    }
    return text.count == 36 ? number : base | number << 96
  }

  private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB
}

extension BluetoothUUID: ExpressibleByStringLiteral {
  /// Creates a UUID from a literal. An invalid literal is a programming error and traps.
  package init(stringLiteral text: String) {
    guard let uuid = Self(text) else { preconditionFailure("not a UUID: \(text)") }
    self = uuid
  }
}

extension BluetoothUUID: Comparable {
  /// Orders UUIDs by their written bytes.
  package static func < (a: Self, b: Self) -> Bool { (a.upper, a.lower) < (b.upper, b.lower) }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The full written form in upper case: `12345678-9ABC-DEF0-1234-000000000001`.
  package var description: String {
    var text = Array(bytes.hex(uppercase: true).utf8)
    for place in [8, 13, 18, 23] { text.insert(UInt8(ascii: "-"), at: place) }
    return String(decoding: text, as: UTF8.self)
  }
}

extension BluetoothUUID: WrittenAsText {
  package static let nounForErrors = "a UUID"
}
