package import Bluetooth

/// The verification of the building produced a finding for a room.
package struct RoomVerified: Hashable, Sendable, Codable {
  /// The findings. The names are frozen.
  package enum Finding: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its own device advertises the room's identity, and no other device does.
    case onAir = "on_air"
    /// Its own device and another one advertise the room's identity.
    case duplicate
    /// Only another device advertises the room's identity.
    case otherDevice = "other_device"
    /// Its device advertises another identity.
    case otherIdentity = "other_identity"
    /// Its device is in provisioning mode.
    case waiting
    /// Neither its device nor its identity was received.
    case missing
    /// The family has no identity on air.
    case notVerifiable = "not_verifiable"
  }

  package var room: RoomID
  package var finding: Finding
  /// Its device, if known.
  package var address: BluetoothAddress?
  /// Its identity; nil without one.
  package var identity: DeviceIdentity?
  /// What its device sends instead of its identity; nil unless it does.
  package var held: DeviceIdentity?
  /// The RSSI of its device in dBm: the median over the scan windows with a sighting.
  package var rssi: Int?
  /// The least of these values.
  package var rssiMin: Int?
  /// The greatest of these values.
  package var rssiMax: Int?
  /// The number of scan windows in which its identity was received.
  package var windowsReceived: Int
  /// The number of scan windows.
  package var windows: Int
  /// The other devices with the room's identity.
  package var others: [BluetoothAddress]

  package init(
    room: RoomID, finding: Finding, address: BluetoothAddress? = nil, identity: DeviceIdentity? = nil,
    held: DeviceIdentity? = nil, rssi: [Int] = [], windowsReceived: Int = 0, windows: Int,
    others: [BluetoothAddress] = []
  ) {
    self.room = room
    self.finding = finding
    self.address = address
    self.identity = identity
    self.held = held
    let sorted = rssi.sorted()
    self.rssi = sorted.isEmpty ? nil : sorted[sorted.count / 2]
    rssiMin = sorted.first
    rssiMax = sorted.last
    self.windowsReceived = windowsReceived
    self.windows = windows
    self.others = others
  }

  enum CodingKeys: String, CodingKey {
    case room
    case finding
    case address
    case identity
    case held = "held_identity"
    case rssi
    case rssiMin = "rssi_min"
    case rssiMax = "rssi_max"
    case windowsReceived = "windows_received"
    case windows
    case others
  }

  /// Below this RSSI in dBm, connecting is unreliable (docs/protocols.md, "Robo Sensor").
  package static let weakBelow = -85

  /// Whether its device is received, but weakly.
  package var isWeak: Bool { finding == .onAir && rssi.map { $0 < Self.weakBelow } ?? false }

  /// Whether the operator must do something.
  package var needsAction: Bool { finding != .onAir && finding != .notVerifiable }
}

extension RoomVerified: FactPayload {
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// A device whose identity shares its first parts with those of a building's rooms, and that no room has.
package struct UnexpectedBeacon: Hashable, Sendable {
  package var address: BluetoothAddress
  package var identity: DeviceIdentity
  /// The last RSSI, in dBm.
  package var rssi: Int?

  package init(address: BluetoothAddress, identity: DeviceIdentity, rssi: Int?) {
    self.address = address
    self.identity = identity
    self.rssi = rssi
  }
}
