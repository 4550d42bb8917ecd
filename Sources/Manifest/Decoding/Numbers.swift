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

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// What the numbers and texts of a manifest can be, where no device family says it.
package enum ManifestLimits {
  /// Attempts after the first.
  package static let retries = 0...20
  /// Connections that an adapter holds at once.
  package static let slots = 1...20
  /// Bytes of a building's name.
  package static let buildingName = 1...100
  /// Bytes of a floor's, a tag's or a place's name, and of a room's that its device does not take.
  package static let label = 1...64
  /// The longest timeout of a stage; the shortest is above 0.
  package static let longestTimeout = Duration.seconds(3600)
}
