import Source
import YAML
import Model

/// A character of a source line as a terminal shows it.
struct Cell: Hashable {
  var text: String
  /// Width in terminal columns.
  var width: Int
  /// The bytes of the source.
  var bytes: Range<Int>

  /// The cells of a piece of a line. A hidden piece is one cell, independently of its length.
  static func cells(of piece: SourceExcerpt.Piece, in source: SourceText, column: Int) -> [Cell] {
    guard piece.isShown, let text = String(validating: source.bytes[piece.bytes], as: UTF8.self) else {
      return [Cell(text: "***", width: 3, bytes: piece.bytes)]
    }
    var offset = piece.bytes.lowerBound
    var column = column
    return text.map { character in
      let bytes = offset..<offset + character.utf8.count
      offset = bytes.upperBound
      let shown =
        character == "\t" ? String(repeating: " ", count: 4 - column % 4) : String(character).neutral
      let width = shown.reduce(0) { $0 + $1.columns }
      column += width
      return Cell(text: shown, width: width, bytes: bytes)
    }
  }
}

extension Character {
  /// The width in terminal columns: 2 for wide East Asian characters and emoji, 0 for marks on their own.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if first.properties.isEmojiPresentation || unicodeScalars.contains(where: { $0.value == 0xFE0F }) {
      return 2
    }
    return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// Blocks with East Asian width W or F (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
    0x20000...0x3FFFD,
  ]
}

extension String {
  /// The text with control characters, line separators and bidirectional controls escaped, so that a terminal
  /// does not act on them.
  var neutral: String {
    guard unicodeScalars.contains(where: \.isObeyed) else { return self }
    return unicodeScalars.map { scalar in
      scalar.isObeyed ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
    }.joined()
  }
}

extension SourceText {
  /// The part of a line within `distance` bytes of an offset, cut between scalars.
  func scalars(around offset: Int, in line: Range<Int>, distance: Int) -> Range<Int> {
    var lower = min(max(line.lowerBound, offset - distance), line.upperBound)
    var upper = max(lower, min(line.upperBound, offset + distance))
    while lower > line.lowerBound, lower < bytes.count, bytes[lower] & 0xC0 == 0x80 { lower -= 1 }
    while upper < line.upperBound, bytes[upper] & 0xC0 == 0x80 { upper += 1 }
    return lower..<upper
  }
}
