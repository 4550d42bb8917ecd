import CGcrypt

/// A SHA-512 digest (FIPS 180-4).
package struct SHA512: Hashable, Sendable {
  /// In bytes.
  package static let length = 64

  package let bytes: [UInt8]

  package init(of message: [UInt8]) {
    Library.initialise()
    var bytes = [UInt8](repeating: 0, count: Self.length)
    gcry_md_hash_buffer(Int32(GCRY_MD_SHA512.rawValue), &bytes, message, message.count)
    self.bytes = bytes
  }
}
