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
    var text = text
    // Nearly every text has ASCII letters only, and is then read byte by byte.
    let isSpoken = text.withUTF8 { areSpokenInASCII($0.span) }
    return isSpoken ?? areSpokenInWords(of: text)
  }

  /// The same of any text, letter by letter as Unicode has them.
  static func areSpokenInWords(of text: String) -> Bool {
    text.lowercased().split { !$0.isLetter }.contains { word in
      parts.contains { word.contains($0) } || isNearlyTheWord(String(word))
    }
  }

  private static func isNearlyTheWord(_ word: String) -> Bool {
    (5...12).contains(word.count) && Vocabulary.distance(word, Self.word, limit: mistakes) <= mistakes
  }

  /// Nil where a byte is not ASCII.
  private static func areSpokenInASCII(_ text: Span<UInt8>) -> Bool? {
    var word: [UInt8] = []
    var letters: UInt32 = 0
    var isSpoken = false
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
        word.append(byte | 0x20)
        letters |= bit(byte)
      case 0x80...: return nil
      default:
        isSpoken = isSpoken || speaks(word, letters)
        word.removeAll(keepingCapacity: true)
        letters = 0
      }
    }
    return isSpoken || speaks(word, letters)
  }

  /// Whether a word of lower-case letters, which has these, speaks of a secret.
  private static func speaks(_ word: [UInt8], _ letters: UInt32) -> Bool {
    for (part, partLetters) in zip(partBytes, lettersOfParts)
    where letters & partLetters == partLetters && has(word, part) {
      return true
    }
    // Each mistake takes one letter away at most.
    let common = (letters & lettersOfWord).nonzeroBitCount
    return common >= lettersOfWord.nonzeroBitCount - mistakes
      && isNearlyTheWord(String(decoding: word, as: UTF8.self))
  }

  private static func has(_ word: [UInt8], _ part: [UInt8]) -> Bool {
    guard word.count >= part.count else { return false }
    return (0...word.count - part.count).contains { word[$0..<$0 + part.count].elementsEqual(part) }
  }

  private static let partBytes = parts.map { Array($0.utf8) }
  private static let lettersOfWord = letters(of: word)
  private static let lettersOfParts = parts.map(letters)

  private static func letters(of text: String) -> UInt32 { text.utf8.reduce(0) { $0 | bit($1) } }

  /// The bit of a letter, in either case.
  private static func bit(_ letter: UInt8) -> UInt32 { 1 << UInt32(letter & 0x1F) }
}
