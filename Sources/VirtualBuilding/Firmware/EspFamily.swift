package import Bluetooth
import Model

/// The names and numbers of a device with Espressif's provisioning, defined independently of the engine's profile.
package enum EspGATT {
  package static let localName = "PROV_A1B2C3"
  /// That of Espressif's example.
  package static let service: BluetoothUUID = "021A9004-0382-4AEA-BFF4-6B3F1C5ADFB4"
  /// A product's own.
  package static let ownService: BluetoothUUID = "7E0F0001-5A1B-4C3D-9E2F-A1B2C3D4E5F6"
  static let bluFiService = BluetoothUUID(short: 0xFFFF)
  static let bluFiWrite = BluetoothUUID(short: 0xFF01)
  static let bluFiRead = BluetoothUUID(short: 0xFF02)
  /// Espressif's endpoints, by their descriptions.
  private static let ofLibrary: [(name: String, number: UInt16)] = [
    ("prov-ctrl", 0xFF4F), ("prov-scan", 0xFF50), ("prov-session", 0xFF51), ("prov-config", 0xFF52),
    ("proto-ver", 0xFF53),
  ]

  /// The endpoints of a device with this label, by their descriptions. A product has those of its own that its label
  /// names, which take any bytes.
  static func endpoints(
    _ label: [String: String], of service: BluetoothUUID
  ) -> [(name: String, uuid: BluetoothUUID)] {
    var all = ofLibrary
    for (index, key) in label.keys.filter({ $0.hasPrefix(ofProduct) }).sorted().enumerated() {
      all.append((String(key.dropFirst(ofProduct.count)), UInt16(truncatingIfNeeded: 0xFF54 + index)))
    }
    return all.map { ($0.name, uuid($0.number, of: service)) }
  }

  /// The characteristic of an endpoint: its number replaces the third and the fourth byte of the service.
  private static func uuid(_ number: UInt16, of service: BluetoothUUID) -> BluetoothUUID {
    var bytes = service.bytes
    bytes.replaceSubrange(2..<4, with: [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
    return BluetoothUUID(bytes: bytes) ?? service
  }

  /// What the manifest gives for the product's endpoints of a room's device, by their names.
  static func productValues(of room: Room) -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for (name, value) in room.access where name.rawValue.hasPrefix(ofProduct) {
      guard case .secret(let secret) = value else { continue }
      values[String(name.rawValue.dropFirst(ofProduct.count))] = secret.bytes
    }
    return values
  }

  /// How manifests, and so labels, name what they have for a product's own endpoints.
  package static let ofProduct = "endpoints."

  // What encrypted writes say, as if each had a characteristic of its own.
  package static let ssid: BluetoothUUID = "021A9004-0382-4AEA-BFF4-000000000001"
  package static let passphrase: BluetoothUUID = "021A9004-0382-4AEA-BFF4-000000000002"
  package static let apply: BluetoothUUID = "021A9004-0382-4AEA-BFF4-000000000003"
  package static let reset: BluetoothUUID = "021A9004-0382-4AEA-BFF4-000000000004"

  /// The credentials of every virtual device.
  package static let username = Array("wifiprov".utf8)
  package static let proof = Array("Kx7-label!".utf8)

  /// RainMaker's endpoint that maps a device to a user: a request has both texts in its part 10, or is refused for its
  /// parameters.
  static let userMapping = "cloud_user_assoc"
  package static let nodeID = "Hx2wQpVUcNtW"

  static func mapped(_ request: [UInt8]) -> [UInt8] {
    let name = Array(nodeID.utf8)
    let response = request.first == 0x52 ? [0x12, UInt8(name.count)] + name : [0x08, 1]
    return [0x08, 1, 0x5A, UInt8(response.count)] + response
  }

  /// NimBLE's answer to everything that the firmware refuses: Invalid PDU.
  static let refused: UInt8 = 0x04

  /// The time from an accepted network to the beginning of the join.
  static let joinsAfter = Duration.seconds(1)
  /// [assumed]
  static let usualJoin = Duration.seconds(3)
  static let slowJoin = Duration.seconds(25)
  /// [assumed]
  static let scanTakes = Duration.milliseconds(2500)
  /// The time from the first report of the join to the end of Bluetooth.
  static let leavesAfter = Duration.seconds(1)
  /// The same without a report.
  package static let stopsAfter = Duration.seconds(30)

  /// The time from a failed join until Espressif's example resets itself [assumed].
  static let resetsAfter = Duration.seconds(5)

  /// The answer of `proto-ver`.
  static func version(
    _ security: Int, old: Bool, odd: Bool, counts: Bool, noProof: Bool, thread: Bool
  ) -> [UInt8] {
    var capabilities: [String] = []
    if security == 0 { capabilities.append("\"no_sec\"") }
    if security == 1, noProof { capabilities.append("\"no_pop\"") }
    capabilities += thread ? ["\"thread_prov\"", "\"thread_scan\""] : ["\"wifi_scan\""]
    var newer = old ? "" : "\t\t\"sec_ver\":\t\(odd ? "\"\(security)\"" : "\(security)"),\n"
    if !old, counts { newer += "\t\t\"sec_patch_ver\":\t\(security == 2 ? 1 : 0),\n" }
    return Array(
      "{\n\t\"prov\":\t{\n\t\t\"ver\":\t\"v1.1\",\n\(newer)\t\t\"cap\":\t[\(capabilities.joined(separator: ", "))]\n\t}\n}"
        .utf8)
  }
}

extension FirmwareFamily {
  package static let espIDF = FirmwareFamily(
    name: "esp-idf",
    settings: [
      .text("wifi_ssid", EspGATT.ssid, bytes: 1...32),
      .text("wifi_password", EspGATT.passphrase, bytes: 0...63),
    ],
    dropStages: [.connect, .discover, .write, .confirm, .save],
    faults: ownFaults.map { FaultKind($0.name, .own($0)) },
    label: ["name", "pop", "username"], labelsEndpoints: true,
    oracle: FirmwareOracle(
      .provisioningMode(save: EspGATT.apply), proofs: [.deviceStatus],
      keeps: EspGATT.productValues,
      isCommand: { write, room in
        if [EspGATT.apply, EspGATT.reset].contains(write.characteristic) { return true }
        return ![EspGATT.ssid, EspGATT.passphrase].contains(write.characteristic)
          && EspGATT.productValues(of: room).values.contains(write.value)
      })
  ) { EspFirmware(conditions: $0) }

  private static let ownFaults: [FamilyFault] = [
    .bluedroid, .oldVersion, .sameNonce, .security0, .security1, .noProof, .otherCredentials, .joinsSlowly,
    .wrongPassword,
    .networkAbsent, .neverJoins, .dropsAfterApply, .restartsAfterFailure, .ownService, .leavesWhileJoining,
    .earlierCommand, .failedBefore, .otherMessages, .noAddress, .oddVersion, .bluFi,
    .impostor, .joinsAnother, .staysAfterJoining, .refusesNetwork, .threadOnly,
  ]
}
