public import Bluetooth

/// ESP32-S3 room sensor (PROTOCOLS §1).
public struct RoboSensor: DeviceProfile {
  public let id: ProfileID = "robo-sensor"
  public let title = "Robo Sensor"
  public let isRewritable = false
  public let settings: [SettingDescription] = [
    .init(.wifiSSID, .text(bytes: 1...32), isRequired: false, documentation: "WiFi network to join. UTF-8."),
    .init(
      .wifiPassword, .wifiPassword, isRequired: false,
      documentation: "Password of the WiFi network; empty for an open one. UTF-8."),
    .init(
      .roomName, .text(bytes: 1...64), isRequired: true, documentation: "Name of the room. UTF-8."),
    .init(
      .minor, .integer(0...65535), isRequired: true,
      documentation: "Minor ID the beacon will carry. uint16, big-endian."),
  ]
  public let timeouts = StageTimeouts(
    connect: .seconds(15), discover: .seconds(20), ready: .seconds(10), write: .seconds(10),
    save: .seconds(10),
    verify: .seconds(30))

  /// The family.
  public init() {}

  public func recognise(_ advertisement: Advertisement) -> Recognition? { nil }
  public func proof(of settings: [SettingName: SettingValue]) -> Proof {
    .beacon(uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 1, minor: 0)
  }
  public func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    throw AttemptFailure(.init(.stackError))
  }
}
