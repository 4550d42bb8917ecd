import Model

extension Explanation {
  /// The reason why a room of a building is not done, and the next action.
  /// - Parameter isGeneral: Whether the address of its device is left out, so that rooms can share it.
  init(of room: BuildingRoom, isGeneral: Bool = false) {
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
      self.init(
        "No run has worked on this room.",
        "Run `roboprov apply`: it provisions the room, or says what it needs.")
    case .missing:
      self.init(missing: room)
    case .unconfirmed where room.verification?.found.held != nil && room.absence?.finding == .otherIdentity:
      self.init(otherIdentity: room)
    case .unconfirmed where room.absence != nil && room.evidence != nil:
      self.init(
        "When last searched for, its device was not as recorded: "
          + "\(room.absence?.finding.words ?? "").",
        "Run `roboprov apply`: it shows what must be done.")
    case .done, .unconfirmed, .open, .accepted, .retired:
      self =
        room.last.flatMap { isGeneral ? Explanation(general: $0.room) : Explanation(of: $0.room) }
        ?? Self("The record has no reason.", "Run `roboprov apply`.")
    }
  }
}

extension Explanation {
  /// Both sightings of a device that was found with another identity.
  fileprivate init(otherIdentity room: BuildingRoom) {
    let device = (room.family?.words ?? DeviceWords()).noun
    let identity = room.identity?.distinction.visible ?? "its identity"
    let recorded = room.seen.map { " on \(LocalTime.utc.day($0.at)) (run \($0.run))" } ?? ""
    let found =
      room.verification?.found.held.map { $0.shown(besides: room.identity).visible } ?? "another identity"
    let verified =
      room.verification.map { " on \(LocalTime.utc.day($0.recorded.at)) (run \($0.recorded.run))" } ?? ""
    self.init(
      "Its \(device) was received with \(identity)\(recorded), and then with \(found)\(verified).",
      """
      If another laptop wrote it, merge both records with `roboprov report merge FOLDER FOLDER --into reports`. If not, \
      run `roboprov apply`: it shows what must be done.
      """)
  }

  fileprivate init(missing room: BuildingRoom) {
    let device = (room.family?.words ?? DeviceWords()).noun
    let since = room.absence.map { " since \(LocalTime.utc.day($0.since.at))" } ?? ""
    let search = room.verification?.recorded == room.absence?.last ? room.verification?.found.adapters : nil
    let found =
      room.absence?.finding == .otherDevice
      ? "Its identity was received only from another address, not from its \(device)\(since)."
      : "Its \(device) was searched for\((search ?? []).by), but not received\(since)."
    self.init(
      found,
      """
      Check that the \(device) is in its room and has power, then run `roboprov verify` near it. If it is gone, run \
      `roboprov replace` or `roboprov retire`. To leave it as it is, run `roboprov accept`.
      """)
  }
}
