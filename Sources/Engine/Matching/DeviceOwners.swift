public import Bluetooth
public import Model

/// Which room each device belongs to: by the manifest, the record, and the beacon that it sends. Pure.
///
/// For people that look at the air, not for decisions: a beacon with a room's identity may be a neighbour's.
public struct DeviceOwners: Sendable {
  /// A room that has a device.
  public struct Owner: Hashable, Sendable {
    /// The room.
    public var room: RoomID
    /// What people call it.
    public var name: String
    /// What says that the device is the room's.
    public var basis: Basis
  }

  /// What says that a device is a room's; the strongest first. The names are frozen.
  public enum Basis: String, Hashable, Sendable, CaseIterable {
    /// The manifest has its address.
    case manifest
    /// An earlier run gave it to the room.
    case record
    /// It was the room's, and is out of service.
    case retired
    /// It sends the room's identity.
    case identity = "identity_on_air"
  }

  private var owners: [BluetoothAddress: Owner] = [:]
  private var identities: [BeaconIdentity: Owner] = [:]
  private var identitiesOfRooms: [RoomID: BeaconIdentity] = [:]
  private var positions: [RoomID: Int] = [:]

  /// The owners in a building.
  public init(_ building: Building, _ standing: BuildingStanding) {
    let names = Dictionary(uniqueKeysWithValues: building.rooms.map { ($0.id, $0.name) })
    for (address, retirement) in standing.retired {
      let name = names[retirement.room] ?? standing.rooms[retirement.room]?.name
      owners[address] = Owner(
        room: retirement.room, name: name ?? retirement.room.rawValue, basis: .retired)
    }
    for (id, room) in standing.rooms.sorted(by: { $0.key > $1.key }) where room.retirement == nil {
      let owner = Owner(room: id, name: names[id] ?? room.name, basis: .record)
      for binding in room.bindings {
        owners[binding.address] = owner
        // This firmware changes its address.
        if let deed = room.deed, deed.address == binding.address { owners[deed.heardAt] = owner }
      }
    }
    for (position, room) in building.rooms.enumerated() {
      positions[room.id] = position
      if let address = room.address {
        owners[address] = Owner(room: room.id, name: room.name, basis: .manifest)
      }
      guard case .beacon(let identity) = proof(of: room) else { continue }
      identitiesOfRooms[room.id] = identity
      if identities[identity] == nil {
        identities[identity] = Owner(room: room.id, name: room.name, basis: .identity)
      }
    }
  }

  /// The room of the device that has this address and sends this beacon; nil when it is no room's.
  public func owner(of address: BluetoothAddress, sending beacon: IBeacon?) -> Owner? {
    owners[address] ?? beacon.flatMap { identities[$0.identity] }
  }

  /// The room of a device.
  public func owner(of device: AirLedger.Sighting) -> Owner? {
    owner(of: device.address, sending: device.beaconAtWork)
  }

  /// The addresses that are a room's device: by the manifest, by the record, and as it was last received.
  public func addresses(of room: RoomID) -> Set<BluetoothAddress> {
    Set(owners.filter { $0.value.room == room && $0.value.basis != .retired }.keys)
  }

  /// The identity that the device of a room sends; nil where its family has none, or the room is not in the manifest.
  public func identity(of room: RoomID) -> BeaconIdentity? { identitiesOfRooms[room] }

  /// The devices of no room first, the strongest of them at the top; then those of rooms in the manifest's order.
  public func sorted(_ devices: [AirLedger.Sighting]) -> [AirLedger.Sighting] {
    func key(_ device: AirLedger.Sighting) -> (Int, Int, BluetoothAddress) {
      guard let owner = owner(of: device) else { return (-1, -(device.rssi ?? Int.min + 1), device.address) }
      return (positions[owner.room] ?? Int.max, 0, device.address)
    }
    return devices.sorted { key($0) < key($1) }
  }
}
