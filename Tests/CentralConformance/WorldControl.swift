package import Bluetooth
package import VirtualBuilding

/// Control over the world behind a central: the checks change it, and inspect it independently of the
/// central. A virtual `World` is one, and so is the lab around the real BlueZ.
///
/// The functions do not throw. A world that cannot carry them out is broken and ends the test run.
package protocol WorldControl: Sendable {
  /// Powers an adapter on or off.
  func setPowered(_ isPowered: Bool, _ adapter: BluetoothAddress) async
  /// Unplugs an adapter, or plugs it in again, optionally with another name (`hci2`).
  func setPresent(_ isPresent: Bool, _ adapter: BluetoothAddress, name: String?) async
  /// Makes the link to a sensor fail without a disconnect.
  func dropLink(to sensor: BluetoothAddress) async
  /// Makes a sensor stop advertising permanently.
  func silence(_ sensor: BluetoothAddress) async
  /// Gives a sensor a firmware with other attributes than a central has cached.
  func updateFirmware(of sensor: BluetoothAddress) async

  /// The current number of links, on one adapter or (nil) on all.
  func openLinkCount(on adapter: BluetoothAddress?) async -> Int
  /// The connection attempts in progress on an adapter that is not discovering.
  func attemptsUnderWay(on adapter: BluetoothAddress) async -> Int
  /// Whether an adapter discovers.
  func isDiscovering(_ adapter: BluetoothAddress) async -> Bool
  /// The values that were written to a sensor, in order.
  func writes(to sensor: BluetoothAddress) async -> [WrittenValue]
}

/// A value that was written to a sensor.
package struct WrittenValue: Hashable, Sendable {
  /// The characteristic that it was written to.
  package var characteristic: BluetoothUUID
  package var value: [UInt8]

  package init(characteristic: BluetoothUUID, value: [UInt8]) {
    self.characteristic = characteristic
    self.value = value
  }
}

extension World: WorldControl {
  /// The sensor is out of range from now on.
  package func silence(_ sensor: BluetoothAddress) { setMuted(true, sensor) }

  /// No effect: sensors with `staleAttributes` already have outdated cached attributes.
  package func updateFirmware(of sensor: BluetoothAddress) {}

  /// BlueZ's state and the radio's state are the same here.
  package func isDiscovering(_ adapter: BluetoothAddress) -> Bool {
    adapters().contains { $0.address == adapter && $0.isDiscovering }
  }

  package func writes(to sensor: BluetoothAddress) -> [WrittenValue] {
    writes.filter { $0.address == sensor }
      .map { WrittenValue(characteristic: $0.characteristic, value: $0.value) }
  }
}
