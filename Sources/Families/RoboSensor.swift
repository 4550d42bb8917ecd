package import Bluetooth
import Hex
package import Model
package import Session

extension DeviceFamily {
  /// ESP32-S3 room sensor (docs/internals/protocols.md, "Robo Sensor"): a connectable peripheral named `Robo Sensor` in
  /// provisioning mode, afterwards a non-connectable iBeacon.
  package static let roboSensor = DeviceFamily(
    id: "robo-sensor", title: "Robo Sensor",
    words: DeviceWords(
      noun: "sensor", makeItWait: "put it into provisioning mode (the LED pulses white)",
      stillWaiting: "If its LED pulses white", notWaiting: "If its LED does not pulse white",
      label:
        "Compare the address with the label; on some boards the label shows the base address, and the Bluetooth "
        + "address is 2 higher."),
    // It is *not* in the advertisement.
    service: RoboSensor.Attribute.service,
    // In provisioning mode it sends no beacon; afterwards that of the factory or of a room.
    recognition: [
      RecognitionRule(.configured, .expectedIdentity),
      RecognitionRule(.waiting, .name(RoboSensor.localName), .noIdentity),
    ],
    lifecycle: .provisioningMode,
    identity: .iBeacon(
      uuid: .beaconUUID, RoboSensor.FactoryBeacon.uuid, major: .beaconMajor, RoboSensor.FactoryBeacon.major,
      minor: .minor),
    proof: .onAir,
    // The firmware determines uuid and major of the beacon.
    settings: [
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
        .beaconUUID, "beacon UUID", short: "beacon uuid", .uuid(except: [.zero]), isRequired: false,
        isOnAir: true, isWritten: false,
        documentation: "Proximity UUID that its firmware sends, if not the factory's. Never written."),
      .init(
        .beaconMajor, "beacon major", .integer(0...65535), isRequired: false, isOnAir: true, isWritten: false,
        documentation: "Major ID that its firmware sends, if not the factory's. Never written."),
      .init(
        .minor, "minor ID", short: "minor", .integer(0...65535), isRequired: true, isOnAir: true,
        documentation: "The number that the room's sensor sends, different in each room. uint16, big-endian."),
    ],
    // Only the status can be read.
    characteristics: [
      .init(RoboSensor.Attribute.ssid, "WiFi name", [.init(.wifiSSID, .utf8)]),
      .init(RoboSensor.Attribute.password, "WiFi password", [.init(.wifiPassword, .utf8)]),
      .init(RoboSensor.Attribute.roomName, "room name", [.init(.roomName, .utf8)]),
      .init(RoboSensor.Attribute.minor, "minor ID", [.init(.minor, .uint16(.bigEndian))]),
      .init(RoboSensor.Attribute.command, "command"),
      .init(RoboSensor.Attribute.status, "status"),
      .init(RoboSensor.wifiScan, "WiFi scan"),
    ],
    // In the order of docs/internals/protocols.md, "Robo Sensor"; the default timeouts were chosen for this family.
    stages: [.search, .connect, .discover, .ready, .write, .save, .verify],
    // It advertises ten times per second and accepts a connection within 0.5 s (docs/internals/bluez.md).
    answersWithin: .seconds(3),
    // Newer firmware only (docs/internals/protocols.md, "WiFi scan").
    listsNetworks: true,
    // Steps 1 to 6 of docs/internals/protocols.md, "Robo Sensor"; step 7 is the proof. `ready` is advisory, and an `error:`
    // before the first write may be left from an earlier attempt.
    procedure: Procedure(
      status: StatusRule(
        RoboSensor.Attribute.status, ready: .bytes(Array("ready".utf8)),
        saved: [.bytes(Array("saved".utf8))], refusals: [.bytes(Array("error:".utf8))]),
      save: .init(RoboSensor.Attribute.command, Array("SAVE".utf8))))
}

extension FamilyDriver {
  package static let roboSensor = FamilyDriver(
    described: .roboSensor, listNetworks: RoboSensor.scanWiFi,
    prepare: { (session, link) throws(AttemptFailure) in
      try await session.checkWiFi { () throws(CentralError) in
        try await RoboSensor.scanWiFi(over: link, on: session.clock)
      }
    })
}

/// The names and numbers of the Robo Sensor, and its WiFi check.
package enum RoboSensor {
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

  /// The exact local name in provisioning mode.
  package static let localName = "Robo Sensor"
}
