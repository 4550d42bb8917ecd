import Hex

/// A 128-bit UUID as Bluetooth uses it; 16- and 32-bit short forms are widened over the Base UUID
/// `00000000-0000-1000-8000-00805F9B34FB` (Bluetooth Core, Vol 3 Part B 2.5.1).
public struct BluetoothUUID: Hashable, Sendable {
  /// The 16 bytes in the order they are written, most significant first (not the order on air).
  public let bytes: [UInt8]

  /// A UUID from 16 bytes in written order, or nil for another number of bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// The 128-bit form of a 16-bit UUID.
  public init(short: UInt16) {
    var bytes = Self.base
    bytes[2] = UInt8(short >> 8)
    bytes[3] = UInt8(truncatingIfNeeded: short)
    self.bytes = bytes
  }

  /// A UUID from its written form: 36 characters with dashes, or a short form of 4 or 8 hex digits;
  /// either case. Anything else is nil.
  public init?(_ text: some StringProtocol) {
    let characters = Array(text.utf8)
    switch characters.count {
    case 4, 8:
      guard let short = [UInt8](hexDigits: characters) else { return nil }
      var bytes = Self.base
      bytes.replaceSubrange((4 - short.count)..<4, with: short)
      self.bytes = bytes
    case 36:
      let dashes = [8, 13, 18, 23]
      guard dashes.allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else { return nil }
      let digits = characters.indices.filter { !dashes.contains($0) }.map { characters[$0] }
      guard let bytes = [UInt8](hexDigits: digits) else { return nil }
      self.bytes = bytes
    default:
      return nil
    }
  }

  private static let base: [UInt8] = [0, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]
}

extension BluetoothUUID: ExpressibleByStringLiteral {
  /// A UUID written in the source. A literal that is not one is a bug of ours and traps.
  public init(stringLiteral text: String) {
    guard let uuid = Self(text) else { preconditionFailure("not a UUID: \(text)") }
    self = uuid
  }
}

extension BluetoothUUID: Comparable {
  /// Order of the written bytes.
  public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The full written form in upper case: `12345678-9ABC-DEF0-1234-000000000001`.
  public var description: String {
    let hex = bytes.map { $0.hex(digits: 2, uppercase: true) }
    return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]]
      .map { $0.joined() }.joined(separator: "-")
  }
}

extension BluetoothUUID: Codable {
  /// Reads a written form.
  /// - Throws: `DecodingError.dataCorrupted` for anything that is not a UUID.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let uuid = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no UUID: \(text)")
    }
    self = uuid
  }

  /// Writes `description`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
