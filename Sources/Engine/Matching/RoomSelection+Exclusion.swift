package import Model

extension RoomSelection {
  /// The rooms that a run does not work on, and why. Accepted and retired rooms are among them unless they
  /// are forced.
  package func excluded(from building: Building, _ known: Known) -> [RoomID: Exclusion] {
    var excluded: [RoomID: Exclusion] = [:]
    for room in building.rooms { excluded[room.id] = exclusion(of: room, known) }
    return excluded
  }

  private func exclusion(of room: Room, _ known: Known) -> Exclusion? {
    if !names(room.id) { return Exclusion(.deselected) }
    guard !known.permissions.force.contains(room.id), !known.isUnordered(room) else { return nil }
    let lastKnown = known.lastKnown.rooms[room.id]
    if let retirement = lastKnown?.retirement { return Exclusion(.retired, reason: retirement.reason) }
    if let acceptance = lastKnown?.acceptance {
      return Exclusion(.accepted, reason: acceptance.reason, by: acceptance.by)
    }
    return unfinished && known.isDone(room) ? Exclusion(.deselected) : nil
  }
}

extension Known {
  /// Whether the record proves that the room's device has the settings of the manifest.
  package func isDone(_ room: Room) -> Bool {
    guard !isUnordered(room), let lastKnown = lastKnown.rooms[room.id], lastKnown.absence == nil,
      let lastWrite = lastKnown.lastWrite,
      !lastWrite.isUnproved
    else { return false }
    if let address = room.address, address != lastWrite.address { return false }
    return lastWrite.gave(what: room, seal) && lastWrite.isProved(as: room)
  }
}
