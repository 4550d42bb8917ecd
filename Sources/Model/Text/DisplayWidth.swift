extension Unicode.Scalar {
  /// How many columns a terminal gives it: 0 for marks that join what is before, 2 for East Asian wide
  /// characters and emoji, else 1 (UAX #11, and what `wcwidth` makes of it).
  package var columns: Int {
    // Nearly every text is ASCII, and the table of general categories is slow.
    if value < 0x7F { return value < 0x20 ? 0 : 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch value {
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
  package var columns: Int {
    let columns = unicodeScalars.reduce(0) { $0 + $1.columns }
    let isEmojiBySelector = columns == 1 && unicodeScalars.contains("\u{FE0F}")
    return isEmojiBySelector ? 2 : columns
  }
}

extension StringProtocol {
  /// How many columns a terminal gives this text; it must not contain control sequences.
  package var columns: Int {
    // Nearly every text is ASCII, and characters are slow.
    let ascii = utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy { 0x20..<0x7F ~= $0 } ? bytes.count : nil
    }
    return ascii.flatMap(\.self) ?? reduce(0) { $0 + $1.columns }
  }
}
