import Model

/// Names of rooms in one line, with consecutive numbers as a range: `Room 301, Room 325–332`.
enum RoomNameList {
  /// - Parameter most: The maximum number of names and ranges in the list; the others are counted.
  static func text(_ names: [String], atMost most: Int = 12) -> String {
    var parts: [String] = []
    var rest = names[...]
    while let first = rest.first {
      let run = rest.prefix(length(of: rest))
      parts.append(run.count > 1 ? first + "–" + Numbered(run.last ?? first).digits : first)
      rest = rest.dropFirst(run.count)
    }
    let shown = parts.prefix(most).joined(separator: ", ")
    return parts.count > most ? "\(shown) and \(parts.count - most) more" : shown
  }

  /// The number of names at the beginning with consecutive numbers; fewer than three are no range.
  private static func length(of names: ArraySlice<String>) -> Int {
    guard var last = names.first.map(Numbered.init), last.number != nil else { return 1 }
    var count = 1
    for name in names.dropFirst() {
      let next = Numbered(name)
      guard let number = last.number, next.number == number + 1, next.stem == last.stem,
        next.digits.count == last.digits.count
      else { break }
      (last, count) = (next, count + 1)
    }
    return count < 3 ? 1 : count
  }

  private struct Numbered {
    let stem: Substring
    let digits: String

    init(_ name: String) {
      let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
      stem = name.dropLast(digits.count)
      self.digits = String(digits)
    }

    var number: Int? { Int(digits, in: 0...999_999_999) }
  }
}
