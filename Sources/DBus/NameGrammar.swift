/// The grammars of the D-Bus specification's names, applied to bytes. Valid names are ASCII without NUL.
enum NameGrammar {
  /// The maximum length of a name in bytes. It does not apply to object paths.
  private static let longestName = 255

  static func isObjectPath(_ text: String) -> Bool {
    let slash = UInt8(ascii: "/")
    var last: UInt8?
    for byte in text.utf8 {
      guard byte == slash ? last != slash : last != nil && isWord(byte) else { return false }
      last = byte
    }
    return last != slash && last != nil || text == "/"
  }

  static func isInterface(_ text: String) -> Bool {
    fits(text) && isDotted(text.utf8, digitsMayBegin: false, isWord)
  }

  static func isBusName(_ text: String) -> Bool {
    guard fits(text) else { return false }
    if text.utf8.first == UInt8(ascii: ":") {
      return isDotted(text.utf8.dropFirst(), digitsMayBegin: true, isWordOrHyphen)
    }
    return isDotted(text.utf8, digitsMayBegin: false, isWordOrHyphen)
  }

  static func isMember(_ text: String) -> Bool {
    guard fits(text), let first = text.utf8.first, !isDigit(first) else { return false }
    return text.utf8.allSatisfy(isWord)
  }

  private static func fits(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count)
  }

  /// Whether the name has two or more non-empty elements, separated by dots.
  private static func isDotted(
    _ bytes: some Sequence<UInt8>, digitsMayBegin: Bool, _ isAllowed: (UInt8) -> Bool
  ) -> Bool {
    var dots = 0
    var isAtStart = true
    for byte in bytes {
      if byte == UInt8(ascii: ".") {
        guard !isAtStart else { return false }
        dots += 1
        isAtStart = true
      } else {
        guard isAllowed(byte), digitsMayBegin || !isAtStart || !isDigit(byte) else { return false }
        isAtStart = false
      }
    }
    return dots > 0 && !isAtStart
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isWordOrHyphen(_ byte: UInt8) -> Bool {
    isWord(byte) || byte == UInt8(ascii: "-")
  }
}
