import CGcrypt
import Hex

/// A SHA-256 digest (FIPS 180-4).
package struct SHA256: Hashable, Sendable {
  /// In bytes.
  package static let length = 32

  package let bytes: [UInt8]

  package init(of message: [UInt8]) {
    Library.initialise()
    var bytes = [UInt8](repeating: 0, count: Self.length)
    gcry_md_hash_buffer(Int32(GCRY_MD_SHA256.rawValue), &bytes, message, message.count)
    self.bytes = bytes
  }

  /// 64 lower-case hex digits.
  package var hex: String { bytes.hex() }
}
