package import Bluetooth

/// The Robo Sensor's names and numbers, defined independently of the engine's profile, so that a mistake in
/// the profile does not appear in the virtual sensor too.
package enum RoboSensorGATT {
  /// Local name in provisioning mode [S].
  package static let localName = "Robo Sensor"
  /// Provisioning service [A].
  package static let service: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000001"
  /// SSID: write, UTF-8, 1–32 bytes.
  package static let ssid: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000002"
  /// Password: write, UTF-8, none or 8–64 bytes.
  package static let password: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000003"
  /// Room name: write, UTF-8, up to 64 bytes [assumed].
  package static let roomName: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000004"
  /// Minor: write, uint16, big-endian.
  package static let minor: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000005"
  /// Command: write, `SAVE`.
  package static let command: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000006"
  /// Status: read, notify, UTF-8.
  package static let status: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000007"
  /// WiFi scan: write, notify.
  package static let wifiScan: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000008"

  /// Factory iBeacon UUID [A].
  package static let beaconUUID: BluetoothUUID = "12345678-9ABC-DEF0-1234-56789ABCDEF0"
  /// Factory major [A].
  package static let beaconMajor: UInt16 = 1
  /// Measured power at 1 m, dBm [A].
  package static let measuredPower: Int8 = -59

  struct Setting {
    var name: String
    var uuid: BluetoothUUID
    var lengths: Set<Int>
  }

  static let settings = [
    Setting(name: "wifi_ssid", uuid: ssid, lengths: Set(1...32)),
    Setting(name: "wifi_password", uuid: password, lengths: Set(8...64).union([0])),
    Setting(name: "room_name", uuid: roomName, lengths: Set(1...64)),
    Setting(name: "minor", uuid: minor, lengths: [2]),
  ]
}

/// ATT error codes (Bluetooth Core, Vol 3 Part F 3.4.1.1).
package enum ATTCode {
  package static let invalidHandle: UInt8 = 0x01
  package static let readNotPermitted: UInt8 = 0x02
  package static let writeNotPermitted: UInt8 = 0x03
  package static let insufficientAuthentication: UInt8 = 0x05
  package static let insufficientAuthorization: UInt8 = 0x08
  package static let requestNotSupported: UInt8 = 0x06
  /// Invalid Attribute Value Length.
  package static let invalidLength: UInt8 = 0x0D
}
