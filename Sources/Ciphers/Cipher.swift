import CGcrypt
import Digest

/// A cipher of libgcrypt, for one message.
final class Cipher {
  private let handle: gcry_cipher_hd_t?

  init(_ mode: gcry_cipher_modes, _ key: [UInt8]) {
    Library.initialise()
    var handle: gcry_cipher_hd_t?
    Library.check(gcry_cipher_open(&handle, Int32(GCRY_CIPHER_AES256.rawValue), Int32(mode.rawValue), 0))
    self.handle = handle
    Library.check(gcry_cipher_setkey(handle, key, key.count))
  }

  deinit { gcry_cipher_close(handle) }

  func setCounter(_ counter: [UInt8]) { Library.check(gcry_cipher_setctr(handle, counter, counter.count)) }
  func setNonce(_ nonce: [UInt8]) { Library.check(gcry_cipher_setiv(handle, nonce, nonce.count)) }

  /// In place, as `decrypt`.
  func encrypt(_ text: inout [UInt8]) {
    if !text.isEmpty { Library.check(gcry_cipher_encrypt(handle, &text, text.count, nil, 0)) }
  }

  func decrypt(_ text: inout [UInt8]) {
    if !text.isEmpty { Library.check(gcry_cipher_decrypt(handle, &text, text.count, nil, 0)) }
  }

  func tag() -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: AESGaloisCounter.tagLength)
    Library.check(gcry_cipher_gettag(handle, &tag, tag.count))
    return tag
  }

  /// Compares in constant time.
  func isTag(_ tag: [UInt8]) -> Bool { gcry_cipher_checktag(handle, tag, tag.count) == 0 }
}
