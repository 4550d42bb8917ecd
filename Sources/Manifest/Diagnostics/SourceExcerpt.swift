import Source
import YAML

/// A manifest's lines, as far as they may be shown: a line is shown because it is known to be harmless, never
/// because nobody noticed a secret in it.
public struct SourceExcerpt: Sendable {
  /// The file's name in messages.
  public let file: String

  let source: SourceText
  let visibility: Visibility

  /// What is known of the text.
  enum Visibility: Sendable {
    /// No tree: lines are judged one by one, by `UnparsedLine`.
    case unparsed
    /// Every scalar in the tree that may not be shown, in order. What is no scalar is punctuation or comment.
    case parsed(shown: [Range<Int>], hidden: [Range<Int>])

    /// What a tree shows: the recognised scalars, unless one of them contains a secret.
    static func of(_ root: YAMLNode?, shown: Set<Range<Int>>, secrets: Set<String>) -> Self {
      var visible: Set<Range<Int>> = []
      var hidden: Set<Range<Int>> = []
      func sort(_ range: Range<Int>, _ text: String) {
        if range.isEmpty { return }
        if shown.contains(range), !secrets.contains(text) {
          visible.insert(range)
        } else {
          hidden.insert(range)
        }
      }
      func walk(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, _): sort(node.range.bytes, text)
        case .sequence(let items): items.forEach(walk)
        case .mapping(let entries):
          for entry in entries {
            sort(entry.keyRange.bytes, entry.key)
            walk(entry.value)
          }
        }
      }
      if let root { walk(root) }
      // What two uses of an alias judge differently stays hidden.
      let open = visible.subtracting(hidden).sorted { $0.lowerBound < $1.lowerBound }
      return .parsed(shown: open, hidden: hidden.sorted { $0.lowerBound < $1.lowerBound })
    }
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
    case .unparsed:
      // A long line cannot be judged by a part of it.
      guard range == source.range(ofLine: line) else { return [Piece(bytes: range, isShown: false)] }
      return UnparsedLine(line, of: source).pieces
    case .parsed(let shown, let hidden):
      return pieces(of: range, shown: shown.overlapping(range), hidden: hidden.overlapping(range))
    }
  }

  private func pieces(
    of range: Range<Int>, shown: ArraySlice<Range<Int>>, hidden: ArraySlice<Range<Int>>
  ) -> [Piece] {
    let scalars =
      shown.map { Piece(bytes: $0, isShown: true) } + hidden.map { Piece(bytes: $0, isShown: false) }
    var result: [Piece] = []
    var offset = range.lowerBound
    for scalar in scalars.sorted(by: { $0.bytes.lowerBound < $1.bytes.lowerBound }) {
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

extension [Range<Int>] {
  /// Those of these ordered ranges that overlap `range`. They are disjoint but for a few: aliased ones.
  fileprivate func overlapping(_ range: Range<Int>) -> ArraySlice<Range<Int>> {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return self[low...].prefix { $0.lowerBound < range.upperBound }
  }
}
