/// A selector for rooms: an id or a name, a pattern of these, a tag, a floor, or a range of numbers.
package enum RoomSelector: Hashable, Sendable {
  /// The room of this id, or the rooms of this name.
  case name(String)
  /// Rooms whose id or name matches: `Room 3*`.
  case pattern(NamePattern)
  /// `tag:NAME`: rooms with this tag.
  case tag(String)
  /// `floor:NAME`: rooms on this floor.
  case floor(String)
  /// `NAME:301` or `NAME:301-332`: rooms whose value of this setting is among these.
  case numbers(SettingName, ClosedRange<Int>)

  /// Parses a selector. A room's name may look like one of the other forms, so callers that know the rooms
  /// try `names` first.
  /// - Parameter counted: the settings that number devices (`DeviceFamily.countedSetting`).
  /// - Throws: `UnreadableRange` when the text after a setting's name is no range of its values.
  package init(_ text: String, counted: [SettingDescription]) throws(UnreadableRange) {
    if let name = text.after("tag:") {
      self = .tag(name)
    } else if let name = text.after("floor:") {
      self = .floor(name)
    } else if let setting = counted.first(where: { text.after("\($0.name):") != nil }) {
      guard let range = text.after("\(setting.name):").flatMap({ Self.numbers($0, of: setting) }) else {
        throw UnreadableRange(setting: setting)
      }
      self = .numbers(setting.name, range)
    } else if let pattern = NamePattern(text) {
      self = .pattern(pattern)
    } else {
      self = .name(text)
    }
  }

  /// The text after the name of a setting is no number and no range, is no value of the setting, or has the
  /// higher number first.
  package struct UnreadableRange: Error, Hashable {
    package let setting: SettingDescription
  }

  /// Whether this is the id of a room, or its name regardless of case.
  package static func names(_ room: Room, _ text: String) -> Bool {
    room.id.rawValue == text || room.name.isSame(as: text)
  }

  /// Whether the selector matches a room. Tags, floors, names and patterns ignore case.
  package func matches(_ room: Room) -> Bool {
    switch self {
    case .name(let text): Self.names(room, text)
    case .pattern(let pattern): pattern.matches(room.id.rawValue) || pattern.matches(room.name)
    case .tag(let tag): room.tags.contains { $0.isSame(as: tag) }
    case .floor(let floor): room.floor?.isSame(as: floor) ?? false
    case .numbers(let setting, let range):
      if case .integer(let number)? = room.settings[setting] { range.contains(number) } else { false }
    }
  }

  /// `301`, `301-332`, `301–332` or `301..332`.
  private static func numbers(_ text: String, of setting: SettingDescription) -> ClosedRange<Int>? {
    let bounds = text.replacing("..", with: "-").replacing("–", with: "-")
      .split(separator: "-", omittingEmptySubsequences: false)
      .map { bound in
        Int(bound.filter { $0 != " " }, in: RecordedNumbers.integers).flatMap {
          setting.violation(of: .integer($0)) == nil ? $0 : nil
        }
      }
    switch bounds.count {
    case 1: return bounds[0].map { $0...$0 }
    case 2:
      guard let low = bounds[0], let high = bounds[1], low <= high else { return nil }
      return low...high
    default: return nil
    }
  }
}

/// A name with `*` for any text, even none, and `?` for one character. Ignores case.
package struct NamePattern: Hashable, Sendable {
  private let pattern: [Character]

  /// A pattern; nil for a text without `*` and `?`.
  package init?(_ text: String) {
    guard text.contains(where: { $0 == "*" || $0 == "?" }) else { return nil }
    pattern = Array(text.lowercased())
  }

  package func matches(_ name: String) -> Bool { distance(to: name) == 0 }

  /// The edit distance of the pattern and a name: the number of characters to add, remove or replace; more
  /// than `limit` once that is exceeded.
  package func distance(to name: String, within limit: Int = .max) -> Int {
    let name = Array(name.lowercased())
    // The distance of the pattern so far to each prefix of the name.
    var costs = Array(0...name.count)
    for character in pattern {
      var next = [character == "*" ? costs[0] : costs[0] + 1]
      for (index, letter) in name.enumerated() {
        let isSame = character == letter || character == "?"
        next.append(
          character == "*"
            ? min(costs[index + 1], next[index])
            : min(costs[index] + (isSame ? 0 : 1), costs[index + 1] + 1, next[index] + 1))
      }
      costs = next
      if let least = costs.min(), least > limit { return least }
    }
    return costs[name.count]
  }
}

extension String {
  /// Whether two texts are equal regardless of case.
  fileprivate func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }

  /// The text after a prefix, regardless of case; nil without that prefix.
  fileprivate func after(_ prefix: String) -> String? {
    lowercased().hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
