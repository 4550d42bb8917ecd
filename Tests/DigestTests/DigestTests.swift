import Digest
import Hex
import Testing

/// The examples of FIPS 180-4 (csrc.nist.gov, "Examples with Intermediate Values"), and lengths near the block
/// size.
@Suite("SHA-256") struct SHA256Tests {
  @Test(
    "SHA-256 gives the digests of the standard's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func examples(message: String, digest: String) {
    #expect(SHA256(of: Array(message.utf8)).hex == digest)
  }

  @Test(
    "SHA-256 of a part of some bytes is that of these bytes alone",
    arguments: [0..<0, 0..<3, 2..<5, 7..<7, 0..<7])
  func part(range: Range<Int>) {
    let bytes = Array("abcdefg".utf8)
    #expect(SHA256(of: bytes, in: range) == SHA256(of: Array(bytes[range])))
  }

  @Test("a digest is compared with its lower-case hex digits, all of them")
  func hex() {
    let digest = SHA256(of: [1, 2, 3])
    func isHex(_ text: [UInt8]) -> Bool { digest.isHex(text.span) }
    let text = Array(digest.hex.utf8)
    #expect(isHex(text))
    #expect(!isHex(Array(digest.hex.uppercased().utf8)) && !isHex([]) && !isHex(text + text.prefix(1)))
    for index in text.indices {
      var changed = text
      changed[index] ^= 1
      #expect(!isHex(changed))
    }
  }

  @Test("SHA-256 of a million letters `a` is the digest of the standard")
  func million() {
    let digest = SHA256(of: Array(repeating: UInt8(ascii: "a"), count: 1_000_000))
    #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(digest.bytes.count == SHA256.length)
  }

  @Test("SHA-256 gives the same digest from many concurrent tasks")
  func concurrency() async {
    let expected = SHA256(of: [1, 2, 3])
    await withTaskGroup(of: SHA256.self) { group in
      for _ in 0..<64 { group.addTask { SHA256(of: [1, 2, 3]) } }
      for await digest in group { #expect(digest == expected) }
    }
  }
}

/// RFC 4231, section 4.
@Suite("HMAC-SHA-256") struct MessageAuthenticationTests {
  struct Case: Sendable {
    var key: [UInt8]
    var message: [UInt8]
    var code: String

    init(_ key: [UInt8], _ message: String, _ code: String) {
      self.init(key, Array(message.utf8), code)
    }

    init(_ key: [UInt8], _ message: [UInt8], _ code: String) {
      self.key = key
      self.message = message
      self.code = code
    }
  }

  static let cases = [
    Case(
      Array(repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Case(
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Case(
      Array(repeating: 0xaa, count: 20), Array(repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Case(
      Array(1...25), Array(repeating: 0xcd, count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Case(
      Array(repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Case(
      Array(repeating: 0xaa, count: 131),
      "This is a test using a larger than block-size key and a larger than block-size data. "
        + "The key needs to be hashed before being used by the HMAC algorithm.",
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test("HMAC-SHA-256 gives the codes of RFC 4231", arguments: cases)
  func vectors(_ vector: Case) {
    #expect(AuthenticationKey(vector.key).code(for: vector.message).hex() == vector.code)
  }

  @Test("HMAC-SHA-256 truncated to 128 bits matches test case 5 of RFC 4231")
  func truncated() {
    let code = AuthenticationKey(Array(repeating: 0x0c, count: 20)).code(
      for: Array("Test With Truncation".utf8))
    #expect(code.prefix(16).hex() == "a3b6167473100ee06e0c796c2955552b")
  }

  @Test("HMAC-SHA-256 of an empty message is correct")
  func empty() {
    let code = AuthenticationKey(Array("key".utf8)).code(for: [])
    #expect(code.hex() == "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0")
  }

  @Test("an authentication key is never printed")
  func secrecy() {
    let key = AuthenticationKey([0x53, 0x45, 0x43])
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key) \(String(reflecting: key)) \(dumped)".contains("83") == false)
  }
}
