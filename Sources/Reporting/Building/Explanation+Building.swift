package import Model

extension Explanation {
  /// The reason why a room of a building is not done, and the next action.
  /// - Parameters:
  ///   - isGeneral: Whether what differs from room to room is left out, so that rooms can share it: the address of its device,
  ///     and when it was last received.
  ///   - times: The local time.
  init(of room: BuildingRoom, isGeneral: Bool = false, times: LocalTime) {
    let newest = room.last.flatMap { isGeneral ? Explanation(general: $0.room) : Explanation(of: $0.room) }
    switch room.status {
    case .conflicting(let runs):
      self = RecordConflict.unordered(room: room.id, runs: runs).explanation { _ in room.name }
    case .changed(let changes): self.init(changes, room, newest)
    case .untried:
      self =
        room.earlierID.map { Self.renamed(from: $0) }
        ?? Self(
          "No run has worked on this room.",
          "Run `roboprov apply`: it provisions the room, or says what it needs.")
    case .withoutDevice(let release): self.init(release, times)
    case .missing(let absence): self.init(missing: absence, room, isGeneral: isGeneral, times)
    case .unconfirmed(let absence?) where absence.last.run != room.last?.recorded.run:
      self =
        absence.held.map { Self(otherIdentity: $0, absence, room, times) }
        ?? Self(
          "When last searched for, its device was not as recorded: \(absence.finding.words).",
          "Run `roboprov apply`: it shows what must be done.")
    case .done, .unconfirmed, .actionRequired, .open, .accepted, .retired:
      self = newest ?? Self("The record has no reason.", "Run `roboprov apply`.")
    }
  }

  /// - Parameter newest: That of the newest run, which may know what the device needs.
  private init(_ changes: RoomChanges, _ room: BuildingRoom, _ newest: Explanation?) {
    var words: [String] = []
    if let address = changes.address { words.append("it names another device than \(address)") }
    if !changes.settings.isEmpty {
      words.append(changes.settings.words(SettingTitles(room.family.map { [$0] } ?? [])))
    }
    if words.isEmpty, let identity = changes.identity {
      let (old, new) = (
        identity.recorded.shown(besides: identity.wanted), identity.wanted.shown(besides: identity.recorded)
      )
      words.append("\(old.visible) → \(new.visible)")
    }
    self.init(
      "The manifest has changed since its device was written: \(words.joined(separator: "; ")).",
      room.last?.room.reason?.code == .settingsChanged
        ? newest?.advice ?? ""
        : "Run `roboprov apply`: it writes the new settings, or shows how to put the device into provisioning mode."
    )
  }

  private init(_ release: Release, _ times: LocalTime) {
    self.init(
      "Its device \(release.address) was taken out of service: \(times.moment(release.recorded.at))"
        + (release.successor.map { ", and \($0) was named in its place." } ?? "."),
      release.successor == nil
        ? "Write the address of its new device into the manifest, and run `roboprov apply`. To leave the room as it is, run `roboprov room accept`."
        : "Run `roboprov apply`.")
  }

  /// The line that keeps a renamed room what it was.
  package static func renamed(from id: RoomID) -> Explanation {
    Explanation(
      "Its device is on record for the room \(id.rawValue.visible), which the manifest does not have any more.",
      "If the room was only renamed, add `id: \(id.rawValue.visible)` to its entry in the manifest. If not, run `roboprov apply`, which says what it needs."
    )
  }

  /// Both sightings of a device that was found with another identity.
  private init(
    otherIdentity held: DeviceIdentity, _ absence: Absence, _ room: BuildingRoom, _ times: LocalTime
  ) {
    let device = (room.family?.words ?? DeviceWords()).noun
    func place(_ recorded: RecordedAt) -> String {
      " (\(times.moment(recorded.at)), run \(recorded.run))"
    }
    self.init(
      """
      Its \(device) was received with \(room.identity?.distinction.visible ?? "its identity")\(room.seen.map(place) ?? ""), \
      and then with \(held.shown(besides: room.identity).visible)\(place(absence.last)).
      """,
      """
      If another laptop wrote it, merge both records with `roboprov report merge FOLDER FOLDER --into reports`. If not, \
      run `roboprov apply`: it shows what must be done.
      """)
  }

  private init(missing absence: Absence, _ room: BuildingRoom, isGeneral: Bool, _ times: LocalTime) {
    let device = (room.family?.words ?? DeviceWords()).noun
    let search = room.verification?.recorded == absence.last ? room.verification?.found.adapters : nil
    let when = times.moment(absence.last.at) + ((search ?? []).by)
    let seen = isGeneral ? nil : room.seen.map { "last received \(times.moment($0.at)), and " }
    let found =
      absence.finding == .otherDevice
      ? "The identity of its \(device) was \(seen ?? "")received only from another address \(when)."
      : "Its \(device) was \(seen ?? "")not received \(when)."
    self.init(
      found,
      """
      Check that the \(device) is in its room and has power, then run `roboprov verify` near it. If it is gone, run \
      `roboprov room replace` or `roboprov room retire`. To leave it as it is, run `roboprov room accept`.
      """)
  }
}
