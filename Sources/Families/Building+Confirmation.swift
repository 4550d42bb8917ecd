public import Model

extension Building {
  /// Whether a person must agree before some of its rooms get a device.
  public var needsConfirmation: Bool {
    assignment == .any
      && rooms.contains { room in
        // Without an identity on air a device is never taken for a room that does not name it.
        room.address == nil && room.near == nil && !room.isRegistered
          && DeviceProfiles[room.profile]?.hasIdentity != false
      }
  }
}
