import Source
import YAML

/// Typing mistakes that make a text invalid YAML, recognised in the line of the parser's error or the line above.
extension Diagnostic {
  /// The finding for a YAML error, with the correction where a mistake is recognised.
  init(_ error: YAMLError, in source: SourceText, _ vocabulary: Vocabulary) {
    self.init(error)
    guard code == .yamlSyntax else { return }
    let number = error.range.start.line
    for line in [number, number - 1] {
      guard let range = source.range(ofLine: line), range.count <= 2000,
        let text = String(validating: source.bytes[range], as: UTF8.self)
      else { continue }
      let content = text.firstRange(of: /(?:^| )#/).map { text[..<$0.lowerBound] } ?? text[...]
      if let found = MistakenLine(text: content, start: range.lowerBound, source: source).finding(vocabulary)
      {
        self = found
        return
      }
    }
  }
}

private struct MistakenLine {
  /// The line without its comment.
  let text: Substring
  /// Byte offset of the line.
  let start: Int
  let source: SourceText

  func finding(_ vocabulary: Vocabulary) -> Diagnostic? {
    missingSpace(vocabulary) ?? missingSpaceAfterDash ?? bareSource ?? bareRange ?? typographicEnd
      ?? twoKeys(vocabulary)
  }

  private func range(_ part: Range<String.Index>) -> SourceRange {
    let lower = start + text.utf8.distance(from: text.startIndex, to: part.lowerBound)
    return source.range(lower..<lower + text[part].utf8.count)
  }

  /// `minor:102`
  private func missingSpace(_ vocabulary: Vocabulary) -> Diagnostic? {
    for match in text.matches(of: /(?:^[ \-]*|[{,] *)([a-z_]+):(?=[^ \/])/) {
      let key = String(match.1)
      guard vocabulary.all.contains(key) else { continue }
      return Diagnostic(missingSpaceAfter: key, at: range(match.1.startIndex..<match.range.upperBound))
    }
    return nil
  }

  /// `-{ room: Lobby }`
  private var missingSpaceAfterDash: Diagnostic? {
    guard let match = text.firstMatch(of: /^ *(-)[{"A-Za-z]/) else { return nil }
    let place = range(match.1.startIndex..<match.1.endIndex)
    return Diagnostic(
      .error, .yamlSyntax, "a space is missing after `-`", at: place, advice: "write `- …`",
      fix: .replace(SourceRange(start: place.end, end: place.end), with: " "))
  }

  /// `password: env: WIFI`
  private var bareSource: Diagnostic? {
    guard let match = text.firstMatch(of: /: +((env|file|command|prompt):(?: (?:\[[^\]#]*\]|[^#,}\[]*))?)/)
    else { return nil }
    let end = match.1.lastIndex { $0 != " " }.map(text.index(after:)) ?? match.1.endIndex
    let place = range(match.1.startIndex..<end)
    return Diagnostic(
      .error, .yamlSyntax, "the source of a password needs braces", at: place,
      advice: "for example: password: { env: WIFI_PASSWORD }", fix: .enclose(place, in: "{ ", " }"))
  }

  /// `{ room: Room {201..205}, minor: 201 }`
  private var bareRange: Diagnostic? {
    guard
      let match = text.firstMatch(
        of: /[{,] *(?:room|minor): *([^{}\[\],"'#]*\{[0-9A-Za-z., ]*\}[^{}\[\],"'#]*)/)
    else { return nil }
    let end = match.1.lastIndex { $0 != " " }.map(text.index(after:)) ?? match.1.endIndex
    let place = range(match.1.startIndex..<end)
    return Diagnostic(
      .error, .yamlSyntax, "between braces, a text with braces needs quotes", at: place,
      advice: "for example: room: \"Room {201..205}\"", fix: .quote(place))
  }

  /// `"Lobby”`
  private var typographicEnd: Diagnostic? {
    guard let match = text.firstMatch(of: /: *"[^"“”„]*([“”„]) *(?:$|[,}])/) else { return nil }
    let place = range(match.1.startIndex..<match.1.endIndex)
    return Diagnostic(
      .error, .typographicQuote, "\(match.1) does not close a quote", at: place,
      advice: "write the quotation mark of the keyboard: \"", fix: .replace(place, with: "\""))
  }

  /// `room: Lobby minor: 1`
  private func twoKeys(_ vocabulary: Vocabulary) -> Diagnostic? {
    guard let match = text.firstMatch(of: /^[ \-]*([a-z_]+): [^"'{}\[\]]*[^,] ([a-z_]+):(?: |$)/),
      vocabulary.all.contains(String(match.1)), vocabulary.all.contains(String(match.2))
    else { return nil }
    return Diagnostic(
      .error, .yamlSyntax, "a second key on this line", at: range(match.2.startIndex..<match.2.endIndex),
      advice: "begin a line with `\(match.2):`, below `\(match.1):`")
  }
}

extension Diagnostic {
  /// - Parameter range: From the key to the place of the missing space.
  init(missingSpaceAfter key: String, at range: SourceRange) {
    let place = SourceRange(start: range.end, end: range.end)
    self.init(
      .error, .yamlSyntax, "a space is missing after `\(key):`", at: range, advice: "write `\(key): …`",
      fix: .replace(place, with: " "))
  }
}
