import Bluetooth
import Ciphers
import EspMessages
import Foundation
import SwiftProtobuf
import Testing
import VirtualTime

@testable import Families

/// The endpoints of an ESP-IDF device, and how it refuses a session.
@Suite("The endpoints of ESP-IDF devices") struct EspEndpointsTests {
  private static let required = ["prov-session", "prov-config", "proto-ver"]
  private static let other: BluetoothUUID = "7E0F0001-5A1B-4C3D-9E2F-A1B2C3D4E5F6"

  /// A service whose characteristics have handles with its letter and a number.
  private static func service(
    _ uuid: BluetoothUUID, _ letter: String, count: Int = 3, access: AttributeAccess = [.read, .write]
  ) -> RemoteService {
    RemoteService(
      uuid: uuid,
      characteristics: (0..<count).map { number in
        RemoteCharacteristic(
          uuid: BluetoothUUID(short: 0xFF50 + UInt16(number)), access: access, handle: "\(letter)\(number)")
      })
  }

  /// A device whose services with these letters have descriptions.
  private static func device(
    _ services: [RemoteService], names: [String] = required, of letters: String = "a",
    _ clock: VirtualClock
  ) -> ScriptedDevice {
    let device = ScriptedDevice(services, clock)
    var descriptions: [String: String] = [:]
    for letter in letters {
      for (number, name) in names.enumerated() { descriptions["\(letter)\(number)"] = name }
    }
    device.describe(descriptions)
    return device
  }

  @Test("known services are looked at before others, and only what can be an endpoint is read")
  func order() async throws {
    try await VirtualTime.run { clock in
      let services = [
        Self.service(Self.other, "b"), Self.service(EspIdf.Service.example, "c", access: [.read]),
        Self.service(EspIdf.Service.early, "a"),
      ]
      let device = Self.device(services, clock)
      let found = try await EspEndpoints.find(over: device, in: EspIdf.Service.all)
      #expect(found.has("prov-config") && !found.has("prov-scan"))
      #expect(device.described == ["a0", "a1", "a2"])
      let unknown = Self.device([Self.service(Self.other, "a")], clock)
      #expect(try await EspEndpoints.find(over: unknown, in: EspIdf.Service.all).has("prov-session"))
    }
  }

  @Test("an endpoint or a service that a device has twice is not guessed")
  func ambiguous() async throws {
    try await VirtualTime.run { clock in
      func code(_ device: ScriptedDevice) async -> CentralError.Code? {
        do throws(CentralError) {
          _ = try await EspEndpoints.find(over: device, in: EspIdf.Service.all)
          return nil
        } catch {
          return error.code
        }
      }
      let library = EspIdf.Service.library
      let names = Self.device(
        [Self.service(library, "a", count: 4)], names: Self.required + ["PROV-SESSION"], clock)
      #expect(await code(names) == .attributeAmbiguous(BluetoothUUID(short: 0xFF53)))
      let services = Self.device([Self.service(library, "a"), Self.service(library, "b")], of: "ab", clock)
      #expect(await code(services) == .attributeAmbiguous(library))
      let one = Self.device([Self.service(library, "a"), Self.service(Self.other, "b")], of: "ab", clock)
      #expect(await code(one) == nil)
    }
  }

  @Test("a device without the endpoints is told from one with BluFi", arguments: [false, true])
  func missing(hasBluFi: Bool) async throws {
    try await VirtualTime.run { clock in
      var early = Self.service(EspIdf.Service.early, "b")
      if hasBluFi {
        early.characteristics += EspIdf.Service.bluFi.map { RemoteCharacteristic(uuid: $0, handle: "\($0)") }
      }
      var other = early
      other.uuid = Self.other
      for service in [early, other] {
        let error = await #expect(throws: CentralError.self) {
          _ = try await EspEndpoints.find(over: Self.device([service], clock), in: EspIdf.Service.all)
        }
        #expect(error?.code == .attributeMissing(EspIdf.Service.library))
        let isBluFi = hasBluFi && service == early
        #expect(error?.stackText?.contains("BluFi") == isBluFi)
      }
    }
  }

  // MARK: Refused credentials

  /// How a device refuses a proof.
  enum Refusal: Sendable {
    case error, end(Disconnection.Cause)
  }

  /// Sets up a session with a device that refuses every proof, and returns how often it was asked.
  private static func refused(
    _ refusal: Refusal, security: Int, proof: String, answer: EspSessionData
  ) async throws -> (text: String?, writes: Int) {
    try await VirtualTime.run { clock in
      let device = Self.device([Self.service(EspIdf.Service.library, "a")], clock)
      let bytes = EspIdf.bytes(of: answer)
      device.onWrite { (device, value) throws(CentralError) in
        device.values[BluetoothUUID(short: 0xFF50)] = bytes
        guard device.writes.count.isMultiple(of: 2) else { return }
        switch refusal {
        case .error: throw CentralError(.att(0x80))
        case .end(let cause):
          device.end(cause)
          throw CentralError(.disconnected)
        }
      }
      let handshake = EspHandshake(
        endpoints: try await EspEndpoints.find(over: device, in: EspIdf.Service.all),
        credentials: EspCredentials(proof: Array(proof.utf8), username: Array("wifiprov".utf8)),
        randomBytes: { [UInt8](repeating: 9, count: $0) })
      do throws(CentralError) {
        guard case .refused(let text) = try await handshake.perform(security, EspVersion([])) else {
          return ("agreed", device.writes.count)
        }
        return (text, device.writes.count)
      } catch {
        return (nil, device.writes.count)
      }
    }
  }

  @Test(
    "a device that ends the link refuses the credentials, an adapter that is lost does not",
    arguments: [
      (.error, "ATT error 128"), (.end(.remote), "the device ended the link"), (.end(.adapterLost), nil),
      (.end(.stackLost), nil),
    ] as [(Refusal, String?)])
  func refusal(_ refusal: Refusal, text: String?) async throws {
    var answer = EspSessionData()
    answer.secVer = 1
    answer.security1.msg = 1
    answer.security1.response0.devicePublicKey = Data(X25519.publicKey(of: [UInt8](repeating: 7, count: 32)))
    answer.security1.response0.deviceRandom = Data(repeating: 3, count: 16)
    let result = try await Self.refused(refusal, security: 1, proof: "abcd1234", answer: answer)
    #expect(result.text == text && result.writes == 2)
  }

  /// The digest of the password `abcd10` begins with a zero.
  @Test(
    "a password whose digest begins with zeros is tried once more without them, if the link is up",
    arguments: [(.error, "abcd10", 4), (.end(.remote), "abcd10", 2), (.error, "abcd0", 2)]
      as [(Refusal, String, Int)])
  func stripped(_ refusal: Refusal, password: String, writes: Int) async throws {
    var answer = EspSessionData()
    answer.secVer = 2
    answer.security2.msg = 1
    answer.security2.response0.devicePublicKey = Data([5])
    answer.security2.response0.salt = Data([1, 2, 3])
    let result = try await Self.refused(refusal, security: 2, proof: password, answer: answer)
    #expect(result.text != nil && result.writes == writes)
  }
}
