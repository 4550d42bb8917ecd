/// The grammars of the D-Bus specification's names, over bytes: whatever passes is ASCII without NUL.
enum NameGrammar {
  /// Bytes that a name other than an object path may have.
  private static let longestName = 255

  static func isObjectPath(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "/") else { return false }
    if bytes.count == 1 { return true }
    return bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0.allSatisfy(isWord) }
  }

  static func isInterface(_ text: String) -> Bool {
    let elements = dotted(text.utf8)
    return fits(text) && elements.count >= 2
      && elements.allSatisfy { startsWithNoDigit($0) && $0.allSatisfy(isWord) }
  }

  static func isBusName(_ text: String) -> Bool {
    guard fits(text) else { return false }
    if text.utf8.first == UInt8(ascii: ":") {
      let elements = dotted(text.utf8.dropFirst())
      return elements.count >= 2 && elements.allSatisfy { !$0.isEmpty && $0.allSatisfy(isWordOrHyphen) }
    }
    let elements = dotted(text.utf8)
    return elements.count >= 2
      && elements.allSatisfy { startsWithNoDigit($0) && $0.allSatisfy(isWordOrHyphen) }
  }

  static func isMember(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return fits(text) && startsWithNoDigit(bytes[...]) && bytes.allSatisfy(isWord)
  }

  private static func fits(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count)
  }

  private static func dotted(_ bytes: some Sequence<UInt8>) -> [ArraySlice<UInt8>] {
    Array(bytes).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  }

  private static func startsWithNoDigit(_ element: ArraySlice<UInt8>) -> Bool {
    guard let first = element.first else { return false }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
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
