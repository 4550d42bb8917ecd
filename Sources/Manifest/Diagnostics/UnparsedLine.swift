import Source
import YAML

/// A line of a file that is not YAML. It shows indentation, known keys, and values that hold no secret, until
/// the first part of another kind.
struct UnparsedLine {
  private let source: SourceText
  private let line: Int
  private let vocabulary: Vocabulary
  private let range: Range<Int>

  init(_ line: Int, of source: SourceText, _ vocabulary: Vocabulary) {
    self.vocabulary = vocabulary
    self.line = line
    self.source = source
    range = source.range(ofLine: line) ?? source.start..<source.start
  }

  /// The shown start of the line, and the hidden rest.
  var pieces: [SourceExcerpt.Piece] {
    let end = range.lowerBound + (belongsToOpenBlock ? shownPrefix : indentation(of: bytes).count)
    return [
      .init(bytes: range.lowerBound..<end, isShown: true),
      .init(bytes: end..<range.upperBound, isShown: false),
    ].filter { !$0.bytes.isEmpty }
  }

  private var bytes: ArraySlice<UInt8> { source.bytes[range] }

  /// The number of bytes at the start that may be shown.
  private var shownPrefix: Int {
    guard range.count <= 2000 else { return 0 }
    var rest = bytes
    while true {
      rest = rest.drop { " \t{}[],-".utf8.contains($0) }
      let before = range.count - rest.count
      guard let (key, width) = leadingKey(of: rest), vocabulary.all.contains(key) else { return before }
      rest = rest.dropFirst(width)
      let value = self.value(of: key, in: rest)
      let text = String(decoding: value, as: UTF8.self)
      if text.allSatisfy({ $0 == " " || $0 == "\t" }) {
        rest = rest.dropFirst(value.count)
        // No value, or a collection.
        if key == "password" { return range.count - rest.count }
        continue
      }
      // An unknown `key:` in the value may introduce a secret, and so may a word for one.
      guard vocabulary.openValues.contains(key),
        !Vocabulary.mentionsSecrets(text),
        !(text + " ").contains(": "), String(validating: value, as: UTF8.self) != nil,
        !text.contains("|"), !text.contains(">"), !text.contains("&"), !text.contains("*")
      else { return range.count - rest.drop { $0 == UInt8(ascii: " ") }.count }
      rest = rest.dropFirst(value.count)
    }
  }

  /// `key:` at the start, with its width in bytes.
  private func leadingKey(of bytes: ArraySlice<UInt8>) -> (String, width: Int)? {
    let word = bytes.prefix { $0.isLetter || $0 == UInt8(ascii: "_") }
    let next = bytes.dropFirst(word.count)
    guard !word.isEmpty, next.first == UInt8(ascii: ":") else { return nil }
    let key = String(decoding: word, as: UTF8.self)
    // `minor:102` lacks its space. Without a known key it could be anything.
    if let after = next.dropFirst().first, !" \t".utf8.contains(after), !vocabulary.openValues.contains(key) {
      return nil
    }
    return (key, word.count + 1)
  }

  /// The value at the start, with the braces of a range of rooms.
  private func value(of key: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let value = bytes.prefix { !",{}[]#".utf8.contains($0) }
    guard key == "room", bytes.dropFirst(value.count).first == UInt8(ascii: "{") else { return value }
    let range = bytes.dropFirst(value.count + 1).prefix {
      $0.isLetter || $0.isDigit || "., ".utf8.contains($0)
    }
    guard bytes.dropFirst(value.count + 1 + range.count).first == UInt8(ascii: "}") else { return value }
    return bytes.prefix(value.count + range.count + 2)
  }

  /// Whether the nearest line above with less indentation is only `key:`. Otherwise this line may continue a
  /// longer text.
  private var belongsToOpenBlock: Bool {
    let own = indentation(of: bytes).count
    if own == 0 { return true }
    for number in (max(1, line - 5000)..<line).reversed() {
      guard let range = source.range(ofLine: number) else { return false }
      let text = source.bytes[range]
      let indentation = indentation(of: text).count
      let content = text.dropFirst(indentation)
      if content.isEmpty || content.first == UInt8(ascii: "#") || indentation >= own { continue }
      let key = String(decoding: content.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      let rest = content.dropFirst(key.utf8.count + 1).prefix { $0 != UInt8(ascii: "#") }
      return !Vocabulary.mentionsSecrets(key) && rest.allSatisfy { $0 == UInt8(ascii: " ") }
    }
    return false
  }

  private func indentation(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = bytes.startIndex
    while end < bytes.endIndex {
      if " \t".utf8.contains(bytes[end]) {
        end += 1
      } else if bytes[end] == UInt8(ascii: "-"),
        end + 1 == bytes.endIndex || bytes[end + 1] == UInt8(ascii: " ")
      {
        end += 1
      } else {
        break
      }
    }
    return bytes[..<end]
  }
}
