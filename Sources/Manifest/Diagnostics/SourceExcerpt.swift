package import Source
import YAML

/// A file's lines, as far as they may be shown: a line is shown because it is known to be harmless, never
/// because nobody noticed a secret in it.
public struct SourceExcerpt: Sendable {
  /// The file's name in messages.
  public let file: String

  let source: SourceText
  let visibility: Visibility

  /// What is known of the text.
  enum Visibility: Sendable {
    /// It holds no secret: all of it may be shown.
    case open
    /// No tree: lines are judged one by one, by `UnparsedLine`.
    case unparsed
    /// The tree. Of its scalars those that are marked may be shown, unless one is a secret; what is no scalar is
    /// punctuation or comment.
    case parsed(YAMLNode?, shown: ByteMarks, secrets: Set<String>)
  }

  init(file: String, source: SourceText, visibility: Visibility) {
    (self.file, self.source, self.visibility) = (file, source, visibility)
  }

  /// The lines of a file that holds no secret.
  package init(open source: SourceText, file: String) {
    self.init(file: file, source: source, visibility: .open)
  }

  /// A stretch of a line as it is shown.
  struct Piece: Hashable {
    /// The bytes that it stands for.
    var bytes: Range<Int>
    /// Whether they may be shown.
    var isShown: Bool
  }

  /// A line, cut into what may be shown and what may not, within `window`.
  func pieces(ofLine line: Int, in window: Range<Int>) -> [Piece] {
    guard let range = source.range(ofLine: line)?.clamped(to: window), !range.isEmpty else { return [] }
    switch visibility {
    case .open: return [Piece(bytes: range, isShown: true)]
    case .unparsed:
      // A long line cannot be judged by a part of it.
      guard range == source.range(ofLine: line) else { return [Piece(bytes: range, isShown: false)] }
      return UnparsedLine(line, of: source).pieces
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
      if bytes.isEmpty || bytes.upperBound <= offset { continue }
      result += between(offset..<max(offset, bytes.lowerBound))
      result.append(Piece(bytes: max(offset, bytes.lowerBound)..<bytes.upperBound, isShown: scalar.isShown))
      offset = bytes.upperBound
    }
    return result + between(offset..<range.upperBound)
  }

  /// Between scalars there is punctuation, which is shown; anchors, tags and comments, which are not.
  private func between(_ range: Range<Int>) -> [Piece] {
    var result: [Piece] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      let start = offset
      while offset < range.upperBound, " \t{}[],;:-?".utf8.contains(source.bytes[offset]) { offset += 1 }
      if offset > start { result.append(Piece(bytes: start..<offset, isShown: true)) }
      let hidden = offset
      let isComment = offset < range.upperBound && source.bytes[offset] == UInt8(ascii: "#")
      while offset < range.upperBound, isComment || source.bytes[offset] != UInt8(ascii: " ") { offset += 1 }
      if offset > hidden { result.append(Piece(bytes: hidden..<offset, isShown: false)) }
    }
    return result
  }
}

extension YAMLNode {
  /// The scalars in it that overlap a part of the text, in their order. What an alias stands for is where its anchor is.
  fileprivate func scalars(in part: Range<Int>) -> [(bytes: Range<Int>, text: String)] {
    var scalars: [(bytes: Range<Int>, text: String)] = []
    collect(part, &scalars)
    return scalars
  }

  private func collect(_ part: Range<Int>, _ scalars: inout [(bytes: Range<Int>, text: String)]) {
    func add(_ bytes: Range<Int>, _ text: String) {
      if bytes.overlaps(part) { scalars.append((bytes, text)) }
    }
    switch content {
    case .scalar(let text, _): add(range.bytes, text)
    case .sequence(let items):
      for item in items.overlapping(part, \.range, \.range) { item.collect(part, &scalars) }
    case .mapping(let entries):
      for entry in entries.overlapping(part, \.keyRange, \.value.range) {
        add(entry.keyRange.bytes, entry.key)
        entry.value.collect(part, &scalars)
      }
    }
  }
}

extension Array {
  /// Those of these elements, which are in the order of the text, that may overlap a part of it.
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
