/// Finds words for a secret, also misspelt ones.
enum SecretWords {
  /// A word with one of these parts is such a word.
  private static let parts = ["pass", "psk", "pwd", "secret", "kennwort", "wpa"]
  /// The word that is also recognised with up to two errors.
  private static let word = "password"
  private static let mistakes = 2

  /// Whether a text has such a word. Text near one is not shown: without the line break between them, an SSID
  /// and the password line below it are one text.
  static func occur(in text: String) -> Bool {
    var text = text
    // Fast path for ASCII, which nearly every text is.
    let occurs = text.withUTF8 { occurInASCII($0.span) }
    return occurs ?? occurInWords(of: text)
  }

  /// The slow path for any text, by Unicode letters.
  static func occurInWords(of text: String) -> Bool {
    text.lowercased().split { !$0.isLetter }.contains { word in
      parts.contains { word.contains($0) } || isNearlyTheWord(String(word))
    }
  }

  private static func isNearlyTheWord(_ word: String) -> Bool {
    Vocabulary.distance(word, Self.word, limit: mistakes) <= mistakes
  }

  /// Nil when a byte is not ASCII.
  private static func occurInASCII(_ text: Span<UInt8>) -> Bool? {
    let rules = rules
    var (start, letters, occurs) = (0, UInt32(0), false)
    func endWord(at end: Int) {
      if !occurs, rules.mayBeSecret(letters) {
        occurs = isSecretWord((start..<end).map { text[$0] | 0x20 }, letters, rules)
      }
      (start, letters) = (end + 1, 0)
    }
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): letters |= bit(byte)
      case 0x80...: return nil
      default: endWord(at: index)
      }
    }
    endWord(at: text.count)
    return occurs
  }

  /// Whether a lower-case word is such a word. `letters` is the set of its letters, as bits.
  private static func isSecretWord(_ word: [UInt8], _ letters: UInt32, _ rules: Rules) -> Bool {
    rules.parts.contains { has(word, $0.bytes) }
      || rules.mayBeTheWord(letters) && isNearlyTheWord(String(decoding: word, as: UTF8.self))
  }

  private static func has(_ word: [UInt8], _ part: [UInt8]) -> Bool {
    guard word.count >= part.count else { return false }
    return (0...word.count - part.count).contains { word[$0..<$0 + part.count].elementsEqual(part) }
  }

  /// What the letters of a word, as bits, say of it.
  private struct Rules {
    let parts = SecretWords.parts.map { (bytes: Array($0.utf8), letters: letters(of: $0)) }
    let word = letters(of: SecretWords.word)

    /// False for nearly every word.
    func mayBeSecret(_ letters: UInt32) -> Bool {
      mayBeTheWord(letters) || parts.contains { letters & $0.letters == $0.letters }
    }

    /// Each error removes at most one letter.
    func mayBeTheWord(_ letters: UInt32) -> Bool {
      (letters & word).nonzeroBitCount >= word.nonzeroBitCount - mistakes
    }
  }

  private static let rules = Rules()

  private static func letters(of text: String) -> UInt32 { text.utf8.reduce(0) { $0 | bit($1) } }

  /// The bit of a letter in either case.
  private static func bit(_ letter: UInt8) -> UInt32 { 1 << UInt32(letter & 0x1F) }
}
