/// A check value at the end of a packet, over all bytes before it.
package struct PacketCheck: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// All bytes combined by exclusive or.
    case xor8
    /// The last eight bits of the sum of all bytes.
    case sum8
    /// Polynomial 07, start 00 (CRC-8/SMBUS).
    case crc8
    /// Polynomial 1021, start FFFF (CRC-16/IBM-3740, often called CCITT).
    case crc16CCITT = "crc16_ccitt"
    /// Polynomial 1021, start 0000 (CRC-16/XMODEM).
    case crc16XModem = "crc16_xmodem"
    /// Polynomial 8005 reflected, start FFFF (CRC-16/MODBUS).
    case crc16Modbus = "crc16_modbus"
    /// Polynomial 04C11DB7 reflected, start and end inverted (CRC-32 of zip).
    case crc32

    package var length: Int {
      switch self {
      case .xor8, .sum8, .crc8: 1
      case .crc16CCITT, .crc16XModem, .crc16Modbus: 2
      case .crc32: 4
      }
    }
  }

  package var kind: Kind
  package var order: WireEncoding.ByteOrder

  package init(_ kind: Kind, _ order: WireEncoding.ByteOrder) { (self.kind, self.order) = (kind, order) }

  package var length: Int { kind.length }

  package func bytes(of packet: some Sequence<UInt8>) -> [UInt8] {
    let value: UInt32 =
      switch kind {
      case .xor8: packet.reduce(0) { $0 ^ UInt32($1) }
      case .sum8: packet.reduce(0) { ($0 + UInt32($1)) & 0xFF }
      case .crc8: Self.crc(packet, 0x07, bits: 8, from: 0)
      case .crc16CCITT: Self.crc(packet, 0x1021, bits: 16, from: 0xFFFF)
      case .crc16XModem: Self.crc(packet, 0x1021, bits: 16, from: 0)
      case .crc16Modbus: Self.reflected(packet, 0xA001, from: 0xFFFF)
      case .crc32: ~Self.reflected(packet, 0xEDB8_8320, from: .max)
      }
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    return order == .littleEndian ? bytes : bytes.reversed()
  }

  private static func crc(
    _ packet: some Sequence<UInt8>, _ polynomial: UInt32, bits: UInt32, from start: UInt32
  ) -> UInt32 {
    var value = start
    for byte in packet {
      value ^= UInt32(byte) << (bits - 8)
      for _ in 0..<8 {
        let isHigh = value >> (bits - 1) & 1 == 1
        value = (value << 1) ^ (isHigh ? polynomial : 0)
      }
    }
    return value & ((1 << bits) - 1)
  }

  private static func reflected(
    _ packet: some Sequence<UInt8>, _ polynomial: UInt32, from start: UInt32
  ) -> UInt32 {
    var value = start
    for byte in packet {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = (value >> 1) ^ (value & 1 == 1 ? polynomial : 0) }
    }
    return value
  }
}
