import Model

/// The rooms that a person selected, and the permissions against the record.
struct WorkScope {
  /// The names of the selected rooms; with a plan, its rooms.
  let selection: RoomSelection
  let permissions: RecordPermissions

  init(_ selection: RoomSelection = RoomSelection(), _ permissions: RecordPermissions = RecordPermissions()) {
    (self.selection, self.permissions) = (selection, permissions)
  }

  /// - Throws: `CommandFailure`: an unknown room.
  init(_ options: WorkOptions, of building: Building, plan: ApplyPlan? = nil) throws {
    let names = RoomNames(building)
    permissions = RecordPermissions(
      rebind: try names.find(options.rebind, for: "--rebind"), renumber: options.renumber,
      force: try names.find(options.force, for: "--force"),
      overwrite: try names.find(options.overwrite, for: "--overwrite"))
    let selectors = RoomSelectors(building)
    selection =
      try plan?.selection
      ?? RoomSelection(
        only: try selectors.find(options.only, for: "--only"),
        skip: try selectors.find(options.skip, for: "--skip"), unfinished: options.failed)
  }
}
