import Bluetooth

/// Devices that the stack may still remember because it did not confirm that it forgot them: their adapter or
/// the stack itself was absent or about to be lost. The stack keeps them on disk, so they survive the absence of the adapter and a restart of the
/// daemon.
struct Leftovers: Hashable, Sendable {
  struct Device: Hashable, Comparable, Sendable {
    let adapter: AdapterID
    let address: BluetoothAddress

    static func < (a: Self, b: Self) -> Bool { (a.adapter, a.address) < (b.adapter, b.address) }
  }

  private var devices: Set<Device> = []

  var isEmpty: Bool { devices.isEmpty }

  /// All devices, ordered by adapter, then by address.
  var all: [Device] { devices.sorted() }

  func on(_ adapter: AdapterID) -> [BluetoothAddress] {
    devices.filter { $0.adapter == adapter }.map(\.address).sorted()
  }

  mutating func insert(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices.insert(Device(adapter: adapter, address: address))
  }

  mutating func remove(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices.remove(Device(adapter: adapter, address: address))
  }
}
