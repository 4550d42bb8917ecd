import Bluetooth
package import Model

/// The recorded state of each room, for a person.
package enum StateView {
  /// The table's header.
  package static let header = ["ROOM", "STATE", "DEVICE", "RUN"]

  /// A row for each room, by id.
  package static func rows(_ lastKnown: LastKnownBuilding) -> [[String]] {
    lastKnown.rooms.sorted { $0.key < $1.key }.map { _, room in
      let devices = room.bindings.map(\.address.description).joined(separator: " ")
      return [
        room.name.visible, words(room), devices.isEmpty ? "-" : devices,
        (room.lastWrite?.run ?? room.lastRun ?? "-").visible,
      ]
    }
  }

  private static func words(_ room: LastKnownRoom) -> String {
    switch room.status {
    case .accepted(let acceptance): "accepted by \(acceptance.by.visible)"
    case .open: room.last.map { $0.outcome.isSuccess ? "no longer done" : $0.outcome.words } ?? "not done"
    case let status: status.kind.words
    }
  }
}
