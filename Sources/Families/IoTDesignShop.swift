package import Bluetooth
package import Model
package import Session

extension DeviceFamily {
  /// IoT Design Shop beacon (docs/internals/protocols.md): an iBeacon that is configured over GATT and has no save
  /// command. A confirmed write goes straight to flash, and the firmware checks nothing. So the session first
  /// reads all settings, writes only those that differ, and reads them back.
  package static let iotDesignShop = DeviceFamily(
    id: "iot-design-shop", title: "IoT Design Shop beacon",
    words: DeviceWords(
      noun: "beacon", makeItWait: nil, stillWaiting: "If it still has its factory settings",
      notWaiting: "If it does not advertise its configuration service",
      notAnswering:
        "If it advertises less often than every 3.8 s, this computer may give up too early: run `roboprov doctor`, "
        + "which shows what to change."
    ),
    // It is in the advertisement.
    service: IoTDesignShop.Attribute.service,
    // A device with the factory beacon waits to be provisioned; any other is configured, perhaps elsewhere.
    recognition: [
      RecognitionRule(
        .waiting, .service(IoTDesignShop.Attribute.service),
        .identityOf(.uuid(IoTDesignShop.Attribute.service))),
      RecognitionRule(.configured, .service(IoTDesignShop.Attribute.service), .identity),
      RecognitionRule(.present, .service(IoTDesignShop.Attribute.service)),
    ],
    // It can always be connected to and corrected.
    lifecycle: .rewritable,
    identity: .iBeacon(uuid: .uuid, major: .major, minor: .minor),
    proof: .onAir,
    settings: [
      .init(
        .uuid, "beacon UUID", short: "uuid", .uuid(except: [IoTDesignShop.Attribute.service, .zero]),
        isRequired: true,
        isOnAir: true,
        isShareable: true,
        documentation: "Proximity UUID of its beacon. 16 bytes, in the UUID's own order."),
      .init(
        .major, "major ID", short: "major", .integer(0...65535), isRequired: true, isOnAir: true,
        isShareable: true,
        documentation: "Major ID of its beacon. uint16, little-endian."),
      .init(
        .minor, "minor ID", short: "minor", .integer(0...65535), isRequired: true, isOnAir: true,
        documentation:
          "The number that the room's beacon sends, different in each room. uint16, little-endian."),
      .init(
        .power, "transmit power", short: "power",
        .choice(IoTDesignShop.powers), isRequired: false, isShareable: true,
        documentation: "Transmit power; without it the beacon keeps what it has. uint16, little-endian."),
      .init(
        .interval, "advertising interval", short: "interval",
        .duration(IoTDesignShop.intervals, step: IoTDesignShop.unit),
        isRequired: false,
        isShareable: true,
        caution: .init(
          beyond: .milliseconds(3800),
          "kernel 6.1 (Debian 12) connects only to devices that advertise at least every 3.8 s, or every 16 s with "
            + "Autoconnecttimeout=16384 in /etc/bluetooth/main.conf; the classic specification ends at 10.24 s"
        ),
        documentation:
          "Time between advertisements; without it the beacon keeps what it has. uint16, little-endian, units of "
          + "0.625 ms."),
    ],
    // The UUID is written last: a device that was interrupted before, or that does not keep a value, still has
    // the factory UUID, and so still counts as new.
    characteristics: [
      .init(
        IoTDesignShop.Attribute.transmit, "transmit settings",
        [.init(.power, .uint16(.littleEndian)), .init(.interval, .uint16(.littleEndian))]),
      .init(
        IoTDesignShop.Attribute.beaconID, "major and minor ID",
        [.init(.major, .uint16(.littleEndian)), .init(.minor, .uint16(.littleEndian))]),
      .init(IoTDesignShop.Attribute.beaconUUID, "beacon UUID", [.init(.uuid, .uuid)]),
    ],
    // It has no status and no save command.
    stages: [.search, .connect, .discover, .read, .write, .verify],
    // A beacon that advertises rarely needs longer timeouts: a sighting takes up to two intervals, a connection
    // two (docs/internals/bluez.md), and the proof three, since one advertisement may be missed.
    timeouts: TimeoutRule(
      extended: .init(by: .interval, intervals: [.search: 2, .connect: 2, .verify: 3], reserve: .seconds(5))),
    procedure: Procedure(
      readsFirst: true, factory: [.uuid: .uuid(IoTDesignShop.Attribute.service)], readsBack: true))
}

extension FamilyDriver {
  package static let iotDesignShop = FamilyDriver(described: .iotDesignShop)
}

/// The names and numbers of the IoT Design Shop beacon.
package enum IoTDesignShop {
  package enum Attribute {
    /// The configuration service, in the advertisement; also the UUID of the factory beacon.
    package static let service: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146156"
    /// Read and write: 16 bytes in UUID order.
    package static let beaconUUID: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146157"
    /// Read and write: major, minor; two uint16, little-endian.
    package static let beaconID: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146158"
    /// Read and write: power, interval; two uint16, little-endian.
    package static let transmit: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146159"
  }

  /// The transmit powers of the firmware.
  static let powers = [
    SettingChoice("low", meaning: "-23 dBm", code: 0), SettingChoice("medium", meaning: "-6 dBm", code: 1),
    SettingChoice("high", meaning: "0 dBm", code: 2),
  ]
  static let unit = Duration.microseconds(625)
  /// Below 160 units the radio may hang; 65528 units are the largest value that fits and is a whole number of
  /// milliseconds.
  static let intervals = Duration.milliseconds(100)...(unit * 65528)
}

extension Identifier<SettingDescription> {
  package static var power: Self { "power" }
  /// The time between advertisements.
  package static var interval: Self { "interval" }
}
