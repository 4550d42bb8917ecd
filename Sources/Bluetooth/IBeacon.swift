/// The content of an iBeacon advertisement.
///
/// It is encoded as manufacturer data of company `0x004C`, 23 bytes: `02 15`, UUID (16 bytes), major and
/// minor (uint16, **big-endian**), measured power at 1 m (int8, dBm).
package struct IBeacon: Hashable, Sendable, Codable {
  package var uuid: BluetoothUUID
  package var major: UInt16
  /// The minor number. Room sensors encode their room's minor ID here.
  package var minor: UInt16
  /// The RSSI expected at a distance of 1 m, in dBm.
  package var measuredPower: Int8

  /// Apple's company identifier.
  package static let company: UInt16 = 0x004C
  /// The type and length at the beginning of the manufacturer data.
  package static let prefix: [UInt8] = [0x02, 0x15]

  package init(uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
    self.measuredPower = measuredPower
  }

  /// Parses the manufacturer data of company `0x004C`. Returns nil for another length or type, as other Apple
  /// advertisements have.
  package init?(manufacturerData data: [UInt8]) {
    guard data.count == 23, data.starts(with: Self.prefix), let uuid = BluetoothUUID(bytes: data[2..<18])
    else { return nil }
    self.uuid = uuid
    major = UInt16(data[18]) << 8 | UInt16(data[19])
    minor = UInt16(data[20]) << 8 | UInt16(data[21])
    measuredPower = Int8(bitPattern: data[22])
  }

  /// The 23 bytes that follow the company identifier.
  package var manufacturerData: [UInt8] {
    Self.prefix + uuid.bytes + [
      UInt8(major >> 8), UInt8(truncatingIfNeeded: major),
      UInt8(minor >> 8), UInt8(truncatingIfNeeded: minor),
      UInt8(bitPattern: measuredPower),
    ]
  }
}
