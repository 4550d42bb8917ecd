import Bluetooth
public import Model

/// The building's present state, for a person: how far each room is by all that is on record.
public enum StateView {
  /// The table's header.
  public static let header = ["ROOM", "STATE", "DEVICE", "RUN"]

  /// A row for each room, by id.
  public static func rows(_ standing: BuildingStanding) -> [[String]] {
    standing.rooms.sorted { $0.key < $1.key }.map { _, room in
      let devices = room.bindings.map(\.address.description).joined(separator: " ")
      return [
        room.name.visible, words(room), devices.isEmpty ? "-" : devices,
        (room.deed?.run ?? room.lastRun ?? "-").visible,
      ]
    }
  }

  private static func words(_ room: RoomStanding) -> String {
    switch room.progress {
    case .done: "done"
    case .unconfirmed: Outcome.unconfirmed.words
    case .accepted: "accepted by \((room.acceptance?.by ?? "?").visible)"
    case .retired: "retired"
    case .open where room.last?.outcome.isSuccess == true: "not done any more"
    case .open: room.last?.outcome.words ?? "not tried"
    }
  }
}
