package import Bluetooth
package import VirtualBuilding

/// A device with its flash.
package struct SimulatedDevice: Sendable {
  package var address: BluetoothAddress
  package var family: FirmwareFamily
  package var flash: Flash

  package init(address: BluetoothAddress, family: FirmwareFamily, flash: Flash) {
    self.address = address
    self.family = family
    self.flash = flash
  }

  /// The identity on air; nil for a device that is not configured, or of another make.
  package var identity: [UInt8]? { family.identity(flash) }

  /// Groups of configured devices with the same identity, by address.
  package static func lookalikes(_ devices: [SimulatedDevice]) -> [[BluetoothAddress]] {
    var holders: [[UInt8]: [BluetoothAddress]] = [:]
    for device in devices {
      if let identity = device.identity { holders[identity, default: []].append(device.address) }
    }
    return holders.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
  }
}
