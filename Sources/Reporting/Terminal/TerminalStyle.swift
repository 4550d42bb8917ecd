import Model

/// The size and the colours of a terminal.
package struct TerminalStyle: Hashable, Sendable {
  /// Columns; fewer than 20 count as 20.
  package var width: Int
  /// Lines; 24 if unknown.
  package var height: Int
  /// Whether colours and weights are used (not with `NO_COLOR`, and not in pipes).
  package var hasColor: Bool

  /// A style for a size, with or without colours.
  package init(width: Int, height: Int = 24, hasColor: Bool) {
    self.width = max(20, width)
    self.height = max(4, height)
    self.hasColor = hasColor
  }

  /// A colour or weight (ECMA-48 SGR).
  package enum Tone: Int, CaseIterable {
    case plain = 0
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
  }

  /// The codes that `paint` adds to texts.
  static let tones = Tone.allCases.map { Array("\u{1B}[\($0.rawValue)m".unicodeScalars) }

  /// Text in a tone; call it last, because the codes that it adds have no width.
  package func paint(_ text: String, _ tone: Tone) -> String {
    guard hasColor, tone != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
  }

  /// Text in lines that fit the terminal.
  package func paragraph(_ text: String) -> [String] { text.wrapped(to: width) }

  /// Text in lines that fit the terminal, 100 columns at most.
  /// - Parameters:
  ///   - indent: columns before every line.
  ///   - hanging: columns more before all lines but the first.
  package func block(_ text: String, indent: Int = 0, hanging: Int = 0) -> [String] {
    text.wrapped(to: min(100, width) - indent - hanging).enumerated().map {
      String(repeating: " ", count: indent + ($0 == 0 ? 0 : hanging)) + $1
    }
  }
}

extension String {
  /// The number of columns of a line to which `paint` may have added tones.
  package var columnsWithoutTones: Int {
    var text = ""
    var isTone = false
    for character in unicodeScalars {
      if character == "\u{1B}" { isTone = true }
      if !isTone { text.unicodeScalars.append(character) }
      if isTone, character == "m" { isTone = false }
    }
    return text.columns
  }
}

extension Outcome {
  /// Its colour.
  var tone: TerminalStyle.Tone {
    switch kind {
    case .done: .green
    case .failed: .red
    case .action: .yellow
    case .other: .dim
    }
  }
}
