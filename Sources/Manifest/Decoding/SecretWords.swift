/// Words that speak of a secret, misspelt or not.
enum SecretWords {
  /// Parts of such words.
  private static let parts = ["pass", "psk", "pwd", "secret", "kennwort", "wpa"]
  /// The word that is recognised with up to two mistakes in it.
  private static let word = "password"
  private static let mistakes = 2

  /// Whether a text has such a word. What stands near one is not shown: a line break lost in editing turns an SSID
  /// and the password below it into one text.
  static func areSpoken(in text: String) -> Bool {
    guard mayBeSpoken(in: text) else { return false }
    let words = text.lowercased().split { !$0.isLetter }.map(String.init)
    return words.contains { word in
      parts.contains { word.contains($0) }
        || (5...12).contains(word.count)
          && Vocabulary.distance(word, Self.word, limit: mistakes) <= mistakes
    }
  }

  /// Whether the letters of a word would do for one of these: nearly always not, and then there is no more to be done. Of
  /// letters beyond ASCII nothing is said.
  private static func mayBeSpoken(in text: String) -> Bool {
    var text = text
    return text.withUTF8 { mayBeSpoken(in: $0.span) }
  }

  private static func mayBeSpoken(in text: Span<UInt8>) -> Bool {
    var letters: UInt32 = 0
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): letters |= bit(byte)
      case 0x80...: return true
      default:
        if maySpeak(letters) { return true }
        letters = 0
      }
    }
    return maySpeak(letters)
  }

  private static func maySpeak(_ letters: UInt32) -> Bool {
    guard letters.nonzeroBitCount >= 3 else { return false }
    // Each mistake takes one letter away at most.
    if (letters & lettersOfWord).nonzeroBitCount >= lettersOfWord.nonzeroBitCount - mistakes { return true }
    for part in lettersOfParts where letters & part == part { return true }
    return false
  }

  private static let lettersOfWord = letters(of: word)
  private static let lettersOfParts = parts.map(letters)

  private static func letters(of text: String) -> UInt32 { text.utf8.reduce(0) { $0 | bit($1) } }

  /// The bit of a letter, in either case.
  private static func bit(_ letter: UInt8) -> UInt32 { 1 << UInt32(letter & 0x1F) }
}
