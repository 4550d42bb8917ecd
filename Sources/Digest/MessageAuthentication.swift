import CGcrypt

/// A key for HMAC-SHA-256 (RFC 2104, FIPS 198-1). It neither prints nor encodes.
public struct AuthenticationKey: Sendable, CustomStringConvertible, CustomReflectable {
  private let bytes: [UInt8]

  /// A key of any length but none.
  public init(_ bytes: [UInt8]) {
    precondition(!bytes.isEmpty, "a key without a byte")
    self.bytes = bytes
  }

  /// Always `•••`.
  public var description: String { "•••" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The authentication code of a message under this key: 32 bytes.
  public func code(for message: [UInt8]) -> [UInt8] {
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
