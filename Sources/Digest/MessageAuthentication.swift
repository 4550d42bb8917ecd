import CGcrypt

/// A key for HMAC-SHA-256 (RFC 2104, FIPS 198-1). It is never printed or encoded.
package struct AuthenticationKey: Sendable, CustomStringConvertible, CustomReflectable {
  private let bytes: [UInt8]

  /// - Parameter bytes: The key, at least one byte.
  package init(_ bytes: [UInt8]) {
    precondition(!bytes.isEmpty, "an authentication key is empty")
    self.bytes = bytes
  }

  /// Always `•••`.
  package var description: String { "•••" }
  /// Always empty.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The authentication code of a message: 32 bytes.
  package func code(for message: [UInt8]) -> [UInt8] {
    Library.initialise()
    var handle: gcry_mac_hd_t?
    Library.check(gcry_mac_open(&handle, Int32(GCRY_MAC_HMAC_SHA256.rawValue), 0, nil))
    defer { gcry_mac_close(handle) }
    Library.check(gcry_mac_setkey(handle, bytes, bytes.count))
    Library.check(gcry_mac_write(handle, message, message.count))
    var code = [UInt8](repeating: 0, count: SHA256.length)
    var length = code.count
    Library.check(gcry_mac_read(handle, &code, &length))
    return code
  }
}
