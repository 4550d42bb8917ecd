import Ciphers
import Digest
import Hex
import Testing

@testable import Families

/// SRP-6a with the firmware's rules for leading zeros. The device's side here follows RFC 5054 and
/// docs/internals/protocols.md.
@Suite("SRP") struct SRPTests {
  private static func number(_ bytes: [UInt8]) -> Residue { Residue(bytes, modulo: Residue.prime3072) }
  private static func hash(_ parts: [UInt8]...) -> [UInt8] { SHA512(of: parts.flatMap(\.self)).bytes }
  private static func full(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: 384 - bytes.count) + bytes
  }

  /// The device's side: its public key without leading zeros, and its check of the proof.
  private struct Device {
    let salt: [UInt8]
    let privateKey: [UInt8]
    let verifier: Residue

    init(
      _ username: [UInt8], _ password: [UInt8], salt: [UInt8], privateKey: [UInt8], isStripped: Bool = false
    ) {
      (self.salt, self.privateKey) = (salt, privateKey)
      var inner = hash(username, [0x3A], password)
      if isStripped { inner = Array(inner.drop { $0 == 0 }) }
      verifier = number([5]).power(hash(salt, inner))
    }

    var publicKey: [UInt8] {
      (number(hash(Residue.prime3072, full([5]))) * verifier + number([5]).power(privateKey)).bytes
    }

    func secret(_ clientKey: [UInt8]) -> [UInt8] {
      (number(clientKey) * verifier.power(hash(clientKey, full(publicKey)))).power(privateKey).bytes
    }

    func proof(_ username: [UInt8], _ clientKey: [UInt8]) -> [UInt8] {
      let group = zip(hash(Residue.prime3072), hash(full([5]))).map { $0 ^ $1 }
      return hash(group, hash(username), salt, clientKey, publicKey, hash(secret(clientKey)))
    }
  }

  private static let username = Array("wifiprov".utf8)

  private static func key(_ number: Int) -> [UInt8] {
    SHA256(of: Array("key \(number)".utf8)).bytes
  }

  @Test("the constants are those of the firmware")
  func constants() {
    #expect(SRPClient.multiplier.hex().hasPrefix("a9c2e2559bf0ebb53f0cbbf62282906b"))
    #expect(SRPClient.group.hex().hasPrefix("dad76ed5365ed7bf6bbc1bfa05098145"))
    #expect(SRPClient.group.hex().hasSuffix("65889299c61624694"))
    #expect(!SRPClient.group.contains(0))
  }

  /// What has a leading zero; about one key in 256 does. With the number of the first key for which it has one.
  enum Zero: Int, CaseIterable {
    case innerDigest = 10
    case deviceKey = 221
    case secret = 230
    case publicKey = 328
    case proof = 816
  }

  @Test("both sides agree, also when a number begins with zeros", arguments: Zero.allCases)
  func leadingZeros(of what: Zero) throws {
    let client = SRPClient(privateKey: Self.key(what == .deviceKey ? 1 : what.rawValue))
    let password = Array("abcd\(what == .innerDigest ? what.rawValue : 0)".utf8)
    let inner = SRPClient.innerDigest(Self.username, password)
    let device = Device(
      Self.username, password, salt: Array(Self.key(7).prefix(16)),
      privateKey: Self.key(what == .deviceKey ? what.rawValue : 2))
    let session = try #require(
      client.session(
        username: Self.username, innerDigest: inner, salt: device.salt, devicePublicKey: device.publicKey))
    switch what {
    case .innerDigest: #expect(inner[0] == 0)
    case .deviceKey: #expect(device.publicKey.count < 384)
    case .secret: #expect(device.secret(client.publicKey).count < 384)
    case .publicKey: #expect(client.publicKey[0] == 0)
    case .proof: #expect(session.proof[0] == 0)
    }
    #expect(client.publicKey.count == 384)
    #expect(session.proof == device.proof(Self.username, client.publicKey))
    #expect(session.key == Self.hash(device.secret(client.publicKey)))
    #expect(session.expectedProof == Self.hash(client.publicKey, session.proof, session.key))
  }

  @Test("a verifier that a tool made from a digest without its leading zeros is met by that digest")
  func strippedDigest() throws {
    let password = Array("abcd\(Zero.innerDigest.rawValue)".utf8)
    let client = SRPClient(privateKey: Self.key(1))
    let device = Device(
      Self.username, password, salt: [1, 2, 3], privateKey: Self.key(2), isStripped: true)
    let inner = SRPClient.innerDigest(Self.username, password)
    func proof(_ digest: [UInt8]) -> [UInt8]? {
      client.session(
        username: Self.username, innerDigest: digest, salt: [1, 2, 3], devicePublicKey: device.publicKey
      )?.proof
    }
    let expected = device.proof(Self.username, client.publicKey)
    #expect(proof(inner) != expected && proof(Array(inner.drop { $0 == 0 })) == expected)
  }

  @Test("a public key of the device that is no key gives no session")
  func badKeys() {
    let client = SRPClient(privateKey: Self.key(1))
    for key in [[], [0], Residue.prime3072, [1] + Residue.prime3072, [UInt8](repeating: 0, count: 384)] {
      #expect(
        client.session(username: [1], innerDigest: [2], salt: [3], devicePublicKey: key) == nil,
        "\(key.count) bytes")
    }
  }
}
