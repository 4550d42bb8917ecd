import CGcrypt
import Digest

/// AES-256-GCM without additional data (NIST SP 800-38D): the text, and 16 bytes that authenticate it.
package struct AESGaloisCounter: Sendable {
  /// The number of bytes that authenticate a text.
  package static let tagLength = 16

  private let key: [UInt8]

  /// - Parameter key: 32 bytes.
  package init(key: [UInt8]) {
    precondition(key.count == 32, "AES-256 takes 32 bytes")
    self.key = key
  }

  /// The encrypted text, followed by its tag. A nonce must not be used twice with the same key.
  package func seal(_ text: [UInt8], nonce: [UInt8]) -> [UInt8] {
    var text = text
    let cipher = Cipher(GCRY_CIPHER_MODE_GCM, key)
    cipher.setNonce(nonce)
    cipher.encrypt(&text)
    return text + cipher.tag()
  }

  /// The text of what `seal` made; nil if it is not authentic.
  package func open(_ sealed: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.tagLength else { return nil }
    var text = Array(sealed.dropLast(Self.tagLength))
    let cipher = Cipher(GCRY_CIPHER_MODE_GCM, key)
    cipher.setNonce(nonce)
    cipher.decrypt(&text)
    return cipher.isTag(Array(sealed.suffix(Self.tagLength))) ? text : nil
  }
}
