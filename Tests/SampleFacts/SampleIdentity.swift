package import Bluetooth
package import Model

extension DeviceIdentity {
  /// The identity of an iBeacon.
  package static func beacon(_ uuid: BluetoothUUID, _ major: UInt16, _ minor: UInt16) -> Self {
    DeviceIdentity(["uuid \(uuid)", "major \(major)", "minor \(minor)"])
  }

  /// The identity of a Robo Sensor with the factory's uuid and major.
  package static func sensor(_ minor: UInt16) -> Self {
    beacon("12345678-9ABC-DEF0-1234-56789ABCDEF0", 1, minor)
  }

  package init(_ beacon: IBeacon) { self = .beacon(beacon.uuid, beacon.major, beacon.minor) }

  /// The minor of an iBeacon's identity.
  package var minor: UInt16? {
    distinction.hasPrefix("minor ") ? UInt16(distinction.dropFirst("minor ".count)) : nil
  }
}

/// The number of a Robo Sensor.
extension DeviceIdentity: ExpressibleByIntegerLiteral {
  package init(integerLiteral minor: UInt16) { self = .sensor(minor) }
}

extension Room {
  /// The minor that the room wants; nil without one.
  package var minor: UInt16? {
    if case .integer(let number)? = settings[.minor] { UInt16(exactly: number) } else { nil }
  }
}
