package import Model

/// The rooms that a person selected, and the permissions against the record.
package struct WorkScope {
  /// The names of the selected rooms; with a plan, its rooms.
  let selection: RoomSelection
  let permissions: RecordPermissions

  package init(
    _ selection: RoomSelection = RoomSelection(), _ permissions: RecordPermissions = RecordPermissions()
  ) {
    (self.selection, self.permissions) = (selection, permissions)
  }
}
