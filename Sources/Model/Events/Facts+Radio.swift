public import Bluetooth

/// Why no adapter could be used yet.
public struct AdapterAwaited: Hashable, Sendable, Codable {
  /// What is the matter with the best of them; nil while not even the Bluetooth stack is there.
  public var trouble: CentralError.AdapterTrouble?
  /// Its name, where there is one: `hci0`.
  public var adapter: String?
  /// How long the run will wait, in seconds.
  public var seconds: Double

  /// All of it; what does not apply is left out.
  public init(trouble: CentralError.AdapterTrouble?, adapter: String? = nil, seconds: Double) {
    self.trouble = trouble
    self.adapter = adapter
    self.seconds = seconds
  }
}

extension AdapterAwaited: FactPayload {}

/// The adapter in use.
public struct AdapterSelected: Hashable, Sendable, Codable {
  /// Its identity.
  public var adapter: AdapterID
  /// What the host calls it: `hci0`.
  public var name: String
  /// What the manifest calls it; nil where it does not.
  public var alias: String?
  /// Where the manifest says that it is; nil where it does not.
  public var place: String?
  /// Name and version of the Bluetooth stack.
  public var stack: String?
  /// The controller behind it; nil where the host does not tell, as in a virtual building.
  public var hardware: AdapterHardware?
  /// How many links it may hold at once, to begin with; nil in records of earlier versions.
  public var slots: Int?

  /// All of it; what does not apply is left out.
  public init(
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
  /// What it is called, with its address and what the manifest says of it: `hci0 (00:1A:7D:DA:71:13, east, by the lift)`.
  public var title: String {
    "\(name) (" + [adapter.description, alias, place].compactMap(\.self).joined(separator: ", ") + ")"
  }
}

/// What is wrong with an adapter that is there and powered.
public struct AdapterFault: Hashable, Sendable, Codable {
  /// The adapter.
  public var adapter: AdapterID
  /// What is wrong.
  public var fault: Kind
  /// True when it was switched off and on because of that.
  public var wasPowerCycled: Bool?
  /// The stack's own words, where it said something.
  public var stackText: String?

  /// What can be wrong. The names are frozen.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It scanned for 10 s and reported no device at all.
    case hearsNothing = "hears_nothing"
    /// The stack refused to scan with it, or did not answer, several times in a row.
    case refusesToScan = "refuses_to_scan"
    /// More devices of the families were heard than are kept: further ones are ignored, unless a room names them.
    case tooManyDevices = "too_many_devices"
  }

  /// All of it; what does not apply is left out.
  public init(
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

/// A link that an earlier run, which did not live to end it, had left behind.
public struct LinkReleased: Hashable, Sendable, Codable {
  /// The device at its other end.
  public var address: BluetoothAddress
  /// The adapter that held it.
  public var adapter: AdapterID

  /// All of it.
  public init(address: BluetoothAddress, adapter: AdapterID) {
    self.address = address
    self.adapter = adapter
  }
}

extension LinkReleased: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(address: address) }
}

/// Another program that scans with an adapter in use: BlueZ then takes up to 10 s longer to connect.
public struct ForeignScanDetected: Hashable, Sendable, Codable {
  /// The adapter.
  public var adapter: AdapterID
  /// The programs that it may be, for people: `bluetoothctl (pid 812)`. Empty when that is not known.
  public var clients: [String]

  /// All of it.
  public init(adapter: AdapterID, clients: [String]) {
    self.adapter = adapter
    self.clients = clients
  }
}

extension ForeignScanDetected: FactPayload {}

/// An adapter and what it listens for.
public struct Listening: Hashable, Sendable, Codable {
  /// The adapter.
  public var adapter: AdapterID
  /// What for.
  public var purpose: ListeningPurpose
  /// For which room, when for one.
  public var room: RoomID?

  /// All of it; what does not apply is left out.
  public init(adapter: AdapterID, purpose: ListeningPurpose, room: RoomID? = nil) {
    self.adapter = adapter
    self.purpose = purpose
    self.room = room
  }
}

extension Listening: FactPayload {}

/// What a listening window is for. The names are frozen.
public enum ListeningPurpose: String, Hashable, Sendable, Codable, CaseIterable {
  /// Finding out who is there at the start.
  case survey
  /// Hearing one device again before it is dialled.
  case sighting
  /// Hearing a device's proof.
  case proof
}

/// A device and the life it is in.
public struct DeviceSighted: Hashable, Sendable, Codable {
  /// Who.
  public var address: BluetoothAddress
  /// Who heard it.
  public var adapter: AdapterID
  /// The family it was recognised as; nil of a beacon that is of none, and that some room has.
  public var profile: ProfileID?
  /// RSSI in dBm.
  public var rssi: Int?
  /// Its minor when it is at work as a beacon; nil while it waits to be provisioned.
  public var minor: UInt16?

  /// All of it; what does not apply is left out.
  public init(
    address: BluetoothAddress, adapter: AdapterID, profile: ProfileID?, rssi: Int? = nil, minor: UInt16? = nil
  ) {
    self.address = address
    self.adapter = adapter
    self.profile = profile
    self.rssi = rssi
    self.minor = minor
  }
}

extension DeviceSighted: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(address: address) }
}

/// A device that could be provisioned, and that no room of the building claims.
public struct DeviceUnclaimed: Hashable, Sendable, Codable {
  /// Who.
  public var address: BluetoothAddress
  /// The adapter that heard it last.
  public var adapter: AdapterID
  /// Its family.
  public var profile: ProfileID
  /// RSSI in dBm.
  public var rssi: Int?

  /// All of it; what does not apply is left out.
  public init(address: BluetoothAddress, adapter: AdapterID, profile: ProfileID, rssi: Int? = nil) {
    self.address = address
    self.adapter = adapter
    self.profile = profile
    self.rssi = rssi
  }
}

extension DeviceUnclaimed: FactPayload {
  /// What it is about.
  public var subject: FactSubject { FactSubject(address: address) }
}
