package import Bluetooth
package import Model
package import Session

extension DeviceFamily {
  /// IoT Design Shop beacon (docs/protocols.md): an iBeacon that is configured over GATT and has no save
  /// command. A confirmed write goes straight to flash, and the firmware checks nothing. So the session first
  /// reads all settings, writes only those that differ, and reads them back.
  package static let iotDesignShop = DeviceFamily(
    id: "iot-design-shop", title: "IoT Design Shop beacon",
    words: DeviceWords(
      noun: "beacon", makeItWait: nil, stillWaiting: "If it still has its factory settings",
      notWaiting: "If it does not advertise its configuration service",
      notAnswering:
        "If it advertises less than every 3.8 s, kernels like Debian 12's (6.1) do not connect to it (6.12 does, up to "
        + "20 s): set Autoconnecttimeout=16384 under [LE] in /etc/bluetooth/main.conf, which reaches up to 16 s, and "
        + "restart bluetoothd."
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
        documentation: "Minor ID of its beacon. uint16, little-endian."),
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
          "kernels like Debian 12's (6.1) do not connect to a device that advertises less often than every 3.8 s, unless "
            + "Autoconnecttimeout in /etc/bluetooth/main.conf is 16384, which suffices for up to 16 s; and more than 10.24 s "
            + "is outside of the classic specification"),
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
    // two (docs/bluez.md), and the proof three, since one advertisement may be missed.
    timeouts: TimeoutRule(
      extended: .init(by: .interval, intervals: [.search: 2, .connect: 2, .verify: 3], reserve: .seconds(5))))
}

extension FamilyDriver {
  package static let iotDesignShop = FamilyDriver(.iotDesignShop, configure: IoTDesignShop.configure)
}

/// The names and the GATT session of the IoT Design Shop beacon.
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

  /// Reads all registers, writes those that differ, and reads each back.
  ///
  /// The UUID is written last: a device that was interrupted before, or that does not keep a value, still has
  /// the factory UUID, and so still counts as new.
  static func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let link = try await session.connect()
    let service = try await session.stage(.discover) { () throws(CentralError) in
      try await link.discover(
        Attribute.service, requiring: [Attribute.beaconUUID, Attribute.beaconID, Attribute.transmit])
    }
    let registers = IoTDesignShopRegisters(session: session, link: link, service: service)
    let held = try await registers.readAll()
    await session.found(held.shown)
    let isFactoryFresh = held.values[.uuid] == .uuid(Attribute.service)
    guard isFactoryFresh || session.mayWrite(over: held.identity) else {
      throw AttemptFailure(.foreignSettings(held: held.shownIdentity, .reading))
    }
    let changes = try registers.changes(to: session.room.settings, from: held)
    let changed = Set(changes.flatMap(\.register.settings))
    await session.confirmReadBack(session.room.settings.keys.filter { !changed.contains($0) })
    if changes.isEmpty {
      return Submission(at: session.clock.now, acknowledgement: .readBack, isUnchanged: true)
    }
    let submittedAt = try await session.submit()
    for change in changes {
      try await registers.write(change)
      try await registers.readBack(change)
    }
    return Submission(at: submittedAt, acknowledgement: .readBack)
  }
}

extension Identifier<SettingDescription> {
  package static var power: Self { "power" }
  /// The time between advertisements.
  package static var interval: Self { "interval" }
}

/// The registers of the beacon, over a link.
private struct IoTDesignShopRegisters: Sendable {
  typealias Register = CharacteristicDescription

  /// The values that the device holds.
  struct Held {
    var bytes: [BluetoothUUID: [UInt8]] = [:]
    /// The values that could be decoded.
    var values: [SettingName: SettingValue] = [:]
    var shown: [HeldSetting] = []

    /// The settings that identify the room.
    var identity: [SettingName: SettingValue] {
      // A value that cannot be decoded matches no room.
      Dictionary(uniqueKeysWithValues: [.uuid, .major, .minor].map { ($0, values[$0] ?? .text("")) })
    }

    var shownIdentity: String {
      shown.filter { [.uuid, .major, .minor].contains($0.name) }.map { "\($0.name) \($0.value)" }
        .joined(separator: ", ")
    }
  }

  private let session: DeviceSession
  private let link: any Peripheral
  private let service: RemoteService
  private var family: DeviceFamily { session.room.family }

  init(session: DeviceSession, link: any Peripheral, service: RemoteService) {
    (self.session, self.link, self.service) = (session, link, service)
  }

  private func characteristic(_ register: Register) throws(AttemptFailure) -> RemoteCharacteristic {
    guard let found = service[register.uuid] else {
      throw AttemptFailure(.serviceMissing(FailedStep(.discover)))
    }
    return found
  }

  func readAll() async throws(AttemptFailure) -> Held {
    var held = Held()
    for register in family.characteristics {
      let bytes = try await read(register)
      held.bytes[register.uuid] = bytes
      held.values.merge(family.decode(register, bytes)) { first, _ in first }
      held.shown = family.held(register, bytes) + held.shown
    }
    return held
  }

  private func read(_ register: Register) async throws(AttemptFailure) -> [UInt8] {
    try await session.read(register.settings[0], from: try characteristic(register), over: link)
  }

  /// The registers to write so that the device holds these settings; settings that are not given keep their
  /// value.
  /// - Throws: `readBackMismatch` when a value to keep cannot be encoded.
  func changes(
    to wanted: [SettingName: SettingValue], from held: Held
  ) throws(AttemptFailure) -> [(register: Register, bytes: [UInt8])] {
    let values = held.values.merging(wanted) { $1 }
    var changes: [(register: Register, bytes: [UInt8])] = []
    for register in family.characteristics where register.settings.contains(where: { wanted[$0] != nil }) {
      guard let bytes = family.encode(register, values) else {
        throw mismatch(register, held.bytes[register.uuid] ?? [], instead: values)
      }
      if bytes != held.bytes[register.uuid] { changes.append((register, bytes)) }
    }
    return changes
  }

  func write(_ change: (register: Register, bytes: [UInt8])) async throws(AttemptFailure) {
    let wanted = change.register.settings.filter { session.room.settings[$0] != nil }
    try await session.write(change.bytes, of: wanted, to: try characteristic(change.register), over: link)
  }

  /// - Throws: `readBackMismatch` when the device holds other bytes than were written.
  func readBack(_ change: (register: Register, bytes: [UInt8])) async throws(AttemptFailure) {
    let bytes = try await read(change.register)
    guard bytes == change.bytes else {
      throw mismatch(change.register, bytes, instead: family.decode(change.register, change.bytes))
    }
    await session.confirmReadBack(change.register.settings.filter { session.room.settings[$0] != nil })
  }

  /// The failure for the first setting of a register that differs.
  private func mismatch(
    _ register: Register, _ bytes: [UInt8], instead wanted: [SettingName: SettingValue]
  ) -> AttemptFailure {
    let values = family.decode(register, bytes)
    let setting = register.settings.first { values[$0] == nil || values[$0] != wanted[$0] }
    let held = family.held(register, bytes).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    return AttemptFailure(.readBackMismatch(setting: setting ?? register.settings[0], held: held))
  }
}
