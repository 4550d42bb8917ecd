import CGcrypt
import Digest

/// AES-256 in counter mode as a stream (NIST SP 800-38A 6.5): encrypting and decrypting are the same, and every
/// byte, in either direction, moves the position on.
package struct AESCounterStream: Sendable {
  private let key: [UInt8]
  /// The counter of the next whole block, and the number of its bytes that are used up.
  private var counter: [UInt8]
  private var used = 0

  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - counter: The first counter, 16 bytes.
  package init(key: [UInt8], counter: [UInt8]) {
    precondition(key.count == 32 && counter.count == 16, "AES-256 takes 32 bytes, its counter 16")
    (self.key, self.counter) = (key, counter)
  }

  /// Encrypts or decrypts the next bytes.
  package mutating func apply(to bytes: [UInt8]) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: used) + bytes
    let cipher = Cipher(GCRY_CIPHER_MODE_CTR, key)
    cipher.setCounter(counter)
    cipher.encrypt(&text)
    advance(by: text.count / 16)
    let result = Array(text.dropFirst(used))
    used = text.count % 16
    return result
  }

  private mutating func advance(by blocks: Int) {
    var carry = blocks
    for index in counter.indices.reversed() where carry > 0 {
      let sum = Int(counter[index]) + carry
      counter[index] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
  }
}
