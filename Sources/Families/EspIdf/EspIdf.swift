package import Bluetooth
import FoundationEssentials
import Hex
package import Model
package import Session
import SwiftProtobuf

extension DeviceFamily {
  /// Espressif's unified provisioning over BLE (docs/internals/protocols.md, "ESP-IDF provisioning"): a device that joins a
  /// WiFi network, and reports over the link that it has an address there. It advertises only until then.
  package static let espIDF = DeviceFamily(
    id: "esp-idf", title: "ESP-IDF device",
    words: DeviceWords(
      noun: "device", makeItWait: "reset it to its factory settings (usually by holding its button)",
      stillWaiting: "If it still waits for provisioning", notWaiting: "If it has joined a network before",
      serviceMissing:
        "It does not have the endpoints of Espressif's provisioning: check that the room has the right `profile` and address.",
      toPair: "set `pairing: just_works` for its room"
    ),
    service: EspIdf.Service.library,
    // The name is in the scan response only. A device that is done advertises nothing. The early service is no sign of
    // it: BluFi and others have it, too.
    recognition: [
      RecognitionRule(.waiting, .service(EspIdf.Service.library)),
      RecognitionRule(.waiting, .service(EspIdf.Service.example)),
      RecognitionRule(.waiting, .namePrefix(EspIdf.namePrefix)),
    ],
    lifecycle: .provisioningMode,
    proof: .status,
    settings: [
      .init(
        .wifiSSID, "WiFi name", short: "WiFi", .text(bytes: 1...32), isRequired: true,
        documentation: "WiFi network to join. UTF-8."),
      .init(
        .wifiPassword, "WiFi password", short: "password", .wifiPassphrase, isRequired: true,
        documentation: "Passphrase of the WiFi network; empty for an open one. UTF-8, at most 63 bytes."),
    ],
    access: [
      .init(
        .proofOfPossession, "proof of possession", .secret(.text(bytes: 0...64)), isRequired: true,
        isShareable: true, isOnLabel: true,
        documentation:
          "Secret on its label that lets it be provisioned, and the password of security 2; \"\" if it has none."
      ),
      .init(
        .username, "user name", .secret(.text(bytes: 0...64)), isRequired: false, isShareable: true,
        isOnLabel: true,
        documentation:
          "User name of security 2, which its sessions must then have; wifiprov if absent or empty."),
      .init(
        .security, "lowest security", .integer(0...2), isRequired: false, isShareable: true,
        documentation:
          "Lowest security of its sessions. If absent: 2 with a user name, else 1, or the one that a session with the device had before. With 0 the WiFi password may cross the air unencrypted."
      ),
      .init(
        .pairing, "pairing",
        .choice([
          SettingChoice(PairingDemand.unneeded.rawValue, meaning: "no pairing", code: 0),
          SettingChoice(PairingDemand.justWorks.rawValue, meaning: "Just Works", code: 1),
          SettingChoice(
            PairingDemand.ifAsked.rawValue, meaning: "Just Works once it demands that", code: 2),
        ]), isRequired: false, isShareable: true,
        documentation:
          "How a product is paired whose firmware demands an encrypted link; none if absent. Just Works protects against nobody who listens at that moment."
      ),
      .init(
        .service, "service", .uuid(except: [.zero]), isRequired: false, isShareable: true,
        documentation: "Service of this product, if it is none of Espressif's."),
      EspIdf.Endpoint.ofProduct,
    ],
    security: EspIdf.security,
    // All of them are found by their descriptions.
    characteristics: [],
    stages: [.search, .connect, .discover, .ready, .read, .write, .save],
    // It scans for networks and joins one within these; both are not documented [assumed].
    timeouts: TimeoutRule(
      StageTimeouts(ready: .seconds(20), read: .seconds(30), save: .seconds(60))),
    listsNetworks: true)
}

extension FamilyDriver {
  package static let espIDF = FamilyDriver(
    .espIDF, configure: EspIdf.configure, readLabel: EspIdf.readLabel,
    // As in Espressif's examples: the last three bytes of the station's address.
    nameOfAddress: { EspIdf.namePrefix + $0.bytes.suffix(3).hex(uppercase: true) })
}

/// The names of Espressif's unified provisioning.
package enum EspIdf {
  package enum Service {
    /// The library's default.
    package static let library: BluetoothUUID = "1775244D-6B43-439B-877C-060F2D9BED07"
    /// That of Espressif's example, the commonest.
    package static let example: BluetoothUUID = "021A9004-0382-4AEA-BFF4-6B3F1C5ADFB4"
    /// The default until 2020, and the service of BluFi, Espressif's other protocol for the same purpose.
    package static let early = BluetoothUUID(short: 0xFFFF)
    /// The characteristics of BluFi there (`esp_blufi.h`).
    static let bluFi: Set = [BluetoothUUID(short: 0xFF01), BluetoothUUID(short: 0xFF02)]

    package static let all = [library, example, early]
  }

  /// The beginning of the name in Espressif's example.
  package static let namePrefix = "PROV_"

  enum Endpoint {
    static let session = "prov-session"
    static let config = "prov-config"
    static let version = "proto-ver"
    static let scan = "prov-scan"
    static let control = "prov-ctrl"

    /// Those of every firmware.
    static let required = [session, config, version]

    /// What the manifest gives for endpoints of the product. Bluedroid takes 481 bytes, with the tag of security 2.
    static let ofProduct = SettingDescription(
      "endpoints", "endpoint", .secretBytes(1...465), isRequired: false, isShareable: true,
      reservedNames: [session, config, version, scan, control],
      documentation:
        "Values for the product's own endpoints, by their names. Each is sent, encrypted, before the network is applied: its text, or after hex: bytes in hexadecimal."
    )
  }

  static let security = SecurityRule(
    .security, usual: 1, ofStrongest: .username, strongest: 2, secret: .proofOfPossession)

  static let defaultUsername = "wifiprov"

  /// The bytes of a message. Encoding can only fail for required fields, which proto3 does not have.
  static func bytes(of message: some SwiftProtobuf.Message) -> [UInt8] {
    guard let bytes: [UInt8] = try? message.serializedBytes() else { preconditionFailure("not encodable") }
    return bytes
  }

  static func message<Message: SwiftProtobuf.Message>(
    _ bytes: [UInt8]
  ) throws(CentralError) -> Message {
    do {
      return try Message(serializedBytes: bytes)
    } catch {
      throw CentralError(.other, stackText: "the device's answer cannot be decoded")
    }
  }
}

extension Identifier<SettingDescription> {
  package static var proofOfPossession: Self { "pop" }
  package static var username: Self { "username" }
  /// The lowest security that a room accepts.
  package static var security: Self { "security" }
}
