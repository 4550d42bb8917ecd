package import Bluetooth

/// How long an adapter scanned.
package struct AdapterScan: Hashable, Sendable, Codable {
  package var adapter: AdapterID
  /// Its name at that time: `hci0`.
  package var name: String
  package var seconds: Double
  /// Whether it scanned to the end: false if it failed, or was lost.
  package var isComplete: Bool

  package init(adapter: AdapterID, name: String, seconds: Double = 0, isComplete: Bool = true) {
    (self.adapter, self.name, self.seconds, self.isComplete) = (adapter, name, seconds, isComplete)
  }

  enum CodingKeys: String, CodingKey {
    case adapter, name, seconds
    case isComplete = "complete"
  }
}

/// The verification of the building produced a finding for a room.
package struct RoomVerified: FactPayload {
  /// The findings. The names are frozen.
  package enum Finding: String, Hashable, Sendable, Codable, CaseIterable {
    case onAir = "on_air"
    case duplicate
    case otherDevice = "other_device"
    case otherIdentity = "other_identity"
    case waiting
    case missing
    case notSearched = "not_searched"
    case notVerifiable = "not_verifiable"
  }
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }

  package var room: RoomID
  package var finding: Finding
  package var address: BluetoothAddress?
  package var identity: DeviceIdentity?
  package var held: DeviceIdentity?
  package var rssi: Int?
  package var rssiMin: Int?
  package var rssiMax: Int?
  package var windowsReceived: Int
  package var windows: Int
  package var others: [BluetoothAddress]
  package var adapter: AdapterID?
  package var adapters: [AdapterScan]?
  package var unused: AdapterID?

  package init(
    room: RoomID, finding: Finding, address: BluetoothAddress? = nil, identity: DeviceIdentity? = nil,
    held: DeviceIdentity? = nil, rssi: [Int] = [], windowsReceived: Int = 0, windows: Int,
    others: [BluetoothAddress] = [], adapter: AdapterID? = nil, adapters: [AdapterScan]? = nil,
    unused: AdapterID? = nil
  ) {
    (self.room, self.finding, self.address, self.identity) = (room, finding, address, identity)
    self.held = held
    let sorted = rssi.sorted()
    self.rssi = sorted.isEmpty ? nil : sorted[sorted.count / 2]
    rssiMin = sorted.first
    rssiMax = sorted.last
    (self.windowsReceived, self.windows, self.others) = (windowsReceived, windows, others)
    (self.adapter, self.adapters, self.unused) = (adapter, adapters, unused)
  }

  enum CodingKeys: String, CodingKey {
    case room, finding, address, identity
    case held = "held_identity"
    case rssi
    case rssiMin = "rssi_min"
    case rssiMax = "rssi_max"
    case windowsReceived = "windows_received"
    case windows, others, adapter, adapters, unused
  }

  /// Below this RSSI in dBm, connecting is unreliable (docs/internals/protocols.md, "Robo Sensor").
  package static let weakBelow = -85

  /// Whether its device is received, but weakly.
  package var isWeak: Bool { finding == .onAir && rssi.map { $0 < Self.weakBelow } ?? false }

  /// Whether the operator must do something.
  package var needsAction: Bool { finding != .onAir && finding != .notVerifiable }

  /// Whether its device is not as recorded.
  package var isDeviation: Bool { needsAction && finding != .notSearched }
}

/// A device whose identity shares its first parts with those of a building's rooms, and that no room has.
package struct UnexpectedBeacon: Hashable, Sendable {
  package var address: BluetoothAddress
  package var identity: DeviceIdentity
  /// The last RSSI, in dBm.
  package var rssi: Int?

  package init(address: BluetoothAddress, identity: DeviceIdentity, rssi: Int?) {
    (self.address, self.identity, self.rssi) = (address, identity, rssi)
  }
}
