import Ciphers
import Digest

/// The client's side of SRP-6a (RFC 5054, with SHA-512 and the group of 3072 bits) as the firmware computes it
/// (docs/internals/protocols.md, "Security 2"): it pads what goes into k and u, and strips leading zeros from S and from B on
/// the wire.
package struct SRPClient: Sendable {
  /// The bytes of the prime.
  package static let length = 384
  private static let prime = Residue.prime3072
  private static let generator: [UInt8] = [5]
  /// k = H(N ‖ g), both in full length.
  static let multiplier = SHA512(of: prime + padded(generator)).bytes
  /// H(N) xor H(g), in full length.
  static let group = zip(SHA512(of: prime).bytes, SHA512(of: padded(generator)).bytes).map { $0 ^ $1 }

  private let privateKey: [UInt8]
  /// A, in full length.
  package let publicKey: [UInt8]

  /// What both sides know after the exchange.
  package struct Session: Sendable {
    /// K, 64 bytes.
    package let key: [UInt8]
    /// M1, which proves the credentials to the device.
    package let proof: [UInt8]
    /// M2, with which the device proves them.
    package let expectedProof: [UInt8]
  }

  /// - Parameter privateKey: a: at least 32 random bytes.
  package init(privateKey: [UInt8]) {
    self.privateKey = privateKey
    publicKey = Self.padded(Self.number(Self.generator).power(privateKey).bytes)
  }

  /// H(username ‖ ":" ‖ password).
  package static func innerDigest(_ username: [UInt8], _ password: [UInt8]) -> [UInt8] {
    SHA512(of: username + [UInt8(ascii: ":")] + password).bytes
  }

  /// The session with a device that sent this salt and public key; nil if the key is none.
  /// - Parameter innerDigest: Of these credentials. A tool that made a device's verifier may have stripped its
  ///   leading zeros.
  package func session(
    username: [UInt8], innerDigest: [UInt8], salt: [UInt8], devicePublicKey: [UInt8]
  ) -> Session? {
    guard devicePublicKey.count <= Self.length else { return nil }
    let deviceKey = Self.number(devicePublicKey)
    let scrambler = SHA512(of: publicKey + Self.padded(devicePublicKey)).bytes
    guard !deviceKey.isZero, scrambler.contains(where: { $0 != 0 }) else { return nil }
    let x = SHA512(of: salt + innerDigest).bytes
    let base = deviceKey - Self.number(Self.multiplier) * Self.number(Self.generator).power(x)
    // (B - k·g^x)^(a + u·x)
    let secret = base.power(privateKey) * base.power(x).power(scrambler)
    let key = SHA512(of: secret.bytes).bytes
    let proof = SHA512(
      of: Self.group + SHA512(of: username).bytes + salt + publicKey + devicePublicKey + key
    ).bytes
    return Session(key: key, proof: proof, expectedProof: SHA512(of: publicKey + proof + key).bytes)
  }

  private static func number(_ bytes: [UInt8]) -> Residue { Residue(bytes, modulo: prime) }

  /// The bytes of a number, in the length of the prime.
  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: max(0, length - bytes.count)) + bytes
  }
}
