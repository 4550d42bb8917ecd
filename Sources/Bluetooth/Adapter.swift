/// Which adapter: its own Bluetooth address. `hci` numbers change across replugging, this does not.
public struct AdapterID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The adapter's address.
  public var address: BluetoothAddress

  /// The adapter with this address.
  public init(_ address: BluetoothAddress) {
    self.address = address
  }

  /// Reads an address.
  public init(from decoder: any Decoder) throws {
    address = try BluetoothAddress(from: decoder)
  }

  /// Writes the address.
  public func encode(to encoder: any Encoder) throws {
    try address.encode(to: encoder)
  }

  /// Order of addresses.
  public static func < (a: Self, b: Self) -> Bool { a.address < b.address }

  /// The address as written.
  public var description: String { address.description }
}

/// An adapter as it is at this moment.
public struct Adapter: Hashable, Sendable, Codable {
  /// Its identity.
  public var id: AdapterID
  /// What the host calls it now: `hci0`.
  public var name: String
  /// Whether it can be used, and if not, why.
  public var state: State
  /// Whether another program scans with it, as far as is known. Connecting then takes up to 10 s (docs/bluez.md, trap 16).
  /// While this program scans itself it cannot be told, and what was known before stays.
  public var isScannedByOthers: Bool
  /// The controller behind it, as far as the stack tells; nil where it does not.
  public var hardware: AdapterHardware?

  /// Whether an adapter can be used.
  public enum State: String, Hashable, Sendable, Codable {
    /// Powered and willing.
    case ready
    /// Present, but powered off.
    case poweredOff = "powered_off"
    /// Switched off by rfkill (BlueZ ≥ 5.65 says so: `PowerState: off-blocked`).
    case blocked
  }

  /// An adapter in a state.
  public init(
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
