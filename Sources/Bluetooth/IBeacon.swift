/// What an iBeacon says of itself.
///
/// Manufacturer data of company `0x004C`, 23 bytes: `02 15`, UUID (16 bytes), major and minor
/// (uint16, **big-endian**), measured power at 1 m (int8, dBm).
public struct IBeacon: Hashable, Sendable, Codable {
  /// The proximity UUID.
  public var uuid: BluetoothUUID
  /// The major number.
  public var major: UInt16
  /// The minor number: for a room sensor, its room.
  public var minor: UInt16
  /// RSSI expected at a distance of 1 m, in dBm.
  public var measuredPower: Int8

  /// Apple's company identifier, under which iBeacon data stands.
  public static let company: UInt16 = 0x004C

  /// A beacon with these values.
  public init(uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
    self.measuredPower = measuredPower
  }

  /// Reads company `0x004C`'s manufacturer data. Anything shorter, longer or of another type is
  /// some other Apple advertisement, and nil.
  public init?(manufacturerData data: [UInt8]) {
    guard data.count == 23, data[0] == 0x02, data[1] == 0x15, let uuid = BluetoothUUID(bytes: data[2..<18])
    else { return nil }
    self.uuid = uuid
    major = UInt16(data[18]) << 8 | UInt16(data[19])
    minor = UInt16(data[20]) << 8 | UInt16(data[21])
    measuredPower = Int8(bitPattern: data[22])
  }

  /// The 23 bytes that follow the company identifier on air.
  public var manufacturerData: [UInt8] {
    [0x02, 0x15] + uuid.bytes + [
      UInt8(major >> 8), UInt8(truncatingIfNeeded: major),
      UInt8(minor >> 8), UInt8(truncatingIfNeeded: minor),
      UInt8(bitPattern: measuredPower),
    ]
  }
}

/// What tells one beacon from another: an iBeacon without its measured power.
public struct BeaconIdentity: Hashable, Sendable {
  /// The proximity UUID.
  public var uuid: BluetoothUUID
  /// The major number.
  public var major: UInt16
  /// The minor number.
  public var minor: UInt16

  /// An identity.
  public init(uuid: BluetoothUUID, major: UInt16, minor: UInt16) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }
}

extension IBeacon {
  /// What tells it from others.
  public var identity: BeaconIdentity { BeaconIdentity(uuid: uuid, major: major, minor: minor) }
}
