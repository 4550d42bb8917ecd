import CGcrypt
import Hex

/// A SHA-256 digest (FIPS 180-4).
public struct SHA256: Hashable, Sendable {
  /// How many bytes it has.
  public static let length = 32

  /// Its bytes, in the order in which they are written.
  public let bytes: [UInt8]

  /// The digest of these bytes.
  public init(of message: [UInt8]) {
    Library.initialise()
    var bytes = [UInt8](repeating: 0, count: Self.length)
    gcry_md_hash_buffer(Int32(GCRY_MD_SHA256.rawValue), &bytes, message, message.count)
    self.bytes = bytes
  }

  /// Lower-case hex: 64 digits.
  public var hex: String { bytes.hex() }
}
