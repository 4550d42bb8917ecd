public import Model

extension RoomSelection {
  /// The rooms that are not to be worked on, and why. Rooms that somebody accepted or retired are left alone, too,
  /// unless they are forced.
  public func excluded(from building: Building, _ known: Known) -> [RoomID: Exclusion] {
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
  /// Whether the record has the room's device at work as the manifest wants it.
  public func isDone(_ room: Room) -> Bool {
    guard let deed = standing.rooms[room.id]?.deed, case .proved = deed.state else { return false }
    if let address = room.address, address != deed.address { return false }
    return deed.gave(what: room, seal) && deed.isProved(as: room)
  }
}
