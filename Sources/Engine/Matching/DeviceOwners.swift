package import Bluetooth
package import Model

/// Which room each device belongs to: by the manifest, the record, and the beacon that it sends. Pure.
///
/// For display, not for decisions: a beacon with a room's identity may come from another building.
package struct DeviceOwners: Sendable {
  package struct Owner: Hashable, Sendable {
    package var room: RoomID
    /// The display name of the room.
    package var name: String
    package var basis: Basis
  }

  /// Why a device counts as a room's; the strongest reason first. The names are frozen.
  package enum Basis: String, Hashable, Sendable, CaseIterable {
    /// The manifest has its address.
    case manifest
    /// The record has a binding.
    case record
    /// It was the room's device and was retired.
    case retired
    /// It sends the room's identity.
    case identity = "identity_on_air"
  }

  private var owners: [BluetoothAddress: Owner] = [:]
  private var identities: [DeviceIdentity: Owner] = [:]
  private var identitiesOfRooms: [RoomID: DeviceIdentity] = [:]
  private var positions: [RoomID: Int] = [:]

  package init(_ building: Building, _ lastKnown: LastKnownBuilding) {
    let names = Dictionary(uniqueKeysWithValues: building.rooms.map { ($0.id, $0.name) })
    for (address, retirement) in lastKnown.retired {
      let name = names[retirement.room] ?? lastKnown.rooms[retirement.room]?.name
      owners[address] = Owner(
        room: retirement.room, name: name ?? retirement.room.rawValue, basis: .retired)
    }
    for (id, room) in lastKnown.rooms.sorted(by: { $0.key > $1.key }) where room.retirement == nil {
      let owner = Owner(room: id, name: names[id] ?? room.name, basis: .record)
      for binding in room.bindings {
        owners[binding.address] = owner
        // The device may have sent its last proof from another address.
        if let lastWrite = room.lastWrite, lastWrite.address == binding.address {
          owners[lastWrite.receivedAt] = owner
        }
      }
    }
    for (position, room) in building.rooms.enumerated() {
      positions[room.id] = position
      if let address = room.address {
        owners[address] = Owner(room: room.id, name: room.name, basis: .manifest)
      }
      guard let identity = room.identity else { continue }
      identitiesOfRooms[room.id] = identity
      identities[identity] = Owner(room: room.id, name: room.name, basis: .identity)
    }
  }

  /// The room of the device that has this address and sends this identity; nil for a device of no room.
  package func owner(of address: BluetoothAddress, sending identity: DeviceIdentity?) -> Owner? {
    owners[address] ?? identity.flatMap { identities[$0] }
  }

  package func owner(of device: AirLedger.Sighting) -> Owner? {
    owner(of: device.address, sending: device.identityAtWork)
  }

  /// The addresses of a room's device: by the manifest, by the record, and of its last proof.
  package func addresses(of room: RoomID) -> Set<BluetoothAddress> {
    Set(owners.filter { $0.value.room == room && $0.value.basis != .retired }.keys)
  }

  /// The identity that the device of a room sends; nil if its family has none, or the room is not in the
  /// manifest.
  package func identity(of room: RoomID) -> DeviceIdentity? { identitiesOfRooms[room] }

  /// The devices of no room first, the strongest at the top; then those of rooms in the manifest's order.
  package func sorted(_ devices: [AirLedger.Sighting]) -> [AirLedger.Sighting] {
    func key(_ device: AirLedger.Sighting) -> (Int, Int, BluetoothAddress) {
      guard let owner = owner(of: device) else { return (-1, -(device.rssi ?? Int.min + 1), device.address) }
      return (positions[owner.room] ?? Int.max, 0, device.address)
    }
    return devices.sorted { key($0) < key($1) }
  }
}
