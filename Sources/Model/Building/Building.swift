public import Bluetooth

/// A building as a checked manifest describes it: nothing in here can be invalid for its profile.
public struct Building: Hashable, Sendable {
  /// Its stable name in file names and records: `[a-z0-9-]+`.
  public var id: String
  /// Its name for people.
  public var name: String
  /// Whether rooms without any hint may take any sensor nobody claims.
  public var assignment: Assignment
  /// What is known of adapters, in the manifest's order.
  public var adapters: [AdapterDescription]
  /// Its rooms, in the manifest's order.
  public var rooms: [Room]

  /// What a room without address, binding or any other hint may get.
  public enum Assignment: String, Hashable, Sendable, Codable {
    /// Nothing: each room names its sensor.
    case address
    /// Any unclaimed sensor, after the list was confirmed.
    case any
    /// Nothing yet: addresses are supplied later, from labels.
    case later
  }

  /// A building.
  public init(
    id: String, name: String, assignment: Assignment = .address, adapters: [AdapterDescription] = [],
    rooms: [Room]
  ) {
    self.id = id
    self.name = name
    self.assignment = assignment
    self.adapters = adapters
    self.rooms = rooms
  }
}

extension Building {
  /// How many links an adapter can hold at once, if the manifest says so.
  package func slots(of adapter: Adapter) -> Int? {
    adapters.filter { $0.reference.names(adapter) }.compactMap(\.slots).min()
  }

  /// What the manifest says of an adapter; nil where it says nothing.
  package func description(of adapter: Adapter) -> AdapterDescription? {
    adapters.first { $0.reference.names(adapter) }
  }

  /// The adapter that a name stands for: that of a name of the manifest's own, else the name itself.
  package func adapter(named name: String) -> AdapterReference {
    adapters.first { $0.alias == name }?.reference ?? AdapterReference(name)
  }
}

/// A room of the manifest: what its device is to be told, and what is known of that device.
public struct Room: Hashable, Sendable {
  /// Its stable identity.
  public var id: RoomID
  /// Its name for people, and for devices that take a room name.
  public var name: String
  /// The floor that it is on, where the manifest says: `3`, `ground`.
  public var floor: String?
  /// Labels that the manifest gives it, by which it can be selected, in the manifest's order; the groups that it is in are
  /// among them.
  public var tags: [String]
  /// The device family expected here.
  public var profile: ProfileID
  /// The device's address, where the manifest gives it.
  public var address: BluetoothAddress?
  /// The adapter that stands in the room, where the manifest names one: its device is the nearest to it.
  public var near: AdapterReference?
  /// Whether its device was configured elsewhere: it is looked for on air, and never written.
  public var isRegistered: Bool
  /// Whose beacon proves its device.
  public var proofAddress: ProofAddress
  /// Whether its device is asked for the WiFi networks that it receives before anything is written.
  public var checksWiFi: Bool
  /// What the device is to be told, and what its firmware is expected to send, by the profile's setting names. A setting
  /// that is absent is not written.
  public var settings: [SettingName: SettingValue]
  /// How long each stage may take.
  public var timeouts: StageTimeouts
  /// How many attempts may follow the first, 0…20.
  public var retries: Int

  /// A room.
  public init(
    id: RoomID, name: String, floor: String? = nil, tags: [String] = [], profile: ProfileID,
    address: BluetoothAddress? = nil, near: AdapterReference? = nil, isRegistered: Bool = false,
    proofAddress: ProofAddress = .own, checksWiFi: Bool = false,
    settings: [SettingName: SettingValue], timeouts: StageTimeouts, retries: Int
  ) {
    self.id = id
    self.name = name
    self.floor = floor
    self.tags = tags
    self.profile = profile
    self.address = address
    self.near = near
    self.isRegistered = isRegistered
    self.proofAddress = proofAddress
    self.checksWiFi = checksWiFi
    self.settings = settings
    self.timeouts = timeouts
    self.retries = retries
  }

  /// The settings that nobody may see.
  public var secrets: [Secret] {
    settings.values.compactMap { if case .secret(let secret) = $0 { secret } else { nil } }
  }

  /// The minor ID, for families that have one.
  public var minor: UInt16? {
    guard case .integer(let number)? = settings[.minor] else { return nil }
    return UInt16(exactly: number)
  }
}

/// The address from which a beacon with the written identity proves a device. The names are frozen.
public enum ProofAddress: String, Hashable, Sendable, Codable, CaseIterable {
  /// The address that was written.
  case own = "own_address"
  /// That, or another one that was silent before the save: this firmware changes its address.
  case any = "any_address"
}

extension Identifier<SettingDescription> {
  /// Name of the room, as written to the device.
  public static var roomName: Self { "room_name" }
  /// Proximity UUID of the beacon.
  public static var uuid: Self { "uuid" }
  /// Major ID of the beacon.
  public static var major: Self { "major" }
  /// Minor ID of the beacon.
  public static var minor: Self { "minor" }
  /// Proximity UUID that the firmware sends, where nobody writes it.
  public static var beaconUUID: Self { "beacon_uuid" }
  /// Major ID that the firmware sends, where nobody writes it.
  public static var beaconMajor: Self { "beacon_major" }
  /// SSID of the WiFi network.
  public static var wifiSSID: Self { "wifi_ssid" }
  /// Password of the WiFi network.
  public static var wifiPassword: Self { "wifi_password" }
}
