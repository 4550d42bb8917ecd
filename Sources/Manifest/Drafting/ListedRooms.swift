import Model

/// Rooms as people list them: `Lobby, Room 101-110, 201-220`. Commas separate, and ranges count.
package struct ListedRooms: Hashable, Sendable {
  /// Names, and ranges with braces.
  package private(set) var entries: [String] = []
  /// Whether the text can mean nothing else: one name, `101-110`, or `Room 101-110` with as many digits on both sides.
  package private(set) var isCertain = true

  package init(_ text: String) {
    // Commas within braces separate numbers.
    let parts = text.contains("{") ? [text[...]] : text.split(separator: ",")
    var prefix = ""
    for part in parts {
      let name = String(part).oneLine
      guard !name.isEmpty else { continue }
      let (entry, isCertain) = Self.entry(name, after: prefix)
      entries.append(entry)
      if !isCertain { self.isCertain = false }
      let words = entry.prefix { !("0"..."9").contains($0) && $0 != "{" }
      prefix = words.endIndex < entry.endIndex ? String(words) : ""
    }
    if entries.count > 1 { isCertain = false }
    if entries.isEmpty { entries = [text] }
  }

  /// A name, or a range with braces, as it is.
  package init(literal text: String) { entries = [text] }

  /// Whether a part is a range.
  package var hasRange: Bool { entries.contains(where: RoomRange.isMeant) }

  /// A name, or a range with braces; and whether it certainly is that one.
  private static func entry(_ name: String, after prefix: String) -> (String, isCertain: Bool) {
    guard let match = name.wholeMatch(of: /(.*?)([0-9]+) ?(?:-|–|\.\.) ?([0-9]+)/),
      let last = Int(match.3, in: 1...999_999_999), let first = Int(match.2, in: 0...last), first < last
    else { return (name.isNumber ? prefix + name : name, true) }
    let isCertain = match.1.isEmpty || match.2.count > 1 && match.2.count == match.3.count
    return ("\(match.1.isEmpty ? prefix : String(match.1)){\(match.2)..\(match.3)}", isCertain)
  }

  /// The names of all its rooms; a range that is not valid as it is written.
  package var names: [String] {
    entries.flatMap { entry in
      RoomRange.isMeant(by: entry) ? (try? RoomRange(entry).names) ?? [entry] : [entry]
    }
  }

  /// The number of rooms, with the first and the last: `40 rooms: Room 1 … Room 40`.
  package static func summary(_ names: [String]) -> String {
    guard let first = names.first, let last = names.last, names.count > 1 else {
      return "1 room: \(names.first ?? "")"
    }
    return "\(names.count) rooms: \(first) … \(last)"
  }
}
