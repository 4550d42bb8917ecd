package import Source
import YAML

/// The lines of a file with everything hidden that is not known to be harmless.
package struct SourceExcerpt: Sendable {
  package let file: String

  let source: SourceText
  let visibility: Visibility

  /// The known facts about the text.
  enum Visibility: Sendable {
    /// The text holds no secret and is shown in full.
    case open
    /// There is no tree; `UnparsedLine` decides line by line.
    case unparsed(Vocabulary)
    /// The tree. A scalar is shown if it is marked and is not a secret. Between scalars, punctuation is shown
    /// and comments are hidden.
    case parsed(YAMLNode?, shown: ByteMarks, secrets: Set<String>)
  }

  init(file: String, source: SourceText, visibility: Visibility) {
    (self.file, self.source, self.visibility) = (file, source, visibility)
  }

  /// The excerpt of a file that holds no secret.
  package init(open source: SourceText, file: String) {
    self.init(file: file, source: source, visibility: .open)
  }

  /// A part of a line.
  struct Piece: Hashable {
    var bytes: Range<Int>
    var isShown: Bool
  }

  /// The parts of a line within `window`, each shown or hidden.
  func pieces(ofLine line: Int, in window: Range<Int>) -> [Piece] {
    guard let range = source.range(ofLine: line)?.clamped(to: window) else { return [] }
    switch visibility {
    case .open: return [Piece(bytes: range, isShown: true)]
    case .unparsed(let vocabulary):
      // A part of a long line is not enough for a decision.
      guard range == source.range(ofLine: line) else { return [Piece(bytes: range, isShown: false)] }
      return UnparsedLine(line, of: source, vocabulary).pieces
    case .parsed(let root, let shown, let secrets):
      let scalars = root?.scalars(in: range) ?? []
      return pieces(
        of: range,
        scalars.map {
          Piece(bytes: $0.bytes, isShown: shown.contains($0.bytes.lowerBound) && !secrets.contains($0.text))
        })
    }
  }

  private func pieces(of range: Range<Int>, _ scalars: [Piece]) -> [Piece] {
    var result: [Piece] = []
    var offset = range.lowerBound
    for scalar in scalars {
      let bytes = scalar.bytes.clamped(to: range)
      let start = max(offset, bytes.lowerBound)
      // Empty, or that of an alias: it is at its anchor's place.
      if start >= bytes.upperBound { continue }
      result += between(offset..<start)
      result.append(Piece(bytes: start..<bytes.upperBound, isShown: scalar.isShown))
      offset = bytes.upperBound
    }
    return result + between(offset..<range.upperBound)
  }

  /// Shows the punctuation between scalars; hides anchors, tags and comments.
  private func between(_ range: Range<Int>) -> [Piece] {
    var result: [Piece] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      let start = offset
      while offset < range.upperBound, " \t{}[],;:-?".utf8.contains(source.bytes[offset]) { offset += 1 }
      result.append(Piece(bytes: start..<offset, isShown: true))
      let hidden = offset
      let isComment = offset < range.upperBound && source.bytes[offset] == UInt8(ascii: "#")
      while offset < range.upperBound, isComment || source.bytes[offset] != UInt8(ascii: " ") { offset += 1 }
      if offset > hidden { result.append(Piece(bytes: hidden..<offset, isShown: false)) }
    }
    return result
  }
}

extension YAMLNode {
  /// The scalars that may overlap a part of the text, in order. An alias contributes those of its anchor's place.
  fileprivate func scalars(in part: Range<Int>) -> [(bytes: Range<Int>, text: String)] {
    var scalars: [(bytes: Range<Int>, text: String)] = []
    collect(part, &scalars)
    return scalars
  }

  private func collect(_ part: Range<Int>, _ scalars: inout [(bytes: Range<Int>, text: String)]) {
    switch content {
    case .scalar(let text, _): scalars.append((range.bytes, text))
    case .sequence(let items):
      for item in items.overlapping(part, \.range, \.range) { item.collect(part, &scalars) }
    case .mapping(let entries):
      for entry in entries.overlapping(part, \.keyRange, \.value.range) {
        scalars.append((entry.keyRange.bytes, entry.key))
        entry.value.collect(part, &scalars)
      }
    }
  }
}

extension Array {
  /// The elements that may overlap a part of the text. The elements are in the order of the text.
  fileprivate func overlapping(
    _ part: Range<Int>, _ first: KeyPath<Element, SourceRange>, _ last: KeyPath<Element, SourceRange>
  ) -> ArraySlice<Element> {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle][keyPath: last].bytes.upperBound <= part.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return self[low...].prefix { $0[keyPath: first].bytes.lowerBound < part.upperBound }
  }
}

/// A set of byte offsets, as a bit map. No two scalars begin at the same byte.
struct ByteMarks: Sendable {
  private var words: [UInt64]

  /// - Parameter count: The number of bytes of the text.
  init(count: Int) {
    words = Array(repeating: 0, count: count / 64 + 1)
  }

  mutating func insert(_ byte: Int) { words[byte / 64] |= 1 << (byte % 64) }

  func contains(_ byte: Int) -> Bool { words[byte / 64] >> (byte % 64) & 1 == 1 }
}
