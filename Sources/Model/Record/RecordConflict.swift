package import Bluetooth

/// A conflict between the manifest and the record, or within the record: a run writes nothing until the
/// operator resolves it.
package enum RecordConflict: Hashable, Sendable {
  /// The manifest names another device than the record. Permitted by `rebind`.
  case boundToAnother(room: RoomID, named: BluetoothAddress, recorded: BluetoothAddress)
  /// The manifest names a device that the record has in another room. Permitted by `rebind`.
  case deviceOfAnotherRoom(room: RoomID, named: BluetoothAddress, other: RoomID)
  /// The manifest names a device that was taken out of service. Permitted by `rebind`.
  case deviceRetired(room: RoomID, named: BluetoothAddress, Retirement)
  /// The room was provisioned with another identity. Permitted by `renumber`.
  case renumbered(room: RoomID, from: DeviceIdentity, to: DeviceIdentity, device: BluetoothAddress)
  /// Merged records have several devices for a room. Resolved by `rebind`, or by replacing all but one.
  case severalDevices(room: RoomID, [BluetoothAddress])
  /// Merged records have a device in several rooms. Resolved by replacing it in all but one.
  case severalRooms(device: BluetoothAddress, [RoomID])
  /// Merged records have devices of several rooms with one identity.
  case identityTwice(DeviceIdentity, [RoomID], [BluetoothAddress])
  /// Runs that did not know each other wrote the room's device or decided about the room, so the record does
  /// not show which came last. Permitted by `force` and `rebind`; resolved by a run or a change that knows them
  /// all and writes or decides the room.
  case unordered(room: RoomID, runs: [String])

  package var rooms: [RoomID] {
    switch self {
    case .boundToAnother(let room, _, _), .deviceOfAnotherRoom(let room, _, _),
      .deviceRetired(let room, _, _),
      .renumbered(let room, _, _, _), .severalDevices(let room, _), .unordered(let room, _):
      [room]
    case .severalRooms(_, let rooms), .identityTwice(_, let rooms, _): rooms
    }
  }
}

/// The permissions of the operator to act against the record.
package struct RecordPermissions: Hashable, Sendable {
  /// Rooms whose device may differ from the one on record.
  package var rebind: Set<RoomID>
  /// Whether provisioned rooms may get another identity.
  package var renumber: Bool
  /// Rooms to work on even if the record has them as done, accepted or retired.
  package var force: Set<RoomID>
  /// Rooms whose device may be overwritten though it holds settings that are neither the factory's nor the
  /// room's.
  package var overwrite: Set<RoomID>

  package init(
    rebind: Set<RoomID> = [], renumber: Bool = false, force: Set<RoomID> = [], overwrite: Set<RoomID> = []
  ) {
    (self.rebind, self.renumber, self.force, self.overwrite) = (rebind, renumber, force, overwrite)
  }
}

/// The conflicts between the selected rooms and the record. A pure function; a run begins only without any.
package func conflicts(
  of rooms: [Room], with lastKnown: LastKnownBuilding, allowing permissions: RecordPermissions
) -> [RecordConflict] {
  var found: [RecordConflict] = []
  let owners = lastKnown.owners
  for room in rooms {
    let recorded = lastKnown.rooms[room.id]
    if !permissions.rebind.contains(room.id) {
      let binding = bindingConflicts(of: room, recorded, lastKnown, owners)
      found += binding
      // A conflict of devices is resolved first, and may resolve this one.
      if binding.isEmpty, let runs = recorded?.unordered, !runs.isEmpty, !permissions.force.contains(room.id)
      {
        found.append(.unordered(room: room.id, runs: runs))
      }
    }
    // A device that was configured elsewhere is never written, so the manifest must be corrected instead.
    if !permissions.renumber, !room.isRegistered, let lastWrite = recorded?.lastWrite,
      let from = lastWrite.identity, let to = room.identity, lastWrite.wroteAnotherIdentity(than: room)
    {
      found.append(.renumbered(room: room.id, from: from, to: to, device: lastWrite.address))
    }
  }
  return found
}

extension LastWrite {
  /// Whether it wrote another identity. Parts that the firmware decides are only expected: advertisements decide
  /// about them.
  fileprivate func wroteAnotherIdentity(than room: Room) -> Bool {
    room.family.settings.contains { setting in
      guard setting.isOnAir, setting.isWritten, let wanted = room.settings[setting.name]?.shown,
        let recorded = settings[setting.name]?.value
      else { return false }
      return wanted != recorded
    }
  }
}

private func bindingConflicts(
  of room: Room, _ recorded: LastKnownRoom?, _ lastKnown: LastKnownBuilding,
  _ owners: [BluetoothAddress: [RoomID]]
) -> [RecordConflict] {
  let bound = (recorded?.bindings ?? []).map(\.address).sorted()
  if bound.count > 1 { return [.severalDevices(room: room.id, bound)] }
  if let only = bound.first {
    if let named = room.address, named != only {
      return [.boundToAnother(room: room.id, named: named, recorded: only)]
    }
    let owners = owners[only] ?? []
    return owners.count > 1 ? [.severalRooms(device: only, owners)] : []
  }
  guard let named = room.address else { return [] }
  if let retirement = lastKnown.retired[named] {
    return [.deviceRetired(room: room.id, named: named, retirement)]
  }
  return (owners[named] ?? []).filter { $0 != room.id }.prefix(1).map {
    .deviceOfAnotherRoom(room: room.id, named: named, other: $0)
  }
}
