/// Stable names, which become names of files and folders: `[a-z0-9-]`, 1 to 64 bytes, no hyphen at either
/// end.
enum Slug {
  static let maximumLength = 64

  static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...maximumLength).contains(bytes.count) && bytes.allSatisfy(isAllowed)
      && bytes.first != UInt8(ascii: "-") && bytes.last != UInt8(ascii: "-")
  }

  /// Makes a slug from a name: letters lose their diacritics, every other character becomes a hyphen. Nil
  /// when the name has no Latin letter or digit.
  static func make(of name: String) -> String? {
    var bytes: [UInt8] = []
    for scalar in name.lowercased().unicodeScalars {
      for byte in latin(scalar).utf8 where !(byte == UInt8(ascii: "-") && bytes.last ?? byte == byte) {
        bytes.append(byte)
      }
    }
    bytes = Array(bytes.prefix(maximumLength))
    while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || byte.isDigit || byte == UInt8(ascii: "-")
  }

  private static func latin(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return isAllowed(UInt8(scalar.value)) ? String(scalar) : "-" }
    if let letters = others[scalar] { return letters }
    // A combining mark belongs to the letter before it.
    return scalar.properties.generalCategory == .nonspacingMark ? "" : "-"
  }

  private static let others: [Unicode.Scalar: String] = {
    var letters: [Unicode.Scalar: String] = [
      "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l",
    ]
    let families = [
      "a": "áàâäãåāăą", "c": "çćč", "d": "ďđ", "e": "éèêëēėęě", "g": "ğ", "i": "íìîïīįı", "n": "ñńň",
      "o": "óòôöõőō", "r": "řŕ", "s": "śšş", "t": "ťţ", "u": "úùûüūůűų", "y": "ýÿ", "z": "źżž",
    ]
    for (letter, marked) in families {
      for scalar in marked.unicodeScalars { letters[scalar] = letter }
    }
    return letters
  }()
}
