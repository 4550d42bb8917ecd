package import Model

extension Building {
  /// Whether the operator must confirm the devices of some rooms.
  package var needsConfirmation: Bool {
    rooms.contains { room in
      guard room.address == nil, !room.isRegistered else { return false }
      // A device without an identity on air is never matched to a room without a hint.
      return room.near != nil || assignment == .any && DeviceProfiles[room.profile]?.hasIdentity != false
    }
  }
}
