import Model

extension StringProtocol {
  /// This text in at most this number of columns; a cut text ends in `…`.
  func truncated(to limit: Int) -> String {
    if columns <= limit { return String(self) }
    guard limit > 0 else { return "" }
    var result = ""
    var used = 0
    for character in self {
      guard used + character.columns < limit else { break }
      used += character.columns
      result.append(character)
    }
    return result + "…"
  }

  /// This text in exactly this number of columns, cut or filled with blanks at its end.
  package func fitted(to columns: Int) -> String {
    let text = truncated(to: columns)
    return text + String(repeating: " ", count: Swift.max(0, columns - text.columns))
  }

  /// This text in lines of at most this number of columns, broken at blanks; a longer word is split.
  func wrapped(to limit: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      var word = String(word)
      if !line.isEmpty, line.columns + 1 + word.columns <= limit {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while word.columns > limit, word.count > 1 {
        var head = ""
        while let next = word.first, head.isEmpty || head.columns + next.columns <= limit {
          head.append(word.removeFirst())
        }
        lines.append(head)
      }
      line = word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

extension [String] {
  /// The first ones, and how many more there are: `301, 302 and 4 more`.
  func listed(most: Int) -> String {
    prefix(most).joined(separator: ", ") + (count > most ? " and \(count - most) more" : "")
  }
}
