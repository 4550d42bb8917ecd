import Bluetooth
import Ciphers
import Digest
import EspMessages
import FoundationEssentials
import Model
import SwiftProtobuf

struct EspCredentials: Sendable {
  /// The proof of possession: with security 2 the password. Empty for a device without one.
  let proof: [UInt8]
  let username: [UInt8]
}

/// Sets up a session. Nothing that fails here has changed the device.
struct EspHandshake: Sendable {
  let endpoints: EspEndpoints
  let credentials: EspCredentials
  let randomBytes: @Sendable (Int) -> [UInt8]

  /// The result: the encryption, or the device's refusal of the credentials.
  enum Result: Sendable {
    case agreed(EspCipher)
    case refused(String)
  }

  func perform(_ security: Int, _ version: EspVersion) async throws(CentralError) -> Result {
    switch security {
    case 0: try await plain()
    case 1: try await curve(version)
    case 2: try await password(version)
    default: throw CentralError(.other, stackText: "the device wants security \(security), which is unknown")
    }
  }

  // MARK: Security 0

  private func plain() async throws(CentralError) -> Result {
    var request = EspSessionData()
    request.security0.command = .init()
    guard case .security0(let answer)? = try await send(request).scheme,
      case .response(let response)? = answer.payload, answer.msg == 1, response.status == .success
    else { throw Self.unexpected }
    return .agreed(.none)
  }

  // MARK: Security 1

  private func curve(_ version: EspVersion) async throws(CentralError) -> Result {
    if version.needsNoProof, !credentials.proof.isEmpty {
      return .refused("the device has no proof of possession")
    }
    let privateKey = randomBytes(X25519.keyLength)
    let publicKey = X25519.publicKey(of: privateKey)
    var request = EspSessionData()
    request.secVer = 1
    request.security1.command0.clientPublicKey = Data(publicKey)
    guard case .security1(let answer)? = try await send(request).scheme,
      case .response0(let response)? = answer.payload, answer.msg == 1, response.status == .success,
      response.deviceRandom.count == 16,
      var key = X25519.sharedSecret(privateKey, [UInt8](response.devicePublicKey))
    else { throw Self.unexpected }
    if !credentials.proof.isEmpty {
      key = zip(key, SHA256(of: credentials.proof).bytes).map { $0 ^ $1 }
    }
    var stream = AESCounterStream(key: key, counter: [UInt8](response.deviceRandom))
    var proof = EspSessionData()
    proof.secVer = 1
    proof.security1.msg = 2
    proof.security1.command1.clientVerifyData = Data(stream.apply(to: [UInt8](response.devicePublicKey)))
    let reply: EspSessionData
    switch try await prove(proof) {
    case .answered(let answer): reply = answer
    case .refused(let text, _): return .refused(text)
    }
    guard case .security1(let last)? = reply.scheme, case .response1(let verified)? = last.payload,
      last.msg == 3, verified.status == .success
    else { throw Self.unexpected }
    guard stream.apply(to: [UInt8](verified.deviceVerifyData)) == publicKey else { return Self.impostor }
    return .agreed(.stream(stream))
  }

  // MARK: Security 2

  private func password(_ version: EspVersion) async throws(CentralError) -> Result {
    let digest = SRPClient.innerDigest(credentials.username, credentials.proof)
    let (result, isLinked) = try await password(version, digest)
    // Espressif's tool makes verifiers from the digest without its leading zeros.
    let stripped = Array(digest.drop { $0 == 0 })
    guard case .refused = result, isLinked, stripped.count < digest.count else { return result }
    return try await password(version, stripped).0
  }

  /// - Returns: the result, and whether the link is up after a refusal.
  private func password(
    _ version: EspVersion, _ innerDigest: [UInt8]
  ) async throws(CentralError) -> (Result, isLinked: Bool) {
    let client = SRPClient(privateKey: randomBytes(32))
    var request = EspSessionData()
    request.secVer = 2
    request.security2.command0.username = Data(credentials.username)
    request.security2.command0.clientPublicKey = Data(client.publicKey)
    guard case .security2(let answer)? = try await send(request).scheme,
      case .response0(let response)? = answer.payload, answer.msg == 1, response.status == .success,
      let session = client.session(
        username: credentials.username, innerDigest: innerDigest, salt: [UInt8](response.salt),
        devicePublicKey: [UInt8](response.devicePublicKey))
    else { throw Self.unexpected }
    var proof = EspSessionData()
    proof.secVer = 2
    proof.security2.msg = 2
    proof.security2.command1.clientProof = Data(session.proof)
    let reply: EspSessionData
    switch try await prove(proof) {
    case .answered(let answer): reply = answer
    case .refused(let text, let isLinked): return (.refused(text), isLinked)
    }
    guard case .security2(let last)? = reply.scheme, case .response1(let verified)? = last.payload,
      last.msg == 3, verified.status == .success, verified.nonce.count >= 12
    else { throw Self.unexpected }
    guard [UInt8](verified.deviceProof) == session.expectedProof else { return (Self.impostor, true) }
    let cipher = AESGaloisCounter(key: Array(session.key.prefix(32)))
    return (
      .agreed(.sealed(cipher, nonce: [UInt8](verified.nonce), counts: version.countsMessages)), true
    )
  }

  // MARK: Messages

  private static let unexpected = CentralError(.other, stackText: "the answer of prov-session cannot be read")
  private static let impostor = Result.refused("the device does not prove that it has the credentials")

  private func send(_ request: EspSessionData) async throws(CentralError) -> EspSessionData {
    try EspIdf.message(try await endpoints.exchange(EspIdf.Endpoint.session, EspIdf.bytes(of: request)))
  }

  private enum Reply {
    case answered(EspSessionData)
    case refused(String, isLinked: Bool)
  }

  /// Sends the proof of the credentials. The device refuses it by an ATT error, or by ending the link (Bluedroid).
  private func prove(_ request: EspSessionData) async throws(CentralError) -> Reply {
    do throws(CentralError) {
      return .answered(try await send(request))
    } catch {
      switch error.code {
      case .att(let code): return .refused("ATT error \(code)", isLinked: true)
      case .disconnected:
        // An adapter that is lost ends its links, too.
        guard await endpoints.link.disconnection()?.cause == .remote else { throw error }
        return .refused("the device ended the link", isLinked: false)
      default: throw error
      }
    }
  }
}
