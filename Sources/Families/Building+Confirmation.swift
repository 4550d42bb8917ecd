package import Model

extension Building {
  /// Whether the operator must confirm the devices of some rooms.
  package var needsConfirmation: Bool {
    assignment == .any
      && rooms.contains { room in
        // A device without an identity on air is never matched to a room that does not name it.
        room.address == nil && room.near == nil && !room.isRegistered
          && DeviceProfiles[room.profile]?.hasIdentity != false
      }
  }
}
