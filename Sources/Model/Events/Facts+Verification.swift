public import Bluetooth

/// What was heard of a room's device while a person had the building verified.
public struct RoomVerified: Hashable, Sendable, Codable {
  /// What was found. The names are frozen.
  public enum Finding: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its own device is on air with the room's identity, and no other device is.
    case onAir = "on_air"
    /// Its own device is on air with the room's identity, and so is another device.
    case duplicate
    /// The room's identity is on air from another device only.
    case otherDevice = "other_device"
    /// Its device is on air with another identity.
    case otherIdentity = "other_identity"
    /// Its device waits to be provisioned.
    case waiting
    /// Neither its device nor its identity was heard.
    case missing
    /// Devices of its family do not tell on air what they hold.
    case notVerifiable = "not_verifiable"
  }

  /// The room.
  public var room: RoomID
  /// What was found.
  public var finding: Finding
  /// Its device, where one is known.
  public var address: BluetoothAddress?
  /// The minor of its identity, where it has one.
  public var minor: UInt16?
  /// RSSI of its device in dBm: the median over the scan windows in which it was heard.
  public var rssi: Int?
  /// The least of these.
  public var rssiMin: Int?
  /// The greatest of these.
  public var rssiMax: Int?
  /// In how many scan windows it was heard with the room's identity.
  public var windowsHeard: Int
  /// How many scan windows there were.
  public var windows: Int
  /// The other devices with the room's identity.
  public var others: [BluetoothAddress]

  /// All of it; what does not apply is left out.
  public init(
    room: RoomID, finding: Finding, address: BluetoothAddress? = nil, minor: UInt16? = nil, rssi: [Int] = [],
    windowsHeard: Int = 0, windows: Int, others: [BluetoothAddress] = []
  ) {
    self.room = room
    self.finding = finding
    self.address = address
    self.minor = minor
    let sorted = rssi.sorted()
    self.rssi = sorted.isEmpty ? nil : sorted[sorted.count / 2]
    rssiMin = sorted.first
    rssiMax = sorted.last
    self.windowsHeard = windowsHeard
    self.windows = windows
    self.others = others
  }

  enum CodingKeys: String, CodingKey {
    case room
    case finding
    case address
    case minor
    case rssi
    case rssiMin = "rssi_min"
    case rssiMax = "rssi_max"
    case windowsHeard = "windows_heard"
    case windows
    case others
  }

  /// Below this, in dBm, connecting is unreliable (PROTOCOLS §1).
  public static let weakBelow = -85

  /// Whether its device is heard, but weakly.
  public var isWeak: Bool { finding == .onAir && rssi.map { $0 < Self.weakBelow } ?? false }

  /// Whether there is something to see to.
  public var needsAction: Bool { finding != .onAir && finding != .notVerifiable }
}

extension RoomVerified: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// A beacon with the uuid and major of a building's rooms, and a minor that no room has.
public struct UnexpectedBeacon: Hashable, Sendable {
  /// The device.
  public var address: BluetoothAddress
  /// What it sends.
  public var identity: BeaconIdentity
  /// RSSI last reported, in dBm.
  public var rssi: Int?

  /// A beacon.
  public init(address: BluetoothAddress, identity: BeaconIdentity, rssi: Int?) {
    self.address = address
    self.identity = identity
    self.rssi = rssi
  }
}
