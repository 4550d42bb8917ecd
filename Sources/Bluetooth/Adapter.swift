/// The identity of an adapter: its own Bluetooth address. An `hci` number can change when an adapter is
/// plugged in again; the address does not.
package struct AdapterID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  package var address: BluetoothAddress

  package init(_ address: BluetoothAddress) {
    self.address = address
  }

  package init(from decoder: any Decoder) throws {
    address = try BluetoothAddress(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    try address.encode(to: encoder)
  }

  package static func < (a: Self, b: Self) -> Bool { a.address < b.address }

  package var description: String { address.description }
}

/// The state of an adapter at one moment.
package struct Adapter: Hashable, Sendable, Codable {
  package var id: AdapterID
  /// The host's current name of the adapter: `hci0`.
  package var name: String
  /// Whether the adapter can be used, and the reason if it cannot.
  package var state: State
  /// Whether another program scans with the adapter, as far as is known. Connecting then takes up to 10 s
  /// (docs/bluez.md, trap 16). While this program scans, it cannot find out, and the last known value stays.
  package var isScannedByOthers: Bool
  /// The controller; nil if the Bluetooth stack reports nothing about it.
  package var hardware: AdapterHardware?

  /// Whether an adapter can be used.
  package enum State: String, Hashable, Sendable, Codable {
    /// Powered on and usable.
    case ready
    /// Present, but powered off.
    case poweredOff = "powered_off"
    /// Blocked by rfkill (reported by BlueZ 5.65 and later as `PowerState: off-blocked`).
    case blocked
  }

  package init(
    id: AdapterID, name: String, state: State, isScannedByOthers: Bool = false,
    hardware: AdapterHardware? = nil
  ) {
    self.id = id
    self.name = name
    self.state = state
    self.isScannedByOthers = isScannedByOthers
    self.hardware = hardware
  }
}
