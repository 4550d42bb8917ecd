/// The names of settings that several families have, or that have a key of their own in manifests.
extension Identifier<SettingDescription> {
  /// The room name as written to the device.
  package static var roomName: Self { "room_name" }
  /// The proximity UUID of the beacon.
  package static var uuid: Self { "uuid" }
  package static var major: Self { "major" }
  package static var minor: Self { "minor" }
  /// The proximity UUID that the firmware sends and that is never written.
  package static var beaconUUID: Self { "beacon_uuid" }
  /// The major ID that the firmware sends and that is never written.
  package static var beaconMajor: Self { "beacon_major" }
  /// The service that a product has instead of its family's.
  package static var service: Self { "service" }
  /// Whether and how the device is paired (`PairingDemand`).
  package static var pairing: Self { "pairing" }
  /// The six digits on its label with which it is paired.
  package static var passkey: Self { "passkey" }
  /// The password of a device's user, which a person gave it: no label has it.
  package static var adminPassword: Self { "admin_password" }
  package static var wifiSSID: Self { "wifi_ssid" }
  package static var wifiPassword: Self { "wifi_password" }
}
