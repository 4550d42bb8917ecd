extension String {
  /// This text on one line, with nothing in it that a terminal, an editor or a spreadsheet would obey:
  /// control characters, line separators and marks that reorder text are spelt out (`\n`, `\u{1B}`).
  public var visible: String {
    guard unicodeScalars.contains(where: \.isObeyed) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isObeyed { result += scalar.spelt } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether it does something instead of standing for something.
  var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Joiners (U+200C, U+200D) and the marks of flags hold letters and emoji together; the rest, above all
    // the bidirectional controls, can make a line read otherwise than it is.
    case .format: !(value == 0x200C || value == 0x200D || (0xE0020...0xE007F).contains(value))
    default: false
    }
  }

  /// Its name in Swift's notation.
  var spelt: String {
    switch value {
    case 0x00: "\\0"
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
