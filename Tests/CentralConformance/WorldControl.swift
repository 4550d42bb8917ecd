public import Bluetooth
public import VirtualBuilding

/// The hands-on control over the world behind a central: what the checks do to it, and what they look at there
/// instead of believing the central. A virtual `World` is one; so is the lab around the real BlueZ.
///
/// Nothing here fails: a world that cannot do what it is asked to is broken, and ends the examination.
public protocol WorldControl: Sendable {
  /// Powers an adapter on or off, as its user does.
  func setPowered(_ isPowered: Bool, _ adapter: BluetoothAddress) async
  /// Unplugs an adapter, or plugs it in again, perhaps so that it gets another name (`hci2`).
  func setPresent(_ isPresent: Bool, _ adapter: BluetoothAddress, name: String?) async
  /// Has the link to a sensor lost without a word.
  func dropLink(to sensor: BluetoothAddress) async
  /// Takes a sensor off the air for good.
  func silence(_ sensor: BluetoothAddress) async
  /// Gives a sensor the firmware that has other attributes than a central that was connected to it before has
  /// seen.
  func updateFirmware(of sensor: BluetoothAddress) async

  /// How many links there are now, on one adapter or (nil) on all.
  func openLinkCount(on adapter: BluetoothAddress?) async -> Int
  /// Attempts to connect that are under way on an adapter which does not discover.
  func attemptsUnderWay(on adapter: BluetoothAddress) async -> Int
  /// Whether an adapter discovers.
  func isDiscovering(_ adapter: BluetoothAddress) async -> Bool
  /// What was written to a sensor, in order.
  func writes(to sensor: BluetoothAddress) async -> [WrittenValue]
}

/// A value that reached a sensor.
public struct WrittenValue: Hashable, Sendable {
  /// Where to.
  public var characteristic: BluetoothUUID
  /// What.
  public var value: [UInt8]

  /// A value and where it went.
  public init(characteristic: BluetoothUUID, value: [UInt8]) {
    self.characteristic = characteristic
    self.value = value
  }
}

extension World: WorldControl {
  /// Nobody hears the sensor any more, nor does it hear anybody.
  public func silence(_ sensor: BluetoothAddress) { setMuted(true, sensor) }

  /// Nothing: sensors with `staleAttributes` are made as ones whose update BlueZ has missed.
  public func updateFirmware(of sensor: BluetoothAddress) {}

  /// As BlueZ and the radio both see it: they are one here.
  public func isDiscovering(_ adapter: BluetoothAddress) -> Bool {
    adapters().contains { $0.address == adapter && $0.isDiscovering }
  }

  /// What was written to a sensor, in order.
  public func writes(to sensor: BluetoothAddress) -> [WrittenValue] {
    writes.filter { $0.address == sensor }
      .map { WrittenValue(characteristic: $0.characteristic, value: $0.value) }
  }
}
