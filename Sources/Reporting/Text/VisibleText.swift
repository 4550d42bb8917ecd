import Model

extension String {
  /// This text on one line, with nothing in it that a terminal, an editor or a spreadsheet would obey:
  /// control characters, line separators and marks that reorder text are spelt out (`\n`, `\u{1B}`).
  package var visible: String { spellingOut(keepingTones: false, keepingLines: false) }

  /// A text of several lines without other control characters.
  package var visibleLines: String { spellingOut(keepingTones: false, keepingLines: true) }

  /// A line of a view, which may have the colours of `TerminalStyle`, without other control sequences.
  /// The colours of texts from outside were removed when the line was made.
  package var visibleLine: String { spellingOut(keepingTones: true, keepingLines: false) }

  private func spellingOut(keepingTones: Bool, keepingLines: Bool) -> String {
    func isSpelt(_ scalar: Unicode.Scalar) -> Bool { scalar.isObeyed && !(keepingLines && scalar == "\n") }
    guard unicodeScalars.contains(where: isSpelt) else { return self }
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.first {
      if keepingTones, scalar == "\u{1B}",
        let tone = TerminalStyle.tones.first(where: { rest.starts(with: $0) })
      {
        result.append(contentsOf: tone)
        rest = rest.dropFirst(tone.count)
        continue
      }
      rest.removeFirst()
      if isSpelt(scalar) {
        result.append(contentsOf: scalar.spelt.unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
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
