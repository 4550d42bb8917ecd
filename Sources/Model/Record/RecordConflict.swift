public import Bluetooth

/// Where a manifest contradicts the record, or the record itself: nothing is touched until a person has said
/// which is meant.
public enum RecordConflict: Hashable, Sendable {
  /// The manifest names another device than the record. Allowed by `rebind`.
  case boundToAnother(room: RoomID, named: BluetoothAddress, recorded: BluetoothAddress)
  /// The manifest names a device that the record has in another room. Allowed by `rebind`.
  case deviceOfAnotherRoom(room: RoomID, named: BluetoothAddress, other: RoomID)
  /// The manifest names a device that was taken out of service. Allowed by `rebind`.
  case deviceRetired(room: RoomID, named: BluetoothAddress, Retirement)
  /// The room was provisioned with another minor. Allowed by `renumber`.
  case renumbered(room: RoomID, from: UInt16, to: UInt16, device: BluetoothAddress)
  /// Records that were merged have several devices for a room. Settled by `rebind`, or by replacing all but one.
  case severalDevices(room: RoomID, [BluetoothAddress])
  /// Records that were merged have a device in several rooms. Settled by replacing it in all but one.
  case severalRooms(device: BluetoothAddress, [RoomID])
  /// Records that were merged have devices of several rooms at work with one minor.
  case minorTwice(UInt16, [RoomID], [BluetoothAddress])

  /// The rooms concerned.
  public var rooms: [RoomID] {
    switch self {
    case .boundToAnother(let room, _, _), .deviceOfAnotherRoom(let room, _, _),
      .deviceRetired(let room, _, _),
      .renumbered(let room, _, _, _), .severalDevices(let room, _):
      [room]
    case .severalRooms(_, let rooms), .minorTwice(_, let rooms, _): rooms
    }
  }
}

/// What a person allowed a run to do against the record.
public struct RecordPermissions: Hashable, Sendable {
  /// Rooms whose device may be another than on record.
  public var rebind: Set<RoomID>
  /// Whether rooms that were provisioned may get another minor.
  public var renumber: Bool
  /// Rooms that are to be done even if the record has them done, accepted or retired.
  public var force: Set<RoomID>
  /// Rooms whose device may be written over though it holds settings that are neither the factory's nor the room's.
  public var overwrite: Set<RoomID>

  /// Permissions; none unless given.
  public init(
    rebind: Set<RoomID> = [], renumber: Bool = false, force: Set<RoomID> = [], overwrite: Set<RoomID> = []
  ) {
    self.rebind = rebind
    self.renumber = renumber
    self.force = force
    self.overwrite = overwrite
  }
}

/// Where the manifest's rooms, as far as they are selected, contradict the record. A pure function; empty when a
/// run may begin.
public func conflicts(
  of rooms: [Room], with standing: BuildingStanding, allowing permissions: RecordPermissions
) -> [RecordConflict] {
  var found: [RecordConflict] = []
  for room in rooms {
    let recorded = standing.rooms[room.id]
    if !permissions.rebind.contains(room.id) {
      found += bindingConflicts(of: room, recorded, standing)
    }
    // What was configured elsewhere is not given another minor: the manifest is corrected.
    if !permissions.renumber, !room.isRegistered, let deed = recorded?.deed, let from = deed.minor,
      let to = room.minor,
      from != to
    {
      found.append(.renumbered(room: room.id, from: from, to: to, device: deed.address))
    }
  }
  return found
}

private func bindingConflicts(
  of room: Room, _ recorded: RoomStanding?, _ standing: BuildingStanding
) -> [RecordConflict] {
  let bound = (recorded?.bindings ?? []).map(\.address).sorted()
  if bound.count > 1 { return [.severalDevices(room: room.id, bound)] }
  if let only = bound.first {
    if let named = room.address, named != only {
      return [.boundToAnother(room: room.id, named: named, recorded: only)]
    }
    let owners = standing.owners(of: only)
    return owners.count > 1 ? [.severalRooms(device: only, owners)] : []
  }
  guard let named = room.address else { return [] }
  if let retirement = standing.retired[named] {
    return [.deviceRetired(room: room.id, named: named, retirement)]
  }
  return standing.owners(of: named).filter { $0 != room.id }.prefix(1).map {
    .deviceOfAnotherRoom(room: room.id, named: named, other: $0)
  }
}
