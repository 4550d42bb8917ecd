extension Unicode.Scalar {
  /// How many columns a terminal gives it: 0 for marks that join what is before, 2 for East Asian wide
  /// characters and emoji, else 1 (UAX #11, and what `wcwidth` makes of it).
  var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch value {
    case 0x20...0x7E: return 1
    // Vowels and finals of Hangul join the consonant before.
    case 0x1160...0x11FF: return 0
    // Two of these make a flag.
    case 0x1F1E6...0x1F1FF: return 1
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}

extension Character {
  /// How many columns it takes. Terminals that do not join emoji show each part, and so they are counted:
  /// rather a gap than a line that runs over.
  var columns: Int {
    let columns = unicodeScalars.reduce(0) { $0 + $1.columns }
    let isEmojiBySelector = columns == 1 && unicodeScalars.contains("\u{FE0F}")
    return isEmojiBySelector ? 2 : columns
  }
}

extension StringProtocol {
  /// How many columns a terminal gives this text; it must not contain control sequences.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

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
