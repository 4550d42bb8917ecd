import Bluetooth
import Model

/// Devices that the stack may still remember because their adapter was away when it was to forget them. What the stack
/// has on disk outlives the adapter's absence, and the daemon's.
struct Leftovers: Hashable, Sendable {
  /// A device that one adapter's part of the stack may remember.
  struct Device: Hashable, Comparable, Sendable {
    let adapter: AdapterID
    let address: BluetoothAddress

    static func < (a: Self, b: Self) -> Bool { (a.adapter, a.address) < (b.adapter, b.address) }
  }

  private var devices: Set<Device> = []

  var isEmpty: Bool { devices.isEmpty }

  /// All of them, by adapter, then by address.
  var all: [Device] { devices.sorted() }

  /// What is left on one adapter, by address.
  func on(_ adapter: AdapterID) -> [BluetoothAddress] {
    isEmpty ? [] : devices.filter { $0.adapter == adapter }.map(\.address).sorted()
  }

  mutating func insert(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices.insert(Device(adapter: adapter, address: address))
  }

  mutating func remove(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices.remove(Device(adapter: adapter, address: address))
  }
}
