import Manifest
package import Model

/// Finds rooms by their id or name.
package struct RoomNames {
  /// Ids and names, of the manifest first.
  private let rooms: [(id: RoomID, name: String)]

  package init(_ building: Building?, _ lastKnown: LastKnownBuilding = .init()) {
    let named = building?.rooms.map { ($0.id, $0.name) } ?? []
    let known = Set(named.map(\.0))
    rooms =
      named
      + lastKnown.rooms.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }.map {
        ($0.key, $0.value.name)
      }
  }

  /// The rooms of these names.
  /// - Throws: `CommandFailure` when one is unknown, or is several rooms' name.
  package func find(_ texts: [String], for option: String) throws -> Set<RoomID> {
    Set(try texts.map { try find($0, for: option) })
  }

  /// The room of this id or name.
  /// - Throws: `CommandFailure` when it is unknown, or several rooms' name.
  package func find(_ text: String, for option: String) throws -> RoomID {
    guard let room = try exact(text, for: option) else { throw unknown(text, for: option) }
    return room
  }

  /// The room of this id or name; nil when there is none.
  /// - Throws: `CommandFailure` when it is several rooms' name.
  func exact(_ text: String, for option: String) throws -> RoomID? {
    if let room = rooms.first(where: { $0.id.rawValue == text }) { return room.id }
    let folded = text.lowercased()
    let named = rooms.filter { $0.name.lowercased() == folded }
    guard named.count > 1 else { return named.first?.id }
    throw CommandFailure(
      .usage, "\(option): several rooms are called “\(text.visible)”",
      advice: "Name it by its id: \(named.map(\.id.rawValue).joined(separator: ", ")).")
  }

  /// Another room that a person could mean by this name; nil without one.
  package func holder(of name: String, besides room: RoomID) -> RoomID? {
    let folded = name.lowercased()
    return rooms.first { $0.id != room && ($0.id.rawValue == name || $0.name.lowercased() == folded) }?.id
  }

  /// The error for a name that no room has.
  func unknown(_ text: String, for option: String) -> CommandFailure {
    guard !rooms.isEmpty else {
      return CommandFailure(
        .usage, "\(option): no room is on record yet", advice: "Name the building by its manifest.")
    }
    let nearest = Vocabulary.nearest(to: text, of: rooms.flatMap { [$0.name, $0.id.rawValue] })
    let shown = rooms.prefix(12).map(\.id.rawValue).joined(separator: ", ") + (rooms.count > 12 ? ", …" : "")
    return CommandFailure(
      .usage, "\(option): there is no room \(DeviceArgument.shown(text) ?? "of this name")",
      advice: (nearest.map { "Did you mean “\($0.visible)”? " } ?? "")
        + "Name it by its id or its name. The rooms: \(shown.visible)")
  }

  /// The name of a room for people.
  package func name(of room: RoomID) -> String { rooms.first { $0.id == room }?.name ?? room.rawValue }
}
