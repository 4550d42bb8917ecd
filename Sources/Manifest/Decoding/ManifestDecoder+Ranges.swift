import Model
import Source
import YAML

extension ManifestDecoder {
  /// Expands a range of rooms; none, with an error, when the range is invalid.
  mutating func rooms(
    of draft: RoomDraft, named name: String, at range: SourceRange
  ) -> [(name: String, draft: RoomDraft)] {
    let rooms: RoomRange
    do throws(RoomRange.Problem) {
      rooms = try RoomRange(name)
    } catch {
      let (message, advice) = Self.words(for: error)
      let corrected = name.replacing(/\{[^}]*\}/) { braces in
        braces.0.replacing(/([0-9]) *[-–] *([0-9])/) { "\($0.1)..\($0.2)" }
      }
      let isCertain = error == .hyphen && (try? RoomRange(corrected)) != nil
      self.error(
        .badRange, message, at: range, advice: advice,
        fix: isCertain ? draft.fields["room"].flatMap { replace($0, with: corrected) } : nil)
      return []
    }
    // The values of these keys belong to a single room.
    let owned = draft.fields.all.filter {
      rooms.names.count > 1 && ["id", "address", "device", "near"].contains($0.key)
    }
    for entry in owned {
      let room = presentable(rooms.names[0]) ?? "…"
      error(
        .rangeValue, "a range of rooms cannot have one `\(entry.key)`", at: entry.keyRange,
        advice: "give it to each room in an entry of its own below: - { room: \(room), \(entry.key): … }")
    }
    guard owned.isEmpty else { return [] }
    let counted = draft.profile?.value.countedSetting
    let values: [String?]? =
      if let counted { numbers(of: draft, counted, for: rooms) } else { rooms.names.map { _ in nil } }
    guard let values else { return [] }
    return zip(rooms.names, values).map { name, number in
      var room = draft
      room.isOfRange = true
      room.origin.range = draft.origin.entry
      room.fields.replace("room", by: name)
      if let counted, let number { room.fields.replace(counted.name.rawValue, by: number) }
      return (name, room)
    }
  }

  /// The values of a counted setting for a range's rooms: from a range, or counted up from the first. Nil, with
  /// an error, when they do not fit.
  private mutating func numbers(
    of draft: RoomDraft, _ setting: SettingDescription, for rooms: RoomRange
  ) -> [String?]? {
    guard case .integer(let bounds) = setting.kind, let node = draft.fields[setting.name.rawValue],
      let text = node.text
    else { return rooms.names.map { _ in nil } }
    if RoomRange.isMeant(by: text) {
      show(node.range)
      let numbers = try? RoomRange(text)
      guard let numbers, numbers.names.count == rooms.names.count else {
        return refused(
          .rangeValue,
          "\(numbers.map { "\($0.names.count)" } ?? "no") \(setting.name)s for \(rooms.names.count) rooms",
          at: node.range,
          advice: "give the first room's \(setting.name); the others follow from their numbers")
      }
      return numbers.names
    }
    // A value that is not a number is reported once, for the first room.
    guard let first = Written.integer(text) else { return rooms.names.map { _ in text } }
    let numbers = rooms.offsets.map { first + $0 }
    if let outside = numbers.last(where: { !bounds.contains($0) }) {
      show(node.range)
      return refused(
        .rangeValue,
        "the \(setting.name)s of this range reach \(outside), outside of \(bounds.lowerBound)…\(bounds.upperBound)",
        at: node.range,
        advice: "the first room has this \(setting.name); the others follow from their numbers")
    }
    return numbers.map { String($0) }
  }

  private static func words(for problem: RoomRange.Problem) -> (message: String, advice: String) {
    switch problem {
    case .braces:
      ("a name with braces must be a range of rooms", "write it once: Room {301..332}")
    case .part:
      (
        "this is not a range of rooms",
        "for example: Room {301..332}, Room {301..331..2}, Room {301..312,314}, Suite {A..F}"
      )
    case .hyphen: ("a range has two dots between its numbers", "for example: Room {301..332}")
    case .order: ("this range counts down, or has a step of 0", "write the lower number first")
    case .tooMany:
      ("this range has more than \(RoomRange.maximumCount) rooms", "check its numbers")
    case .tooLong:
      (
        "a name has more than \(RoomRange.maximumLength) bytes around its braces",
        "give the rooms a shorter name"
      )
    }
  }
}
