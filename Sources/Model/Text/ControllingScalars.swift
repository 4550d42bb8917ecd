extension Unicode.Scalar {
  /// Whether a terminal, an editor or a spreadsheet interprets it instead of showing it: control characters
  /// (C1 among them), line separators, and marks that reorder text.
  package var isControlling: Bool {
    // Nearly every text is ASCII, and the table of general categories is slow.
    if value < 0x7F { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    // Joiners (U+200C, U+200D) and the marks of flags join letters and emoji. Other format characters, above
    // all the bidirectional controls, can change how a line reads.
    case .format: return !(value == 0x200C || value == 0x200D || (0xE0020...0xE007F).contains(value))
    default: return false
    }
  }

  /// Its escape sequence in Swift's notation: `\n`, `\u{1B}`.
  package var escapeSequence: String {
    switch value {
    case 0x00: "\\0"
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}

extension String {
  /// This text on one line, without anything that a terminal, an editor or a spreadsheet would interpret:
  /// control characters, line separators and marks that reorder text are escaped (`\n`, `\u{1B}`).
  package var visible: String {
    guard unicodeScalars.contains(where: \.isControlling) else { return self }
    return unicodeScalars.map { $0.isControlling ? $0.escapeSequence : String($0) }.joined()
  }
}
