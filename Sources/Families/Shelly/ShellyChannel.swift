import Bluetooth
import Digest
import FoundationEssentials
import Hex
import Model
import Synchronization

/// What a device answered to a request.
enum ShellyReply<Value: Sendable>: Sendable {
  /// Nil for methods that only do something.
  case result(Value?)
  case refused(ShellyAnswer.Refusal)
  /// It demands the password of its user, and refused that of the room, if there is one.
  case unauthorised
  /// Its answer came, and cannot be read: BlueZ cuts each read at 512 bytes.
  case unreadable

  var value: Value? { if case .result(let value) = self { value } else { nil } }
}

/// The requests to a device over a link, one after the other, and the proof of the password if it demands that.
final class ShellyChannel: Sendable {
  let link: ShellyLink
  private let password: String?
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let state = Mutex<State>(State())

  private struct State {
    var requests = 0
    var challenge: ShellyChallenge?
  }

  /// How long the device may take for an answer; for a scan, which takes up to 20 s.
  private static let patience = Duration.seconds(8)
  private static let scanPatience = Duration.seconds(35)

  init(_ link: ShellyLink, password: String?, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
    (self.link, self.password, self.randomBytes) = (link, password, randomBytes)
  }

  /// Sends a request and returns its answer. Other frames are skipped: notifications, and late answers.
  /// - Throws: `timedOut` without an answer.
  func call<Value: Decodable & Sendable>(
    _ method: String, _ params: ShellyValue? = nil, as _: Value.Type = ShellyRestart.self,
    within limit: Duration = patience
  ) async throws(CentralError) -> ShellyReply<Value> {
    let reply: ShellyReply<Value> = try await exchange(method, params, limit)
    guard case .refused(let first) = reply, first.code == ShellyChallenge.code else { return reply }
    // It has no challenge yet, or the last one is too old.
    guard password != nil, let challenge = ShellyChallenge(first.message) else { return .unauthorised }
    state.withLock { $0.challenge = challenge }
    let second: ShellyReply<Value> = try await exchange(method, params, limit)
    if case .refused(let refusal) = second, refusal.code == ShellyChallenge.code { return .unauthorised }
    return second
  }

  private func exchange<Value: Decodable & Sendable>(
    _ method: String, _ params: ShellyValue?, _ limit: Duration
  ) async throws(CentralError) -> ShellyReply<Value> {
    let client = randomBytes(16).hex()
    let (id, authentication) = state.withLock { state in
      state.requests += 1
      return (state.requests, password.flatMap { state.challenge?.answer($0, client) })
    }
    try await link.send(
      ShellyRequest(id: id, method: method, params: params, auth: authentication).bytes)
    while let frame = try await link.receive(within: limit) {
      guard let answer = ShellyAnswer(frame) else { return .unreadable }
      guard answer.id == id else { continue }
      if let refusal = answer.refusal { return .refused(refusal) }
      guard let result = try? JSONDecoder().decode(ShellyResult<Value>.self, from: Data(frame)) else {
        return .unreadable
      }
      return .result(result.result)
    }
    throw CentralError(.timedOut, stackText: "no answer to \(method)")
  }

  /// The networks that the device receives; nil without a list that can be read.
  func networks() async throws(CentralError) -> WiFiScan? {
    let scan: ShellyReply<ShellyScan>
    do throws(CentralError) {
      scan = try await call("WiFi.Scan", as: ShellyScan.self, within: Self.scanPatience)
    } catch {
      guard error.code == .timedOut else { throw error }
      // Its answer may come yet, and would hold up the next one.
      try await link.drain()
      return WiFiScan(networks: [], extent: .cut)
    }
    switch scan {
    case .result(let scan?):
      let networks = scan.results.map { FoundNetwork(ssid: $0.ssid ?? "", rssi: $0.rssi) }
      let read = networks.filter {
        $0.ssid.utf8.count <= FoundNetwork.mostBytes && FoundNetwork.possibleRSSI.contains($0.rssi)
      }
      return WiFiScan(networks: read, unreadable: networks.count - read.count, extent: .whole)
    case .unreadable: return WiFiScan(networks: [], extent: .cut)
    case .result(nil), .refused, .unauthorised: return nil
    }
  }
}

/// What a device demands as the proof of its password (RFC 7616 with SHA-256, as Shelly uses it).
struct ShellyChallenge: Sendable {
  static let code = 401
  static let user = "admin"
  private static let algorithm = "SHA-256"

  private let realm: String
  private let nonce: Int
  private var count: Int

  private struct Content: Decodable {
    let realm: String
    let nonce: Int
    let nc: Int?
    let algorithm: String?
  }

  /// By the message of a refusal, which is JSON itself; nil for another one.
  init?(_ message: String) {
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(message.utf8)),
      content.algorithm ?? Self.algorithm == Self.algorithm
    else { return nil }
    // Each request counts up.
    let last = max(0, (content.nc ?? 1) &- 1)
    (realm, nonce, count) = (content.realm, content.nonce, min(last, 1 << 30))
  }

  mutating func answer(_ password: String, _ client: String) -> ShellyAuthentication {
    count += 1
    let secret = Self.digest([Self.user, realm, password])
    let request = Self.digest(["dummy_method", "dummy_uri"])
    let response = Self.digest([secret, "\(nonce)", "\(count)", client, "auth", request])
    return ShellyAuthentication(
      realm: realm, username: Self.user, nonce: nonce, nc: count, cnonce: client, response: response,
      algorithm: Self.algorithm)
  }

  /// What a device keeps of a password.
  static func secret(_ password: String, in realm: String) -> String { digest([user, realm, password]) }

  private static func digest(_ parts: [String]) -> String {
    SHA256(of: Array(parts.joined(separator: ":").utf8)).hex
  }
}

struct ShellyAuthentication: Encodable, Sendable {
  let realm: String
  let username: String
  let nonce: Int
  let nc: Int
  let cnonce: String
  let response: String
  let algorithm: String
}
