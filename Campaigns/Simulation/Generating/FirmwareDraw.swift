package import Bluetooth
package import Model
package import VirtualBuilding

/// How random buildings draw rooms and devices of a family.
package struct FirmwareDraw: Sendable {
  /// The values that all rooms of a building share.
  package struct Site: Sendable {
    package var uuid: BluetoothUUID
    package var major: Int
    package var ssids: [String]
    package var passwords: [String]
    package var hasWiFi: Bool

    package init(uuid: BluetoothUUID, major: Int, ssids: [String], passwords: [String], hasWiFi: Bool) {
      self.uuid = uuid
      self.major = major
      self.ssids = ssids
      self.passwords = passwords
      self.hasWiFi = hasWiFi
    }
  }

  /// The settings of a room with this number.
  package let settings: @Sendable (_ number: Int, Site, inout SeededGenerator) -> [SettingName: SettingValue]
  /// The setting that holds the number of a room; nil when devices do not send one.
  package let number: String?
  /// What a provisioned device holds besides, for a room that does not say.
  package let usual: [String: String]
  /// The faults of the family, besides those of all; some quote a secret.
  package let faults: @Sendable (_ secret: String) -> [Fault]
  /// Draws what only this family has, from independent streams of chance.
  package let more:
    @Sendable (_ number: Int, inout Room, inout SensorScenario, _ faultiness: Double, SeededGenerator) -> Void

  package init(
    number: String? = nil, usual: [String: String] = [:],
    faults: @escaping @Sendable (_ secret: String) -> [Fault] = { _ in [] },
    more:
      @escaping @Sendable (Int, inout Room, inout SensorScenario, Double, SeededGenerator) -> Void = {
        _, _, _, _, _ in
      },
    settings: @escaping @Sendable (Int, Site, inout SeededGenerator) -> [SettingName: SettingValue]
  ) {
    self.number = number
    self.usual = usual
    self.faults = faults
    self.more = more
    self.settings = settings
  }
}
