import Ciphers
import Digest
import EspMessages
import FoundationEssentials
import SwiftProtobuf

/// The device's side of a session, written after the firmware: SRP-6a's verifier, X25519's other half.
struct EspFirmwareSession: Hashable {
  private let security: Int
  private let proof: [UInt8]
  /// The user name of its verifier.
  private let owner: [UInt8]
  private let counts: Bool
  /// Whether it takes any proof of the client.
  private let trusts: Bool
  /// 96 random bytes: private key, salt or counter, and nonce.
  private let chance: [UInt8]
  private var clientKey: [UInt8] = []
  private var username: [UInt8] = []
  private var key: [UInt8] = []
  /// The number of bytes or messages that were encrypted, in both directions.
  private var position = 0
  private var phase = Phase.new

  private enum Phase: Hashable {
    case new
    /// The first command was answered.
    case begun
    case open
  }

  init(
    security: Int, proof: [UInt8], owner: [UInt8], counts: Bool, trusts: Bool,
    _ generator: inout SeededGenerator
  ) {
    (self.security, self.proof, self.owner) = (security, proof, owner)
    (self.counts, self.trusts) = (counts, trusts)
    chance = (0..<96).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Whether a request begins a handshake.
  static func begins(_ bytes: [UInt8], _ security: Int) -> Bool {
    guard let request = try? EspSessionData(serializedBytes: bytes), request.secVer == security else {
      return false
    }
    switch request.scheme {
    case .security1(let part)?: if case .command0? = part.payload { return part.msg == 0 }
    case .security2(let part)?: if case .command0? = part.payload { return part.msg == 0 }
    case .security0?, nil: break
    }
    return false
  }

  /// The answer to a request of the handshake; nil refuses. As in Espressif's firmware the number of a message decides,
  /// and its part must be the one of that number.
  mutating func handshake(_ bytes: [UInt8]) -> [UInt8]? {
    guard let request = try? EspSessionData(serializedBytes: bytes), request.secVer == security else {
      return nil
    }
    var reply = EspSessionData()
    reply.secVer = UInt32(security)
    let isAnswered: Bool
    switch (security, request.scheme) {
    case (0, _):
      // It looks at nothing but the version.
      reply.security0.msg = 1
      reply.security0.response = .init()
      isAnswered = true
    case (1, .security1(let part)?): isAnswered = answer(part, &reply.security1)
    case (2, .security2(let part)?): isAnswered = answer(part, &reply.security2)
    default: isAnswered = false
    }
    return isAnswered ? try? reply.serializedBytes() : nil
  }

  // MARK: Security 1

  private var privateKey: [UInt8] { Array(chance[..<32]) }

  private mutating func answer(_ part: EspSecurity1, _ reply: inout EspSecurity1) -> Bool {
    let publicKey = X25519.publicKey(of: privateKey)
    switch (part.msg, part.payload) {
    case (0, .command0(let command)?):
      clientKey = [UInt8](command.clientPublicKey)
      guard let secret = X25519.sharedSecret(privateKey, clientKey) else { return false }
      let digest = SHA256(of: proof).bytes
      key = proof.isEmpty ? secret : secret.indices.map { secret[$0] ^ digest[$0] }
      reply.msg = 1
      reply.response0.devicePublicKey = Data(publicKey)
      reply.response0.deviceRandom = Data(chance[32..<48])
      phase = .begun
      return true
    case (2, .command1(let command)?):
      guard phase == .begun else { return false }
      let isProved = stream([UInt8](command.clientVerifyData)) == publicKey
      guard isProved || trusts else { return false }
      reply.msg = 3
      reply.response1.deviceVerifyData = Data(stream(clientKey))
      phase = .open
      return true
    default: return false
    }
  }

  private mutating func stream(_ bytes: [UInt8]) -> [UInt8] {
    var stream = AESCounterStream(key: key, counter: Array(chance[32..<48]))
    _ = stream.apply(to: [UInt8](repeating: 0, count: position))
    position += bytes.count
    return stream.apply(to: bytes)
  }

  // MARK: Security 2

  private static func number(_ bytes: [UInt8]) -> Residue { Residue(bytes, modulo: Residue.prime3072) }
  private static func full(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: 384 - bytes.count) + bytes
  }
  private static func hash(_ parts: [UInt8]...) -> [UInt8] { SHA512(of: parts.flatMap(\.self)).bytes }

  private var salt: [UInt8] { Array(chance[32..<48]) }
  /// v = g^x.
  private var verifier: Residue {
    let inner = Self.hash(owner, [0x3A], proof)
    return Self.number([5]).power(Self.hash(salt, inner))
  }
  /// B = kv + g^b, without leading zeros.
  private var publicKey: [UInt8] {
    let k = Self.hash(Residue.prime3072, Self.full([5]))
    return (Self.number(k) * verifier + Self.number([5]).power(privateKey)).bytes
  }

  private mutating func answer(_ part: EspSecurity2, _ reply: inout EspSecurity2) -> Bool {
    switch (part.msg, part.payload) {
    case (0, .command0(let command)?):
      guard command.clientPublicKey.count == 384, !command.username.isEmpty else { return false }
      (clientKey, username) = ([UInt8](command.clientPublicKey), [UInt8](command.username))
      guard !Self.number(clientKey).isZero else { return false }
      let u = Self.hash(clientKey, Self.full(publicKey))
      // S = (A·v^u)^b
      key = Self.hash((Self.number(clientKey) * verifier.power(u)).power(privateKey).bytes)
      reply.msg = 1
      reply.response0.devicePublicKey = Data(publicKey)
      reply.response0.salt = Data(salt)
      phase = .begun
      return true
    case (2, .command1(let command)?):
      guard phase == .begun else { return false }
      let group = zip(Self.hash(Residue.prime3072), Self.hash(Self.full([5]))).map { $0 ^ $1 }
      let expected = Self.hash(group, Self.hash(username), salt, clientKey, publicKey, key)
      guard [UInt8](command.clientProof) == expected || trusts else { return false }
      reply.msg = 3
      reply.response1.deviceProof = Data(Self.hash(clientKey, expected, key))
      reply.response1.nonce = Data(nonce)
      phase = .open
      return true
    default: return false
    }
  }

  /// Eight random bytes and the number of the next message, from 1.
  private var nonce: [UInt8] {
    let number = UInt32(position + 1)
    let bytes = (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return chance[48..<56] + (counts ? bytes : [0, 0, 0, 1])
  }

  // MARK: Encryption

  mutating func decrypt(_ bytes: [UInt8]) -> [UInt8]? {
    guard phase == .open else { return nil }
    if security == 1 { return stream(bytes) }
    guard let text = AESGaloisCounter(key: Array(key.prefix(32))).open(bytes, nonce: nonce) else {
      return nil
    }
    position += 1
    return text
  }

  mutating func encrypt(_ bytes: [UInt8]) -> [UInt8] {
    if security == 1 { return stream(bytes) }
    defer { position += 1 }
    return AESGaloisCounter(key: Array(key.prefix(32))).seal(bytes, nonce: nonce)
  }
}
