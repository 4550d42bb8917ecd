import Hex
import Testing

@testable import Ciphers

/// The vectors of the specifications.
@Suite("Ciphers") struct CiphersTests {
  @Test(
    "AES-256 in counter mode, whole and in pieces (NIST SP 800-38A F.5.5)", arguments: [64, 16, 15, 7, 1])
  func counterMode(piece: Int) throws {
    var stream = AESCounterStream(
      key: bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
      counter: bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    let text = bytes(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52ef"
        + "f69f2445df4f9b17ad2b417be66c3710")
    var result: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: piece) {
      result += stream.apply(to: Array(text[start..<min(start + piece, text.count)]))
    }
    #expect(
      result.hex()
        == "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988d"
        + "dfc9c58db67aada613c2dd08457941a6")
    #expect(stream.apply(to: []) == [])
  }

  @Test("the counter carries over all bytes")
  func carry() {
    let key = [UInt8](repeating: 7, count: 32)
    var across = AESCounterStream(key: key, counter: [UInt8](repeating: 0xFF, count: 16))
    let whole = across.apply(to: [UInt8](repeating: 0, count: 32))
    var next = AESCounterStream(key: key, counter: [UInt8](repeating: 0, count: 16))
    #expect(Array(whole.suffix(16)) == next.apply(to: [UInt8](repeating: 0, count: 16)))
    #expect(across.apply(to: [0]) == { next.apply(to: [0]) }())
  }

  @Test("AES-256-GCM (the test cases of McGrew and Viega's submission, 15 and 13)")
  func galois() {
    let cipher = AESGaloisCounter(
      key: bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
    let nonce = bytes("cafebabefacedbaddecaf888")
    let text = bytes(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b391aafd255")
    let sealed = cipher.seal(text, nonce: nonce)
    #expect(
      sealed.hex()
        == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        + "c5f61e6393ba7a0abcc9f662898015ad" + "b094dac5d93471bdec1a502270e3cc6c")
    #expect(cipher.open(sealed, nonce: nonce) == text)
    for index in [0, 63, 64, 79] {
      var forged = sealed
      forged[index] ^= 1
      #expect(cipher.open(forged, nonce: nonce) == nil)
    }
    #expect(cipher.open(Array(sealed.prefix(15)), nonce: nonce) == nil)
    let empty = AESGaloisCounter(key: [UInt8](repeating: 0, count: 32))
    #expect(
      empty.seal([], nonce: [UInt8](repeating: 0, count: 12)).hex() == "530f8afbc74536b9a963b4f1c4cb738b")
  }

  @Test("X25519 (RFC 7748 5.2 and 6.1)")
  func curve() {
    #expect(
      X25519.sharedSecret(
        bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
        bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))?.hex()
        == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
    let alice = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    let bob = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    #expect(
      X25519.publicKey(of: alice).hex() == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    #expect(
      X25519.publicKey(of: bob).hex() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    let secret = X25519.sharedSecret(alice, X25519.publicKey(of: bob))
    #expect(secret?.hex() == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(secret == X25519.sharedSecret(bob, X25519.publicKey(of: alice)))
  }

  @Test("a public key that gives no secret, or none at all, is refused")
  func smallOrder() {
    let key = [UInt8](repeating: 3, count: 32)
    #expect(X25519.sharedSecret(key, [UInt8](repeating: 0, count: 32)) == nil)
    #expect(X25519.sharedSecret(key, [1] + [UInt8](repeating: 0, count: 31)) == nil)
    #expect(X25519.sharedSecret(key, [UInt8](repeating: 9, count: 31)) == nil)
    #expect(X25519.sharedSecret(key, []) == nil)
  }

  @Test("arithmetic modulo a number")
  func residues() {
    func residue(_ number: UInt8) -> Residue { Residue([0, number], modulo: [97]) }
    #expect(residue(5).power([96]).bytes == [1])
    #expect((residue(3) - residue(5)).bytes == [95])
    #expect((residue(60) + residue(60)).bytes == [23])
    #expect((residue(60) * residue(60)).bytes == [11])
    #expect(residue(97).isZero && residue(97).bytes == [] && !residue(98).isZero)
    #expect(Residue([], modulo: [97]).isZero)
    #expect(residue(5).power([]).bytes == [1])
  }
}

private func bytes(_ hex: String) -> [UInt8] {
  guard let bytes = [UInt8](hex: hex) else { preconditionFailure("not hexadecimal") }
  return bytes
}
