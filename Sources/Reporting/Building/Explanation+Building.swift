import Model

extension Explanation {
  /// The reason why a room of a building is not done, and the next action.
  init(of room: BuildingRoom) {
    if !room.unordered.isEmpty {
      self = RecordConflict.unordered(room: room.id, runs: room.unordered).explanation { _ in room.name }
      return
    }
    switch room.state {
    case .outdated:
      self.init(
        "The settings on record differ from the manifest.",
        "Run `roboprov apply`: it writes the new settings, or shows how to put the device into provisioning mode."
      )
    case .untried:
      self.init("No run has worked on this room.", "Run `roboprov apply`.")
    case .done, .unconfirmed, .open, .accepted, .retired:
      self =
        room.last.flatMap { Explanation(of: $0.room) }
        ?? Self("The record has no reason.", "Run `roboprov apply`.")
    }
  }
}
