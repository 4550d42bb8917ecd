import Bluetooth
package import Ciphers
import EspMessages
import SwiftProtobuf
import Synchronization

/// The encryption that a handshake agreed on.
package enum EspCipher: Sendable {
  /// Security 0.
  case none
  /// Security 1.
  case stream(AESCounterStream)
  /// Security 2: the nonce of the next message, whose last four bytes may count.
  case sealed(AESGaloisCounter, nonce: [UInt8], counts: Bool)

  package mutating func encrypt(_ text: [UInt8]) -> [UInt8] {
    switch self {
    case .none: return text
    case .stream(var stream):
      defer { self = .stream(stream) }
      return stream.apply(to: text)
    case .sealed(let cipher, let nonce, let counts):
      self = .sealed(cipher, nonce: counts ? nonce.counted : nonce, counts: counts)
      return cipher.seal(text, nonce: nonce)
    }
  }

  /// Nil for what the other side did not encrypt.
  package mutating func decrypt(_ bytes: [UInt8]) -> [UInt8]? {
    guard case .sealed(let cipher, let nonce, let counts) = self else { return encrypt(bytes) }
    guard let text = cipher.open(bytes, nonce: nonce) else { return nil }
    self = .sealed(cipher, nonce: counts ? nonce.counted : nonce, counts: counts)
    return text
  }
}

extension [UInt8] {
  /// A nonce with the next number in its last four bytes, the most significant first.
  fileprivate var counted: [UInt8] {
    var bytes = self
    for place in indices.suffix(4).reversed() {
      bytes[place] &+= 1
      if bytes[place] != 0 { break }
    }
    return bytes
  }
}

/// The endpoints of a device over a link: a request is written, and its answer is read from the same
/// characteristic.
struct EspEndpoints: Sendable {
  let link: any Peripheral
  /// The characteristics, by the names in their descriptions, in lower case.
  private let characteristics: [String: RemoteCharacteristic]

  /// Finds the endpoints by the descriptions of the characteristics. A service is the right one if it has those of
  /// every firmware.
  /// - Throws: `attributeMissing` without such a service.
  static func find(
    over link: any Peripheral, in services: [BluetoothUUID]
  ) async throws(CentralError) -> EspEndpoints {
    let all = try await link.allServices()
    // A characteristic without a description takes time, so the known services come first.
    let known = services.flatMap { uuid in all.filter { $0.uuid == uuid } }
    for service in known + all.filter({ !services.contains($0.uuid) }) {
      var found: [String: RemoteCharacteristic] = [:]
      for characteristic in service.characteristics
      where characteristic.access.isSuperset(of: [.read, .write]) {
        let text: [UInt8]
        do throws(CentralError) {
          text = try await link.readDescriptor(.userDescription, of: characteristic)
        } catch {
          guard case .attributeMissing = error.code else { throw error }
          continue
        }
        let name = String(decoding: text, as: UTF8.self).lowercased()
        guard found.updateValue(characteristic, forKey: name) == nil else {
          throw CentralError(.attributeAmbiguous(characteristic.uuid), stackText: "two endpoints are \(name)")
        }
      }
      if EspIdf.Endpoint.required.allSatisfy({ found[$0] != nil }) {
        guard all.count(where: { $0.uuid == service.uuid }) == 1 else {
          throw CentralError(.attributeAmbiguous(service.uuid), stackText: "two services are \(service.uuid)")
        }
        return EspEndpoints(link: link, characteristics: found)
      }
    }
    let isBluFi = all.contains {
      $0.uuid == EspIdf.Service.early && EspIdf.Service.bluFi.isSubset(of: $0.characteristics.map(\.uuid))
    }
    throw CentralError(
      .attributeMissing(services[0]),
      stackText: isBluFi ? "it has BluFi, which is not supported" : "no service has the endpoint prov-session"
    )
  }

  func has(_ name: String) -> Bool { characteristics[name] != nil }

  /// - Throws: what the write throws; then nothing was read, because the old answer may still be there.
  func exchange(_ name: String, _ request: [UInt8]) async throws(CentralError) -> [UInt8] {
    guard let characteristic = characteristics[name] else {
      throw CentralError(.other, stackText: "the device has no endpoint \(name)")
    }
    try await link.write(request, to: characteristic, .withResponse)
    return try await link.read(characteristic)
  }
}

/// A message of an endpoint whose answers have the number after that of the request.
protocol EspNumberedMessage: SwiftProtobuf.Message {
  var msg: UInt32 { get }
}

extension EspConfigMessage: EspNumberedMessage {}
extension EspScanMessage: EspNumberedMessage {}
extension EspControlMessage: EspNumberedMessage {}

/// The endpoints of a device in an encrypted session.
final class EspChannel: Sendable {
  let endpoints: EspEndpoints
  private let cipher: Mutex<EspCipher>

  init(_ endpoints: EspEndpoints, _ cipher: EspCipher) {
    self.endpoints = endpoints
    self.cipher = Mutex(cipher)
  }

  func exchange(_ name: String, _ request: [UInt8]) async throws(CentralError) -> [UInt8] {
    let answer = try await endpoints.exchange(name, cipher.withLock { $0.encrypt(request) })
    guard let text = cipher.withLock({ $0.decrypt(answer) }) else {
      throw CentralError(.other, stackText: "the answer of \(name) is not authentic")
    }
    return text
  }

  /// The answer to a message: it has the next number.
  func exchange<Message: EspNumberedMessage>(
    _ name: String, _ request: Message
  ) async throws(CentralError) -> Message {
    let answer: Message = try EspIdf.message(try await exchange(name, EspIdf.bytes(of: request)))
    guard answer.msg == request.msg + 1 else { throw Self.noAnswer(of: name) }
    return answer
  }

  static func noAnswer(of name: String) -> CentralError {
    CentralError(.other, stackText: "the answer of \(name) cannot be read")
  }
}
