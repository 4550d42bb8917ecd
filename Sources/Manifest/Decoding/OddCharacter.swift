import Model
import Source
import YAML

/// The first character of a value that does not belong there: often one that looks like another.
struct OddCharacter {
  /// `character 2 is the letter O, not the digit 0`
  let words: String
  /// The value with digits instead of the letters that look like them.
  let corrected: String

  /// Nil without such a character, for a text without a digit, which is not a mistyped value, and for one that may be
  /// a secret.
  init?(in text: String, isAllowed: (Character) -> Bool) {
    guard !Vocabulary.mentionsSecrets(text), text.contains(where: { $0.isASCII && $0.isNumber }),
      let (index, character) = text.enumerated().first(where: { !isAllowed($0.element) })
    else { return nil }
    words = "character \(index + 1) is \(Self.name(of: character))"
    corrected = String(text.map { isAllowed($0) ? $0 : Self.digits[$0] ?? $0 })
  }

  private static let digits: [Character: Character] = ["O": "0", "o": "0", "I": "1", "l": "1"]

  private static func name(of character: Character) -> String {
    if let digit = digits[character] { return "the letter \(character), not the digit \(digit)" }
    switch character {
    case ",": return "a comma"
    case ".": return "a point"
    case " ", "\u{A0}", "\u{202F}": return "a space"
    case "–", "—", "−": return "a dash"
    case "“", "”", "„", "’", "‘", "‚", "»", "«": return "a typographic quotation mark"
    default: return "“\(character)”"
    }
  }
}

extension ManifestDecoder {
  /// Reports an unquoted value that is entirely in quotation marks that YAML does not know.
  mutating func isInTypographicQuotes(_ node: YAMLNode, _ key: String) -> Bool {
    // The first byte of these marks in UTF-8.
    guard case .scalar(let text, isPlain: true) = node.content, let byte = text.utf8.first,
      byte == 0xC2 || byte == 0xE2,
      let first = text.first, let last = text.last, "“”„‟»«‘’‚".contains(first), "“”‟»«‘’\"'".contains(last),
      text.count > 1
    else { return false }
    let inner = text.dropFirst().dropLast()
    let isPlain = !inner.contains { "\"\\\n".contains($0) } && node.range.start.line == node.range.end.line
    let (start, end) = (node.range.start, node.range.end)
    func edit(_ offset: Int, _ count: Int) -> Diagnostic.Edit {
      .init(range: texts.texts[start.text].source.range(offset..<offset + count), text: "\"")
    }
    error(
      .typographicQuote, "`\(key)` is in typographic quotation marks, which would become part of it",
      at: node.range,
      advice: "write \" instead; if they do belong to it, put \" around them",
      fix: isPlain
        ? .init([
          edit(start.offset, first.utf8.count), edit(end.offset - last.utf8.count, last.utf8.count),
        ]) : nil)
    return true
  }

  /// The fix that replaces the text of a scalar and keeps its quotes; nil for a text with escapes or of several lines.
  func replace(_ node: YAMLNode, with text: String) -> Diagnostic.Fix? {
    let source = texts.texts[node.range.text].source
    var bytes = node.range.bytes
    if !texts.isPlain(node.range) {
      bytes = bytes.dropFirst().dropLast()
    }
    guard let old = node.text, source.bytes[bytes].elementsEqual(old.utf8) else { return nil }
    return .replace(source.range(bytes), with: text)
  }

  /// Decodes a duration; nil, with an error, otherwise. A fraction is corrected to whole milliseconds.
  mutating func duration(_ node: YAMLNode, _ key: String) -> Duration? {
    guard let text = text(node, key) else { return nil }
    if let duration = Duration(written: text) { return duration }
    var advice = "write a whole number and its unit, without space: 500ms, 15s or 2m"
    var fix: Diagnostic.Fix?
    if let match = text.wholeMatch(of: /([0-9]{1,6})[.,]([0-9]{1,3})(s|m)/),
      let whole = Int(match.1, in: 0...999_999), let part = Int(match.2, in: 0...999)
    {
      let scale = [100, 10, 1][match.2.count - 1]
      let duration = Duration.milliseconds((whole * 1000 + part * scale) * (match.3 == "m" ? 60 : 1))
      advice = "a duration has no fraction: write \(duration.written)"
      fix = replace(node, with: duration.written)
    }
    return refused(.notADuration, "`\(key)` is not a duration", at: node.range, advice: advice, fix: fix)
  }
}
