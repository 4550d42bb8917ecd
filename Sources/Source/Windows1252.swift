/// Windows-1252, in which spreadsheets in western Europe and America write tables by default.
enum Windows1252 {
  /// The characters of the bytes 0x80 to 0x9F; U+FFFD for a byte without a character. The other bytes are those of
  /// Unicode.
  private static let characters = Array(
    "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)

  /// The text in UTF-8; nil if a byte has no character, or a part is UTF-8 beyond ASCII: it is then damaged UTF-8.
  static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    let isPartlyUTF8 = String(decoding: bytes, as: UTF8.self).unicodeScalars.contains {
      !$0.isASCII && $0 != "\u{FFFD}"
    }
    if isPartlyUTF8 { return nil }
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let scalar = (0x80...0x9F).contains(byte) ? characters[Int(byte) - 0x80] : Unicode.Scalar(byte)
      if scalar == "\u{FFFD}" { return nil }
      text.append(scalar)
    }
    return Array(String(text).utf8)
  }

  /// The text in Windows-1252, with `?` for what it cannot write.
  static func encoded(_ text: [UInt8]) -> [UInt8] {
    String(decoding: text, as: UTF8.self).unicodeScalars.map { scalar in
      if let index = characters.firstIndex(of: scalar) { return UInt8(0x80 + index) }
      return (0x80...0x9F).contains(scalar.value)
        ? UInt8(ascii: "?") : UInt8(exactly: scalar.value) ?? UInt8(ascii: "?")
    }
  }
}
