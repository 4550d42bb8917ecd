import Model

/// Candidates for the word to complete. A name is a candidate only once its beginning is typed, because an id
/// means the same and needs no quotes in a shell.
enum CompletionCandidates {
  struct Room: Hashable, Decodable {
    var id: String
    var name: String

    enum CodingKeys: String, CodingKey {
      case id
      case name = "room"
    }
  }

  /// Rooms by id or name.
  static func rooms(_ rooms: [Room], beginningWith prefix: String) -> [String] {
    let names = prefix.isEmpty ? [] : rooms.map(\.name)
    return matching(rooms.map(\.id) + names, prefix)
  }

  /// Rooms as `--only` names them: by id, name, floor or tag.
  static func selectors(of building: Building, beginningWith prefix: String) -> [String] {
    let rooms = building.rooms.map { Room(id: $0.id.rawValue, name: $0.name) }
    let floors = Set(building.rooms.compactMap(\.floor)).map { "floor:\($0)" }.sorted()
    let tags = Set(building.rooms.flatMap(\.tags)).map { "tag:\($0)" }.sorted()
    return self.rooms(rooms, beginningWith: prefix) + matching(floors + tags, prefix)
  }

  private static func matching(_ texts: [String], _ prefix: String) -> [String] {
    var seen: Set<String> = []
    return texts.filter { $0.hasPrefix(prefix) && seen.insert($0).inserted }
  }
}
