/// Numbers and durations as a manifest writes them.
enum Written {
  /// A whole number in decimal digits, as everybody reads it: no sign but `-`, no leading zero (`012` is ten to
  /// some readers of YAML), no `0x10`, `1e3` or `1_000`. Nil for everything else, and beyond 18 digits.
  static func integer(_ text: String) -> Int? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit) else { return nil }
    guard digits == "0" || digits.first != "0" else { return nil }
    return Int(text)
  }

  /// Whether a text is a decimal number, whatever its size.
  static func isDecimal(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    return !digits.isEmpty && digits.utf8.allSatisfy(isDigit) && (digits == "0" || digits.first != "0")
  }

  /// The longest duration that a stage may have.
  static let longestDuration = Duration.seconds(3600)

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
