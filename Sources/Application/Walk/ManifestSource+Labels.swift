package import Model

extension ManifestSource {
  /// Gives a room what its label says, as in the changed manifest.
  package mutating func setLabel(_ assignment: Walk.Assignment) {
    let (device, label) = (assignment.device, assignment.label)
    guard let index = building.rooms.firstIndex(where: { $0.id == assignment.room }) else { return }
    if building.rooms[index].device != device { building.rooms[index].setDevice(device) }
    for (name, secret) in label.secrets {
      // The label may be read once more.
      if case .labels? = building.rooms[index].origins[name] {
        building.rooms[index].access[name] = .secret(secret)
      }
    }
    building = building.resolvingSecrets { reference in
      guard case .labels(_, let name?, let setting) = reference.source, name == device.description else {
        return nil
      }
      // Only a rehearsal lacks a passkey.
      return label.secrets[setting] ?? (setting == .passkey ? .standIn("000000") : Secret(""))
    }
    OutsideWords.hide(secretsOf: building)
  }

  /// Takes back what `setLabel` did.
  /// - Parameter room: The room without its label.
  package mutating func removeLabel(from room: Room) {
    guard let index = building.rooms.firstIndex(where: { $0.id == room.id }) else { return }
    building.rooms[index] = room
  }
}
