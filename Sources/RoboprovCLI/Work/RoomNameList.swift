import Model

/// Names of rooms in one line, those that count along as a range: `Room 301, Room 325–332`.
enum RoomNameList {
  /// - Parameter most: How many names and ranges are listed; those that are left are counted.
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

  /// How many names from the first on count along; less than three are no range.
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

    var number: Int? { Int(digits) }
  }
}
