package import Bluetooth
import Digest
import Hex

/// The names, numbers and blocks of a Shelly, defined independently of the engine's family.
package enum ShellyGATT {
  package static let company: UInt16 = 2985
  package static let service: BluetoothUUID = "5f6d4f53-5f52-5043-5f53-56435f49445f"
  package static let data: BluetoothUUID = "5f6d4f53-5f52-5043-5f64-6174615f5f5f"
  package static let length: BluetoothUUID = "5f6d4f53-5f52-5043-5f74-785f63746c5f"
  package static let waiting: BluetoothUUID = "5f6d4f53-5f52-5043-5f72-785f63746c5f"

  // What requests say, as if each setting had a characteristic of its own.
  static let settings = [
    "room_name", "wifi_ssid", "wifi_password", "ip", "gateway", "name_server", "time_zone", "mqtt_server",
    "cloud",
    "access_point", "ble_rpc", "admin_password",
  ]
  static let leave = command(0xF0)
  static let restart = command(0xF1)

  /// The characteristic of a setting.
  package static func characteristic(_ setting: String) -> BluetoothUUID {
    command(UInt8(truncatingIfNeeded: settings.firstIndex(of: setting) ?? 0xFF))
  }

  private static func command(_ number: UInt8) -> BluetoothUUID {
    var bytes = service.bytes
    bytes.replaceSubrange(14..<16, with: [0xF0, number])
    return BluetoothUUID(bytes: bytes) ?? service
  }

  package static let usualID = "shellyplus1-a8032abe54dc"

  /// The id of a device whose label has this name, or only its MAC.
  package static func id(_ label: String?) -> String {
    guard let label = label?.lowercased().filter({ $0 != ":" }) else { return usualID }
    return label.contains("-") ? label : "shellyplus1-" + label
  }

  /// The MAC in an id: six bytes.
  static func mac(_ id: String) -> [UInt8] {
    Array(hex: id.suffix(12)) ?? [0xA8, 0x03, 0x2A, 0xBE, 0x54, 0xDC]
  }

  /// What a device keeps of a password.
  static func secret(_ password: String, _ id: String) -> [UInt8] {
    Array(SHA256(of: Array("admin:\(id):\(password)".utf8)).hex.utf8)
  }

  /// The proof of the password whose `secret` a device keeps.
  static func proof(_ secret: [UInt8], _ nonce: Int, _ count: Int, _ client: String) -> String {
    let tail = SHA256(of: Array("dummy_method:dummy_uri".utf8)).hex
    return SHA256(of: secret + Array(":\(nonce):\(count):\(client):auth:\(tail)".utf8)).hex
  }

  /// The time until an answer waits; of a scan.
  static let answers = Duration.milliseconds(60)
  static let scans = Duration.seconds(9)
  /// From a new network to the association, and from there to the address.
  static let associates = Duration.seconds(2)
  static let getsAddress = Duration.milliseconds(1500)
  /// How long a device may still show the network before.
  static let lingers = Duration.seconds(2)
}
