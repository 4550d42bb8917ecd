import Application
import ArgumentParser
import Journal
import Manifest
import Model
import Reporting

/// The room that a command changes.
struct RoomArguments: ParsableArguments {
  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Argument(help: "The room, by id or name.", completion: .room)
  var room: String

  @Option(name: .output, help: "Format of stdout: nothing (text), or the change for programs (json).")
  var output = OutputFormat.text

  /// The building of a manifest that is to be changed, and the names of its rooms.
  /// - Parameter what: What a room has in the manifest.
  /// - Throws: `CommandFailure` if the building is not named by a manifest.
  func manifest(
    in record: KnownRecordOptions, whatFor what: String
  ) throws -> (building: Building, names: RoomNames, lastKnown: LastKnownBuilding) {
    guard let found = try BuildingReference.find(building).source?.building else {
      throw CommandFailure(
        .usage, "a room has \(what) in the manifest, and \(building.visible) is not a manifest",
        advice: "Name the building by its manifest.")
    }
    let lastKnown = try BuildingArchive.load(found.id, in: record.reports).state.lastKnown
    return (found, RoomNames(found, lastKnown), lastKnown)
  }

  /// Makes an edit of the manifest, and shows it as the change of a room.
  /// - Returns: Whether there was something to change.
  func make(
    _ edit: ManifestEditor.Edit?, _ verb: String, of room: RoomID, called name: String, in building: Building
  ) throws -> Bool {
    if let edit { try ManifestFile.write(edit) }
    var change = ChangeJSON(verb, of: room, called: name, in: building.id)
    change.isManifestChanged = edit != nil
    show(change)
    return edit != nil
  }

  func show(_ change: ChangeJSON) {
    if output == .json { Console.data(change.value.pretty) }
  }
}

/// The arguments of every change of a room's record: the room, and the place of the record.
struct AmendmentArguments: ParsableArguments {
  @OptionGroup var subject: RoomArguments
  @OptionGroup var record: RecordOptions
  @OptionGroup var seal: SealOptions

  func amendment() throws -> RoomAmendment {
    let amendment = try Amendment(subject.building, in: record.keeping, siteKey: seal.siteKey)
    return try RoomAmendment(amendment, of: subject.room)
  }

  /// Records a change, makes the edit of the manifest that belongs to it, and says what was done and what is next.
  func commit(
    _ command: RecordedCommand, _ facts: [Fact], of amendment: RoomAmendment,
    with edit: ManifestEditor.Edit? = nil, saying lines: [String?]
  ) async throws {
    let report = try await amendment.commit(command, facts)
    do {
      if let edit { try ManifestFile.write(edit) }
    } catch let failure as CommandFailure {
      throw CommandFailure(
        failure.status, "the replacement is on record, but the manifest is unchanged: \(failure.message)",
        advice: "Run the same command again: it then changes the manifest.")
    }
    var change = ChangeJSON(command, facts, of: amendment)
    change.isManifestChanged = edit != nil
    subject.show(change)
    for case let line? in lines + [amendment.base.next(after: report)] { Console.say(line) }
  }
}
