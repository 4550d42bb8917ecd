import Model

extension String {
  /// A text of several lines, with `String.visible`'s escapes in each line.
  package var visibleLines: String { escaping { $0.isControlling && $0 != "\n" } }

  /// A line of a view with `String.visible`'s escapes, which may have the colours of `TerminalStyle`. The
  /// colours of texts from outside were removed when the line was made.
  package var visibleLine: String { escaping(keepingColours: true, \.isControlling) }

  private func escaping(keepingColours: Bool = false, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: isEscaped) else { return self }
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.first {
      if keepingColours, scalar == "\u{1B}",
        let tone = TerminalStyle.tones.first(where: { rest.starts(with: $0) })
      {
        result.append(contentsOf: tone)
        rest = rest.dropFirst(tone.count)
        continue
      }
      rest.removeFirst()
      if isEscaped(scalar) {
        result.append(contentsOf: scalar.escapeSequence.unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
