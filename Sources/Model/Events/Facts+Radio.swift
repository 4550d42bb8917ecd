package import Bluetooth

/// No adapter could be used; the run waits for one.
package struct AdapterAwaited: FactPayload {
  package var problem: CentralError.AdapterProblem?
  package var adapter: String?
  package var seconds: Double

  enum CodingKeys: String, CodingKey {
    case problem = "cause"
    case adapter, seconds
  }

  /// ` on floor-3` for an adapter of another host; empty for one of this computer.
  package var place: String { adapter.flatMap { AdapterReference($0).host }.map { " on \($0)" } ?? "" }

  package init(problem: CentralError.AdapterProblem?, adapter: String? = nil, seconds: Double) {
    (self.problem, self.adapter, self.seconds) = (problem, adapter, seconds)
  }
}

/// The adapters of another host cannot be used, or no longer. The run goes on with those of the others.
package struct HostUnavailable: FactPayload {
  package var host: HostName
  package var cause: Cause
  package var stackText: String?

  /// Why. The names are frozen.
  package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    case unreachable
    case noAnswer = "no_answer"
    case noService = "no_bluetooth_service"
    case refused
  }

  package init(host: HostName, cause: Cause, stackText: String? = nil) {
    (self.host, self.cause, self.stackText) = (host, cause, stackText)
  }

  /// Nil for this computer, and for a host with adapters that can be used.
  package init?(_ adapters: HostAdapters) {
    guard let host = adapters.host, let failure = adapters.failure else { return nil }
    let cause: Cause =
      switch failure.code {
      case .stackUnavailable: .noService
      case .permissionDenied: .refused
      case .timedOut: .noAnswer
      default: .unreachable
      }
    self.init(host: host, cause: cause, stackText: failure.stackText)
  }

  enum CodingKeys: String, CodingKey {
    case host, cause
    case stackText = "stack_text"
  }
}

/// The run began to use an adapter.
package struct AdapterSelected: FactPayload {
  package var adapter: AdapterID
  package var name: String
  package var alias: String?
  package var place: String?
  package var stack: String?
  package var hardware: AdapterHardware?
  package var slots: Int?

  package init(
    adapter: AdapterID, name: String, alias: String? = nil, place: String? = nil, stack: String? = nil,
    hardware: AdapterHardware? = nil, slots: Int? = nil
  ) {
    (self.adapter, self.name, self.alias, self.place) = (adapter, name, alias, place)
    (self.stack, self.hardware, self.slots) = (stack, hardware, slots)
  }
}

extension AdapterSelected {
  /// The name with the address and the manifest's description: `hci0 (00:1A:7D:DA:71:13, east, by the lift)`.
  package var title: String {
    "\(name) (" + [adapter.description, alias, place].compactMap(\.self).joined(separator: ", ") + ")"
  }
}

/// A fault of an adapter that is present and powered.
package struct AdapterFault: FactPayload {
  package var adapter: AdapterID
  package var fault: Kind
  package var address: BluetoothAddress?
  package var wasPowerCycled: Bool?
  package var stackText: String?

  /// The kinds of faults. The names are frozen.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case receivesNothing = "receives_nothing"
    case makesNoLink = "makes_no_link"
    case refusesToScan = "refuses_to_scan"
    case serviceStuck = "service_stuck"
    case tooManyDevices = "too_many_devices"
    case keepsDevice = "keeps_device"
    case comesAndGoes = "comes_and_goes"
    case notLocked = "not_locked"
  }

  package var subject: FactSubject { FactSubject(address: address) }

  package init(
    adapter: AdapterID, fault: Kind, address: BluetoothAddress? = nil, wasPowerCycled: Bool? = nil,
    stackText: String? = nil
  ) {
    (self.adapter, self.fault, self.address) = (adapter, fault, address)
    (self.wasPowerCycled, self.stackText) = (wasPowerCycled, stackText)
  }

  enum CodingKeys: String, CodingKey {
    case adapter, fault, address
    case wasPowerCycled = "power_cycled"
    case stackText = "stack_text"
  }
}

/// A controller held this many links, more than was known, or refused a further one. Later runs begin with this
/// number.
package struct LinksHeld: FactPayload {
  package var adapter: AdapterID
  package var links: Int
  /// Whether it refused a further link.
  package var isFull: Bool?

  package init(adapter: AdapterID, links: Int, isFull: Bool? = nil) {
    (self.adapter, self.links, self.isFull) = (adapter, links, isFull)
  }

  enum CodingKeys: String, CodingKey {
    case adapter, links
    case isFull = "full"
  }
}

/// The run ended a link that a killed run had left behind.
package struct LinkReleased: FactPayload {
  package var address: BluetoothAddress
  package var adapter: AdapterID
  package var subject: FactSubject { FactSubject(address: address) }

  package init(address: BluetoothAddress, adapter: AdapterID) {
    (self.address, self.adapter) = (address, adapter)
  }
}

/// The host of an adapter has no bond with a device any more that a run made.
package struct BondRemoved: FactPayload {
  package var address: BluetoothAddress
  package var adapter: AdapterID
  package var subject: FactSubject { FactSubject(address: address) }

  package init(address: BluetoothAddress, adapter: AdapterID) {
    (self.address, self.adapter) = (address, adapter)
  }
}

/// Another program scans with an adapter in use: BlueZ then takes up to 10 s longer to connect.
package struct ForeignScanDetected: FactPayload {
  package var adapter: AdapterID
  package var clients: [String]

  package init(adapter: AdapterID, clients: [String]) {
    (self.adapter, self.clients) = (adapter, clients)
  }
}

/// A scan window of an adapter.
package struct ScanPeriod: FactPayload {
  package var adapter: AdapterID
  package var purpose: ScanPurpose
  package var room: RoomID?

  package init(adapter: AdapterID, purpose: ScanPurpose, room: RoomID? = nil) {
    (self.adapter, self.purpose, self.room) = (adapter, purpose, room)
  }
}

/// The purpose of a scan window. The names are frozen.
package enum ScanPurpose: String, Hashable, Sendable, Codable, CaseIterable {
  case survey
  case sighting
  case proof
}

/// A device and its state on air.
package struct DeviceSighted: FactPayload {
  package var address: BluetoothAddress
  package var adapter: AdapterID
  package var profile: FamilyID?
  package var rssi: Int?
  package var identity: DeviceIdentity?
  package var subject: FactSubject { FactSubject(address: address) }

  package init(
    address: BluetoothAddress, adapter: AdapterID, profile: FamilyID?, rssi: Int? = nil,
    identity: DeviceIdentity? = nil
  ) {
    (self.address, self.adapter, self.profile, self.rssi) = (address, adapter, profile, rssi)
    self.identity = identity
  }
}

/// A device that could be provisioned and that no room of the building claims.
package struct DeviceUnclaimed: FactPayload {
  package var address: BluetoothAddress
  package var adapter: AdapterID
  package var profile: FamilyID
  package var rssi: Int?
  package var subject: FactSubject { FactSubject(address: address) }

  package init(address: BluetoothAddress, adapter: AdapterID, profile: FamilyID, rssi: Int? = nil) {
    (self.address, self.adapter, self.profile, self.rssi) = (address, adapter, profile, rssi)
  }
}
