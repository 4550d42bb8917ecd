package import Bluetooth
import Hex
package import Model
package import Session

/// ESP32-S3 room sensor (docs/protocols.md, "Robo Sensor"): a connectable peripheral named `Robo Sensor` in
/// provisioning mode, afterwards a non-connectable iBeacon.
package struct RoboSensor: DeviceProfile {
  package let id: ProfileID = "robo-sensor"
  package let title = "Robo Sensor"
  /// The provisioning service; it is *not* in the advertisement.
  package let service = Attribute.service
  package let words = DeviceWords(
    noun: "sensor", makeItWait: "put it into provisioning mode (the LED pulses white)",
    stillWaiting: "If its LED pulses white", notWaiting: "If its LED does not pulse white",
    label:
      "Compare the address with the label; on some boards the label shows the base address, and the Bluetooth "
      + "address is 2 higher.")

  /// In the order of writing; the firmware determines uuid and major of the beacon. A configured sensor takes
  /// new settings only in provisioning mode.
  package let settings: [SettingDescription] = [
    .init(
      .wifiSSID, "WiFi name", short: "WiFi", .text(bytes: 1...32), isRequired: false,
      documentation: "WiFi network to join; without it the sensor keeps what it has. UTF-8."),
    .init(
      .wifiPassword, "WiFi password", short: "password", .wifiPassword, isRequired: false,
      documentation: "Password of the WiFi network; empty for an open one. UTF-8."),
    .init(
      .roomName, "room name", short: "name", .text(bytes: 1...64), isRequired: true,
      documentation: "Name of the room. UTF-8; 64 bytes is assumed to be the most the firmware takes."),
    .init(
      .beaconUUID, "beacon UUID", short: "beacon uuid", .uuid(except: [Self.zero]), isRequired: false,
      isOnAir: true, isWritten: false,
      documentation: "Proximity UUID that its firmware sends, if not the factory's. Never written."),
    .init(
      .beaconMajor, "beacon major", .integer(0...65535), isRequired: false, isOnAir: true, isWritten: false,
      documentation: "Major ID that its firmware sends, if not the factory's. Never written."),
    .init(
      .minor, "minor ID", short: "minor", .integer(0...65535), isRequired: true, isOnAir: true,
      documentation: "Minor ID of its beacon. uint16, big-endian."),
  ]

  /// In the order of docs/protocols.md, "Robo Sensor".
  package let stages: [Stage] = [.search, .connect, .discover, .ready, .write, .save, .verify]

  /// The beacons that identify configured sensors: the factory's, and those that rooms expect.
  private var beacons: Set<Beacon> = [Beacon([:])]

  package init() {}

  /// Newer firmware only (docs/protocols.md, "WiFi scan").
  package let listsNetworks = true

  /// It advertises ten times per second and accepts a connection within 0.5 s (docs/bluez.md).
  package let answersWithin: Duration? = .seconds(3)

  /// The default timeouts; they were chosen for this family.
  package func timeouts(for settings: [SettingName: SettingValue]) -> StageTimeouts { StageTimeouts() }

  package enum Attribute {
    /// The provisioning service; *not* in the advertisement.
    package static let service: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000001"
    /// Write, UTF-8.
    package static let ssid: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000002"
    /// Write, UTF-8.
    package static let password: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000003"
    /// Write, UTF-8.
    package static let roomName: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000004"
    /// Write, uint16, big-endian.
    package static let minor: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000005"
    /// Write, ASCII `SAVE`.
    package static let command: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000006"
    /// Read and notify, UTF-8: `ready`, `saved`, `error:<text>`.
    package static let status: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000007"
  }

  /// The beacon of the factory firmware. It is never written, and expected on air unless a room expects
  /// another one.
  package enum FactoryBeacon {
    package static let uuid: BluetoothUUID = "12345678-9ABC-DEF0-1234-56789ABCDEF0"
    package static let major: UInt16 = 1
  }

  /// The part of the beacon that all sensors with the same firmware share.
  private struct Beacon: Hashable {
    var uuid: BluetoothUUID
    var major: UInt16

    init(_ beacon: IBeacon) { (uuid, major) = (beacon.uuid, beacon.major) }

    /// The beacon that a room expects.
    init(_ settings: [SettingName: SettingValue]) {
      (uuid, major) = (FactoryBeacon.uuid, FactoryBeacon.major)
      if case .uuid(let expected)? = settings[.beaconUUID] { uuid = expected }
      if case .integer(let number)? = settings[.beaconMajor], let expected = UInt16(exactly: number) {
        major = expected
      }
    }
  }

  /// The UUID that no room may expect.
  private static let zero: BluetoothUUID = "00000000-0000-0000-0000-000000000000"

  /// The exact local name in provisioning mode, in which the sensor sends no iBeacon.
  package static let localName = "Robo Sensor"

  /// Recognised by its name in provisioning mode, afterwards by the uuid and major of the factory or of a
  /// room.
  package func recognise(_ advertisement: Advertisement) -> Recognition? {
    if let beacon = advertisement.iBeacon {
      return beacons.contains(Beacon(beacon)) ? .configured(beacon) : nil
    }
    return advertisement.localName == Self.localName ? .awaitingProvisioning : nil
  }

  /// The family, extended to recognise the beacons that these rooms expect.
  package func expecting(_ rooms: [[SettingName: SettingValue]]) -> RoboSensor {
    var family = self
    for settings in rooms { family.beacons.insert(Beacon(settings)) }
    return family
  }

  /// Its settings are write-only; only the status can be read.
  package func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription? {
    switch characteristic {
    case Attribute.ssid:
      AttributeDescription("WiFi name", settings: [.wifiSSID], decode: Self.text(.wifiSSID))
    case Attribute.password:
      AttributeDescription("WiFi password", settings: [.wifiPassword], isSecret: true)
    case Attribute.roomName:
      AttributeDescription("room name", settings: [.roomName], decode: Self.text(.roomName))
    case Attribute.minor:
      AttributeDescription("minor ID", settings: [.minor]) { bytes in
        let value = bytes.count == 2 ? "\(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))" : "0x\(bytes.hex())"
        return [HeldSetting(name: .minor, value: value)]
      }
    case Attribute.command: AttributeDescription("command")
    case Attribute.status: AttributeDescription("status")
    case Self.wifiScan: AttributeDescription("WiFi scan")
    default: nil
    }
  }

  private static func text(_ name: SettingName) -> @Sendable ([UInt8]) -> [HeldSetting] {
    { bytes in
      [HeldSetting(name: name, value: String(validating: bytes, as: UTF8.self) ?? "0x\(bytes.hex())")]
    }
  }

  /// The room's minor in the beacon that it expects, by default the factory's. The manifest check guarantees
  /// a minor.
  package func proof(of settings: [SettingName: SettingValue]) -> Proof {
    let beacon = Beacon(settings)
    return .beacon(
      BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: Self.minor(in: settings)))
  }

  private static func minor(in settings: [SettingName: SettingValue]) -> UInt16 {
    guard case .integer(let number)? = settings[.minor], let minor = UInt16(exactly: number) else {
      preconditionFailure("the minor of a room must be checked")
    }
    return minor
  }

  /// Steps 1 to 6 of docs/protocols.md, "Robo Sensor"; step 7 is the proof.
  package func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let link = try await session.connect()
    let service = try await session.stage(.discover) { () throws(CentralError) in
      try await link.discover(
        Attribute.service,
        requiring: [
          Attribute.ssid, Attribute.password, Attribute.roomName, Attribute.minor, Attribute.command,
          Attribute.status,
        ])
    }
    let conversation = try RoboSensorSession(session: session, link: link, service: service)
    return try await session.withStatusFeed { (feed) throws(AttemptFailure) in
      try await conversation.waitUntilReady(feed)
      try await checkWiFi(session, over: link)
      let firstWrite = feed.count
      for (setting, characteristic, bytes) in conversation.writes(of: session.room.settings) {
        do throws(AttemptFailure) {
          try await session.write(bytes, of: [setting], to: characteristic, over: link)
        } catch {
          // The device's own message is the better reason.
          try await conversation.throwRefusal(in: feed, since: firstWrite)
          throw error
        }
        try await conversation.throwRefusal(in: feed, since: firstWrite)
      }
      return try await conversation.save(feed, since: firstWrite)
    }
  }

  /// The bytes of a value on air.
  static func encode(_ value: SettingValue) -> [UInt8] {
    switch value {
    case .text(let text): Array(text.utf8)
    case .secret(let secret): Array(secret.reveal().utf8)
    case .integer(let number):
      [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    case .uuid, .duration:
      preconditionFailure("a Robo Sensor has no settings of this type")
    }
  }
}
