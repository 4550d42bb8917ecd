package import Bluetooth
package import Model
package import Reporting

/// A change of one room's record.
package struct RoomAmendment {
  package let base: Amendment
  package let names: RoomNames
  package let room: RoomID

  /// - Parameter text: The room as a person named it, of the record or the manifest.
  /// - Throws: `CommandFailure` when it is unknown.
  package init(_ base: Amendment, of text: String) throws {
    self.base = base
    names = RoomNames(base.building.source?.building, base.lastKnown)
    room = try names.find(text, for: "ROOM")
  }

  /// Its name for people.
  package var name: String { names.name(of: room) }
  /// Its record; nil without one.
  package var known: LastKnownRoom? { base.lastKnown.rooms[room] }
  /// Its entry in the manifest; nil without a manifest, or if that does not have it.
  package var wanted: Room? { base.building.source?.building.rooms.first { $0.id == room } }
  /// Its devices on record.
  package var devices: [BluetoothAddress] { known?.bindings.map(\.address).sorted() ?? [] }

  /// What removes the bonds that runs have kept with devices.
  package func keptBonds(with devices: [BluetoothAddress]) -> [String?] {
    let kept = base.lastKnown.bonds.devices(.kept, .protected)
    return BondWords.removing(kept.mapValues { $0.intersection(devices) }, verb: "has")
  }

  /// Where the room stands; by the manifest, too, if it is named.
  package func status() throws -> RoomStatus {
    let seal = try base.seal()
    return base.lastKnown.status(of: room, manifest: wanted?.wanted(sealedBy: seal))
  }

  /// Records facts about the room as a separate run. Returns the building's report when they are on disk.
  /// - Throws: `CommandFailure` when they cannot be recorded; then nothing is changed.
  package func commit(_ command: RecordedCommand, _ facts: [Fact]) async throws -> BuildingReport {
    let planned = PlannedRoom(
      room: room, name: name, profile: known?.profile ?? wanted?.family.id ?? "",
      address: wanted?.address, settings: [])
    return try await base.commit(command, facts, about: [planned])
  }
}
