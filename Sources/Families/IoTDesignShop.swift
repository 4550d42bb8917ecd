package import Bluetooth
import Hex
package import Model
package import Session

/// IoT Design Shop beacon (docs/protocols.md): an iBeacon that is configured over GATT and has no save
/// command. A confirmed write goes straight to flash, and the firmware checks nothing. So the session first
/// reads all settings, writes only those that differ, and reads them back.
package struct IoTDesignShop: DeviceProfile {
  package let id: ProfileID = "iot-design-shop"
  package let title = "IoT Design Shop beacon"
  /// The configuration service; it is in the advertisement.
  package let service = Attribute.service
  /// It can always be connected to and corrected.
  package let isRewritable = true

  package let words = DeviceWords(
    noun: "beacon", makeItWait: nil, stillWaiting: "If it still has its factory settings",
    notWaiting: "If it does not advertise its configuration service",
    notAnswering:
      "If it advertises less than every 3.8 s, kernels like Debian 12's (6.1) do not connect to it (6.12 does, up to "
      + "20 s): set Autoconnecttimeout=16384 under [LE] in /etc/bluetooth/main.conf, which reaches up to 16 s, and "
      + "restart bluetoothd."
  )

  package let settings: [SettingDescription] = [
    .init(
      .uuid, "beacon UUID", short: "uuid", .uuid(except: [Attribute.service, Self.zero]), isRequired: true,
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
      .choice(Self.powers), isRequired: false, isShareable: true,
      documentation: "Transmit power; without it the beacon keeps what it has. uint16, little-endian."),
    .init(
      .interval, "advertising interval", short: "interval", .duration(Self.intervals, step: Self.unit),
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
  ]

  /// It has no status and no save command.
  package let stages: [Stage] = [.search, .connect, .discover, .read, .write, .verify]

  package init() {}

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
  /// The UUID that no beacon may have.
  static let zero: BluetoothUUID = "00000000-0000-0000-0000-000000000000"

  /// A beacon that advertises rarely needs longer timeouts: a sighting takes up to two intervals, a
  /// connection two (docs/bluez.md), and the proof three, since one advertisement may be missed.
  package func timeouts(for settings: [SettingName: SettingValue]) -> StageTimeouts {
    guard case .duration(let interval)? = settings[.interval] else { return StageTimeouts() }
    let reserve = Duration.seconds(5)
    return StageTimeouts(
      search: max(.seconds(15), interval * 2 + reserve), connect: max(.seconds(15), interval * 2 + reserve),
      verify: max(.seconds(30), interval * 3 + reserve))
  }

  /// Recognised by its service. A device with the factory beacon waits to be provisioned; any other is
  /// configured, perhaps elsewhere.
  package func recognise(_ advertisement: Advertisement) -> Recognition? {
    guard advertisement.serviceUUIDs.contains(Attribute.service) else { return nil }
    guard let beacon = advertisement.iBeacon else { return .present }
    return beacon.uuid == Attribute.service ? .awaitingProvisioning : .configured(beacon)
  }

  /// The beacon. The manifest check guarantees all three settings.
  package func proof(of settings: [SettingName: SettingValue]) -> Proof {
    guard case .uuid(let uuid)? = settings[.uuid], case .integer(let major)? = settings[.major],
      case .integer(let minor)? = settings[.minor], let major = UInt16(exactly: major),
      let minor = UInt16(exactly: minor)
    else { preconditionFailure("the identity of a room must be checked") }
    return .beacon(BeaconIdentity(uuid: uuid, major: major, minor: minor))
  }

  /// The registers, which can all be read.
  package func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription? {
    guard
      let register = IoTDesignShopRegisters.Register.allCases.first(where: { $0.attribute == characteristic })
    else { return nil }
    return AttributeDescription(register.title, settings: register.settings) { bytes in
      IoTDesignShopRegisters.shown(bytes, register)
    }
  }

  /// Reads all registers, writes those that differ, and reads each back.
  ///
  /// The UUID is written last: a device that was interrupted before, or that does not keep a value, still has
  /// the factory UUID, and so still counts as new.
  package func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let link = try await session.connect()
    let service = try await session.stage(.discover) { () throws(CentralError) in
      try await link.discover(
        Attribute.service, requiring: [Attribute.beaconUUID, Attribute.beaconID, Attribute.transmit])
    }
    let registers = try IoTDesignShopRegisters(session: session, link: link, service: service)
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

/// The three registers of the beacon, over a link.
private struct IoTDesignShopRegisters: Sendable {
  /// A register with its settings, in byte order.
  enum Register: Sendable, CaseIterable {
    // In the order of writing.
    case transmit
    case beaconID
    case beaconUUID

    var settings: [SettingName] {
      switch self {
      case .transmit: [.power, .interval]
      case .beaconID: [.major, .minor]
      case .beaconUUID: [.uuid]
      }
    }

    var title: String {
      switch self {
      case .transmit: "transmit settings"
      case .beaconID: "major and minor ID"
      case .beaconUUID: "beacon UUID"
      }
    }

    var attribute: BluetoothUUID {
      switch self {
      case .transmit: IoTDesignShop.Attribute.transmit
      case .beaconID: IoTDesignShop.Attribute.beaconID
      case .beaconUUID: IoTDesignShop.Attribute.beaconUUID
      }
    }
  }

  /// The values that the device holds.
  struct Held {
    var bytes: [Register: [UInt8]] = [:]

    /// The values that could be decoded.
    var values: [SettingName: SettingValue] {
      bytes.reduce(into: [:]) { values, held in
        values.merge(IoTDesignShopRegisters.decode(held.value, held.key)) { first, _ in first }
      }
    }

    /// The settings that identify the room.
    var identity: [SettingName: SettingValue] {
      // A value that cannot be decoded matches no room.
      Dictionary(uniqueKeysWithValues: [.uuid, .major, .minor].map { ($0, values[$0] ?? .text("")) })
    }

    var shown: [HeldSetting] {
      [Register.beaconUUID, .beaconID, .transmit].flatMap { register in
        IoTDesignShopRegisters.shown(bytes[register] ?? [], register)
      }
    }

    var shownIdentity: String {
      shown.filter { [.uuid, .major, .minor].contains($0.name) }.map { "\($0.name) \($0.value)" }
        .joined(separator: ", ")
    }
  }

  private let session: DeviceSession
  private let link: any Peripheral
  private let characteristics: [Register: RemoteCharacteristic]

  init(session: DeviceSession, link: any Peripheral, service: RemoteService) throws(AttemptFailure) {
    self.session = session
    self.link = link
    var characteristics: [Register: RemoteCharacteristic] = [:]
    for register in Register.allCases {
      guard let found = service[register.attribute] else {
        throw AttemptFailure(.serviceMissing(FailedStep(.discover)))
      }
      characteristics[register] = found
    }
    self.characteristics = characteristics
  }

  private func characteristic(_ register: Register) -> RemoteCharacteristic {
    guard let found = characteristics[register] else { preconditionFailure("the register is missing") }
    return found
  }

  func readAll() async throws(AttemptFailure) -> Held {
    var held = Held()
    for register in Register.allCases { held.bytes[register] = try await read(register) }
    return held
  }

  private func read(_ register: Register) async throws(AttemptFailure) -> [UInt8] {
    try await session.read(register.settings[0], from: characteristic(register), over: link)
  }

  /// The registers to write so that the device holds these settings; settings that are not given keep their
  /// value.
  /// - Throws: `readBackMismatch` when a value to keep cannot be encoded.
  func changes(
    to wanted: [SettingName: SettingValue], from held: Held
  ) throws(AttemptFailure) -> [(register: Register, bytes: [UInt8])] {
    let values = held.values.merging(wanted) { $1 }
    var changes: [(register: Register, bytes: [UInt8])] = []
    for register in Register.allCases where register.settings.contains(where: { wanted[$0] != nil }) {
      guard let bytes = Self.encode(register, values) else {
        throw mismatch(register, held.bytes[register] ?? [], instead: values)
      }
      if bytes != held.bytes[register] { changes.append((register, bytes)) }
    }
    return changes
  }

  func write(_ change: (register: Register, bytes: [UInt8])) async throws(AttemptFailure) {
    let wanted = change.register.settings.filter { session.room.settings[$0] != nil }
    try await session.write(change.bytes, of: wanted, to: characteristic(change.register), over: link)
  }

  /// - Throws: `readBackMismatch` when the device holds other bytes than were written.
  func readBack(_ change: (register: Register, bytes: [UInt8])) async throws(AttemptFailure) {
    let bytes = try await read(change.register)
    guard bytes == change.bytes else {
      throw mismatch(change.register, bytes, instead: Self.decode(change.bytes, change.register))
    }
    await session.confirmReadBack(change.register.settings.filter { session.room.settings[$0] != nil })
  }

  /// The failure for the first setting of a register that differs.
  private func mismatch(
    _ register: Register, _ bytes: [UInt8], instead wanted: [SettingName: SettingValue]
  ) -> AttemptFailure {
    let values = Self.decode(bytes, register)
    let setting = register.settings.first { values[$0] == nil || values[$0] != wanted[$0] }
    let held = Self.shown(bytes, register).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    return AttemptFailure(.readBackMismatch(setting: setting ?? register.settings[0], held: held))
  }

  // MARK: Bytes

  private static func encode(_ register: Register, _ values: [SettingName: SettingValue]) -> [UInt8]? {
    if register == .beaconUUID {
      guard case .uuid(let uuid)? = values[.uuid] else { return nil }
      return uuid.bytes
    }
    let numbers = register.settings.map { number(values[$0]) }
    guard let first = numbers[0], let second = numbers[1] else { return nil }
    return [first, second].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }

  private static func number(_ value: SettingValue?) -> UInt16? {
    switch value {
    case .integer(let number): UInt16(exactly: number)
    case .text(let name):
      IoTDesignShop.powers.first { $0.name == name }.flatMap { UInt16(exactly: $0.code) }
    case .duration(let interval): UInt16(exactly: Int(interval / IoTDesignShop.unit))
    case .uuid, .secret, nil: nil
    }
  }

  static func decode(_ bytes: [UInt8], _ register: Register) -> [SettingName: SettingValue] {
    if register == .beaconUUID { return BluetoothUUID(bytes: bytes[...]).map { [.uuid: .uuid($0)] } ?? [:] }
    guard bytes.count == 4 else { return [:] }
    let first = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    let second = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
    if register == .beaconID { return [.major: .integer(Int(first)), .minor: .integer(Int(second))] }
    var values: [SettingName: SettingValue] = [.interval: .duration(IoTDesignShop.unit * Int(second))]
    let power = IoTDesignShop.powers.first { $0.code == Int(first) }
    values[.power] = power.map { .text($0.name) }
    return values
  }

  static func shown(_ bytes: [UInt8], _ register: Register) -> [HeldSetting] {
    let values = decode(bytes, register)
    return register.settings.map { name in
      HeldSetting(name: name, value: values[name]?.shown ?? "0x\(bytes.hex())")
    }
  }
}
