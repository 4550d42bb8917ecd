import Model

/// Numbers and durations in a manifest.
enum Written {
  /// Numbers are below this and above its negative: 18 digits.
  private static let bound = 999_999_999_999_999_999

  /// Parses decimal digits with an optional `-`. Nil with a leading zero (octal in some YAML readers), for
  /// `0x10`, `1e3` or `1_000`, and beyond 18 digits.
  static func integer(_ text: String) -> Int? {
    isDecimal(text) ? Int(text, in: -bound...bound) : nil
  }

  /// Whether the text is a decimal number of any size.
  static func isDecimal(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    return !digits.isEmpty && digits.utf8.allSatisfy(\.isDigit) && (digits == "0" || digits.first != "0")
  }
}

extension UInt8 {
  /// Whether the byte is a decimal digit in ASCII.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  /// Whether the byte is a letter in ASCII.
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

/// The limits of values that no device family defines.
package enum ManifestLimits {
  /// Number of retries after the first attempt.
  package static let retries = 0...20
  /// Links that an adapter can hold at once.
  package static let slots = 1...20
  /// Length of a building's name in bytes.
  package static let buildingName = 1...100
  /// Length in bytes of the name of a floor, tag or place, and of a room whose device does not take its name.
  package static let label = 1...64
  /// The longest timeout of a stage. A timeout must also be above 0.
  package static let longestTimeout = Duration.seconds(3600)
}
