import Manifest
package import Model

/// Finds the rooms that arguments of `--only` and `--skip` name.
package struct RoomSelectors {
  private let rooms: [Room]
  private let names: RoomNames
  /// The settings that number devices.
  private let counted: [SettingDescription]

  package init(_ building: Building) {
    rooms = building.rooms
    names = RoomNames(building)
    counted = building.families.all.compactMap(\.countedSetting)
  }

  /// The rooms of all these arguments.
  /// - Throws: `CommandFailure` when one of them names no room.
  package func find(_ texts: [String], for option: String) throws -> Set<RoomID> {
    try texts.reduce(into: []) { $0.formUnion(try find($1, for: option)) }
  }

  /// The rooms of an argument. An argument that is the name of a room means that room, even if it could mean
  /// something else.
  private func find(_ text: String, for option: String) throws -> Set<RoomID> {
    if let room = try names.exact(text, for: option) { return [room] }
    let selector: RoomSelector
    do throws(RoomSelector.UnreadableRange) {
      selector = try RoomSelector(text, counted: counted)
    } catch {
      let name = error.setting.name
      var bounds = ""
      if case .integer(let range) = error.setting.kind {
        bounds = ", from \(range.lowerBound) to \(range.upperBound)"
      }
      throw CommandFailure(
        .usage, "\(option): “\(text.visible)” is neither a \(name) nor a range of \(name)s",
        advice: "Write \(name):301 or \(name):301-332\(bounds) and the lower one first.")
    }
    let found = rooms.filter(selector.matches)
    guard found.isEmpty else { return Set(found.map(\.id)) }
    switch selector {
    case .name: throw names.unknown(text, for: option)
    case .pattern(let pattern):
      throw CommandFailure(
        .usage, "\(option): no room has an id or a name like “\(text.visible)”",
        advice: nearestName(to: pattern)
          + "`*` stands for any text and `?` for one character; the whole id or name must match.")
    case .tag(let tag): throw unknown("tag", tag, of: rooms.flatMap(\.tags), for: option)
    case .floor(let floor): throw unknown("floor", floor, of: rooms.compactMap(\.floor), for: option)
    case .numbers(let setting, let range): throw noRoomHas(setting, in: range, for: option)
    }
  }

  private func nearestName(to pattern: NamePattern) -> String {
    var nearest: (name: String, distance: Int)?
    // Enough to find a typing mistake in a large building at once.
    for room in rooms.prefix(5000) {
      for name in [room.name, room.id.rawValue] {
        let distance = pattern.distance(to: name, within: nearest?.distance ?? .max)
        if distance < nearest?.distance ?? .max { nearest = (name, distance) }
      }
    }
    return nearest.map { "The nearest is “\($0.name.visible)”. " } ?? ""
  }

  /// A tag or floor that no room has.
  private func unknown(
    _ kind: String, _ name: String, of all: [String], for option: String
  ) -> CommandFailure {
    let known = Set(all).sorted()
    let nearest = Vocabulary.nearest(to: name, of: known).map { "Did you mean \(kind):\($0.visible)? " } ?? ""
    let shown = known.prefix(12).map(\.visible).joined(separator: ", ") + (known.count > 12 ? ", …" : "")
    return CommandFailure(
      .usage, "\(option): no room has the \(kind) “\(name.visible)”",
      advice: known.isEmpty
        ? "No room of this building has a \(kind)." : nearest + "The \(kind)s: \(shown)")
  }

  private func noRoomHas(
    _ setting: SettingName, in range: ClosedRange<Int>, for option: String
  ) -> CommandFailure {
    func distance(_ number: Int) -> Int { max(range.lowerBound - number, number - range.upperBound) }
    let nearest = rooms.compactMap { room -> (number: Int, room: Room)? in
      if case .integer(let number)? = room.settings[setting] { (number, room) } else { nil }
    }
    .min { distance($0.number) < distance($1.number) }
    let what =
      range.count == 1
      ? "the \(setting) \(range.lowerBound)"
      : "a \(setting) from \(range.lowerBound) to \(range.upperBound)"
    return CommandFailure(
      .usage, "\(option): no room has \(what)",
      advice: nearest.map { "The nearest is \($0.number), of \($0.room.name.visible)." }
        ?? "No room of this building has a \(setting).")
  }
}
