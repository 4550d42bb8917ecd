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
    return switch known.status(of: room) {
    case .retired(let retirement): Exclusion(.retired, reason: retirement.reason)
    case .accepted(let acceptance): Exclusion(.accepted, reason: acceptance.reason, by: acceptance.by)
    case .done where unfinished: Exclusion(.deselected)
    default: nil
    }
  }
}

extension Known {
  /// Whether the record proves that the room's device has the settings of the manifest.
  package func isDone(_ room: Room) -> Bool { status(of: room).kind == .done }
}
