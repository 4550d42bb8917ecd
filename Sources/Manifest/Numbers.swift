extension Duration {
  /// A duration as manifests and scenarios write it: a whole number and `ms`, `s` or `m`, like `500ms`, `15s` or
  /// `2m`. Nil for everything else; 0 and negative ones are for the caller to judge.
  public init?(manifestText text: String) {
    guard let duration = Written.duration(text) else { return nil }
    self = duration
  }
}

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

  /// A whole number and `ms`, `s` or `m`: `500ms`, `15s`, `2m`. Nil for everything else.
  static func duration(_ text: String) -> Duration? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == "-") }
    guard let count = integer(String(number)), abs(count) <= 1_000_000_000 else { return nil }
    switch text.dropFirst(number.count) {
    case "ms": return .milliseconds(count)
    case "s": return .seconds(count)
    case "m": return .seconds(count * 60)
    default: return nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
