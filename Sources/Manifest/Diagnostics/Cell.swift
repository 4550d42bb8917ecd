import Model
import Source
import YAML

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
        character == "\t" ? String(repeating: " ", count: 4 - column % 4) : String(character).visible
      let width = shown.columns
      column += width
      return Cell(text: shown, width: width, bytes: bytes)
    }
  }
}

extension SourceText {
  /// The part of a line within `distance` bytes of an offset, cut between scalars.
  func scalars(around offset: Int, in line: Range<Int>, distance: Int) -> Range<Int> {
    var lower = min(max(line.lowerBound, offset - distance), line.upperBound)
    var upper = max(lower, min(line.upperBound, offset + distance))
    while lower > line.lowerBound, bytes[lower] & 0xC0 == 0x80 { lower -= 1 }
    while upper < line.upperBound, bytes[upper] & 0xC0 == 0x80 { upper += 1 }
    return lower..<upper
  }
}
