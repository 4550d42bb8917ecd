/// What a device knows for good.
public struct Flash: Hashable, Sendable {
  /// Setting names and their values as they are on the wire.
  public var values: [String: [UInt8]]
  /// Whether it was ever told to save; in a family that knows no such command, whether it was ever written to.
  public var isSaved: Bool
  /// How the family writes a number.
  public var byteOrder: ByteOrder

  /// The order of a number's bytes.
  public enum ByteOrder: Hashable, Sendable {
    /// Most significant first.
    case bigEndian
    /// Least significant first.
    case littleEndian
  }

  /// A flash with this content.
  public init(values: [String: [UInt8]] = [:], isSaved: Bool = false, byteOrder: ByteOrder = .bigEndian) {
    self.values = values
    self.isSaved = isSaved
    self.byteOrder = byteOrder
  }

  /// A value as text, or nil when it was not written or is not UTF-8.
  public func text(_ name: String) -> String? {
    values[name].flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A value as a number of two bytes, or nil when it was not written or is of another length.
  public func number(_ name: String) -> UInt16? {
    guard let bytes = values[name], bytes.count == 2 else { return nil }
    return switch byteOrder {
    case .bigEndian: UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    case .littleEndian: UInt16(bytes[1]) << 8 | UInt16(bytes[0])
    }
  }

  /// The minor of its beacon, or nil when it has none.
  public var minor: UInt16? { number("minor") }
}
