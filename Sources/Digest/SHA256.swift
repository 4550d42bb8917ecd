import CGcrypt
import Hex

/// A SHA-256 digest (FIPS 180-4).
package struct SHA256: Hashable, Sendable {
  /// In bytes.
  package static let length = 32

  package let bytes: [UInt8]

  package init(of message: [UInt8]) {
    self.init(of: message, in: message.indices)
  }

  /// The digest of the bytes at these positions, which are not copied.
  package init(of bytes: [UInt8], in range: Range<Int>) {
    precondition(bytes.indices.contains(range), "the range is outside the bytes")
    Library.initialise()
    var digest = [UInt8](repeating: 0, count: Self.length)
    cgcrypt_sha256_of_part(&digest, bytes, range.lowerBound, range.count)
    self.bytes = digest
  }

  /// 64 lower-case hex digits.
  package var hex: String { bytes.hex() }
}
