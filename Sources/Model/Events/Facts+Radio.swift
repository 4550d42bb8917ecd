package import Bluetooth

/// No adapter could be used; the run waits for one.
package struct AdapterAwaited: Hashable, Sendable, Codable {
  /// Why the first permitted adapter cannot be used; nil while the Bluetooth stack itself is missing.
  package var problem: CentralError.AdapterProblem?
  /// The name of that adapter, if there is one: `hci0`.
  package var adapter: String?
  /// The longest wait, in seconds.
  package var seconds: Double

  enum CodingKeys: String, CodingKey {
    case problem = "cause"
    case adapter
    case seconds
  }

  package init(problem: CentralError.AdapterProblem?, adapter: String? = nil, seconds: Double) {
    self.problem = problem
    self.adapter = adapter
    self.seconds = seconds
  }
}

extension AdapterAwaited: FactPayload {}

/// The run began to use an adapter.
package struct AdapterSelected: Hashable, Sendable, Codable {
  /// The identity.
  package var adapter: AdapterID
  /// The name on the host: `hci0`.
  package var name: String
  /// The name in the manifest; nil without one.
  package var alias: String?
  /// The location in the manifest; nil without one.
  package var place: String?
  /// The name and version of the Bluetooth stack.
  package var stack: String?
  /// The controller; nil if the host does not report it, as in a virtual building.
  package var hardware: AdapterHardware?
  /// The number of slots at first; nil if the run did not use it.
  package var slots: Int?

  package init(
    adapter: AdapterID, name: String, alias: String? = nil, place: String? = nil, stack: String? = nil,
    hardware: AdapterHardware? = nil, slots: Int? = nil
  ) {
    self.adapter = adapter
    self.name = name
    self.alias = alias
    self.place = place
    self.stack = stack
    self.hardware = hardware
    self.slots = slots
  }
}

extension AdapterSelected: FactPayload {}

extension AdapterSelected {
  /// The name with the address and the manifest's description: `hci0 (00:1A:7D:DA:71:13, east, by the lift)`.
  package var title: String {
    "\(name) (" + [adapter.description, alias, place].compactMap(\.self).joined(separator: ", ") + ")"
  }
}

/// A fault of an adapter that is present and powered.
package struct AdapterFault: Hashable, Sendable, Codable {
  package var adapter: AdapterID
  package var fault: Kind
  /// True when the fault caused a power cycle.
  package var wasPowerCycled: Bool?
  /// The stack's error message, if any.
  package var stackText: String?

  /// The kinds of faults. The names are frozen.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It scanned for 10 s without a report of any device.
    case receivesNothing = "receives_nothing"
    /// The stack refused to scan with it, or did not respond, several times in a row.
    case refusesToScan = "refuses_to_scan"
    /// More devices of the families were received than are kept: further ones are ignored, unless a room
    /// names them.
    case tooManyDevices = "too_many_devices"
  }

  package init(
    adapter: AdapterID, fault: Kind, wasPowerCycled: Bool? = nil, stackText: String? = nil
  ) {
    self.adapter = adapter
    self.fault = fault
    self.wasPowerCycled = wasPowerCycled
    self.stackText = stackText
  }

  enum CodingKeys: String, CodingKey {
    case adapter
    case fault
    case wasPowerCycled = "power_cycled"
    case stackText = "stack_text"
  }
}

extension AdapterFault: FactPayload {}

/// The run ended a link that a killed run had left behind.
package struct LinkReleased: Hashable, Sendable, Codable {
  package var address: BluetoothAddress
  package var adapter: AdapterID

  package init(address: BluetoothAddress, adapter: AdapterID) {
    self.address = address
    self.adapter = adapter
  }
}

extension LinkReleased: FactPayload {
  package var subject: FactSubject { FactSubject(address: address) }
}

/// Another program scans with an adapter in use: BlueZ then takes up to 10 s longer to connect.
package struct ForeignScanDetected: Hashable, Sendable, Codable {
  package var adapter: AdapterID
  /// The candidates, for display: `bluetoothctl (pid 812)`. Empty when unknown.
  package var clients: [String]

  package init(adapter: AdapterID, clients: [String]) {
    self.adapter = adapter
    self.clients = clients
  }
}

extension ForeignScanDetected: FactPayload {}

/// A scan window of an adapter.
package struct ScanPeriod: Hashable, Sendable, Codable {
  package var adapter: AdapterID
  package var purpose: ScanPurpose
  /// The room, for a window of a single room.
  package var room: RoomID?

  package init(adapter: AdapterID, purpose: ScanPurpose, room: RoomID? = nil) {
    self.adapter = adapter
    self.purpose = purpose
    self.room = room
  }
}

extension ScanPeriod: FactPayload {}

/// The purpose of a scan window. The names are frozen.
package enum ScanPurpose: String, Hashable, Sendable, Codable, CaseIterable {
  /// Determining which devices are present at the start.
  case survey
  /// Receiving a device again before its connection.
  case sighting
  /// Receiving a device's proof.
  case proof
}

/// A device and its state on air.
package struct DeviceSighted: Hashable, Sendable, Codable {
  package var address: BluetoothAddress
  /// The adapter that received it.
  package var adapter: AdapterID
  /// The family; nil for a beacon of another kind whose identity a room has.
  package var profile: ProfileID?
  package var rssi: Int?
  /// The identity of a configured device; nil in provisioning mode.
  package var identity: DeviceIdentity?

  package init(
    address: BluetoothAddress, adapter: AdapterID, profile: ProfileID?, rssi: Int? = nil,
    identity: DeviceIdentity? = nil
  ) {
    self.address = address
    self.adapter = adapter
    self.profile = profile
    self.rssi = rssi
    self.identity = identity
  }
}

extension DeviceSighted: FactPayload {
  package var subject: FactSubject { FactSubject(address: address) }
}

/// A device that could be provisioned and that no room of the building claims.
package struct DeviceUnclaimed: Hashable, Sendable, Codable {
  package var address: BluetoothAddress
  /// The adapter that received it last.
  package var adapter: AdapterID
  package var profile: ProfileID
  package var rssi: Int?

  package init(address: BluetoothAddress, adapter: AdapterID, profile: ProfileID, rssi: Int? = nil) {
    self.address = address
    self.adapter = adapter
    self.profile = profile
    self.rssi = rssi
  }
}

extension DeviceUnclaimed: FactPayload {
  package var subject: FactSubject { FactSubject(address: address) }
}
