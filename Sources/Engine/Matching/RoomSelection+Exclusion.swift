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
    guard !known.permissions.force.contains(room.id) else { return nil }
    let standing = known.standing.rooms[room.id]
    if let retirement = standing?.retirement { return Exclusion(.retired, reason: retirement.reason) }
    if let acceptance = standing?.acceptance {
      return Exclusion(.accepted, reason: acceptance.reason, by: acceptance.by)
    }
    return unfinished && known.isDone(room) ? Exclusion(.deselected) : nil
  }
}

extension Known {
  /// Whether the record proves that the room's device has the settings of the manifest.
  package func isDone(_ room: Room) -> Bool {
    guard let deed = standing.rooms[room.id]?.deed, case .proved = deed.state else { return false }
    if let address = room.address, address != deed.address { return false }
    return deed.gave(what: room, seal) && deed.isProved(as: room)
  }
}
