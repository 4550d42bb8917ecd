/// The persistent memory of a device.
package struct Flash: Hashable, Sendable {
  /// The values of the settings by name, as transferred over the link.
  package var values: [String: [UInt8]]
  /// Whether `SAVE` was ever executed; in a family without this command, whether a value was ever written.
  package var isSaved: Bool
  /// The family's byte order for numbers.
  package var byteOrder: ByteOrder

  package enum ByteOrder: Hashable, Sendable {
    /// Most significant first.
    case bigEndian
    /// Least significant first.
    case littleEndian
  }

  package init(values: [String: [UInt8]] = [:], isSaved: Bool = false, byteOrder: ByteOrder = .bigEndian) {
    self.values = values
    self.isSaved = isSaved
    self.byteOrder = byteOrder
  }

  /// A value as text; nil if it was not written or is not UTF-8.
  package func text(_ name: String) -> String? {
    values[name].flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A value as a two-byte number; nil if it was not written or has another length.
  package func number(_ name: String) -> UInt16? {
    guard let bytes = values[name], bytes.count == 2 else { return nil }
    return switch byteOrder {
    case .bigEndian: UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    case .littleEndian: UInt16(bytes[1]) << 8 | UInt16(bytes[0])
    }
  }

  /// The minor of the beacon; nil if there is none.
  package var minor: UInt16? { number("minor") }
}
