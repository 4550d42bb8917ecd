import YAML

extension ManifestReader {
  /// A manifest's text as it may leave the house: line by line as it is, with `•••` for everything that is a secret or might be
  /// one: passwords, comments, anchors, and values under keys that are not known.
  ///
  /// In a file that is no YAML, or has errors, more is hidden. How long a secret is does not show.
  public static func redacted(_ bytes: [UInt8]) -> String {
    let source = SourceText(bytes)
    let excerpt = SourceExcerpt(file: "", source: source, visibility: visibility(of: source))
    return (1...source.lineCount).map { line in
      excerpt.pieces(ofLine: line, in: 0..<bytes.count).map { piece in
        piece.isShown ? String(decoding: bytes[piece.bytes], as: UTF8.self) : "•••"
      }.joined()
    }.joined(separator: "\n")
  }

  private static func visibility(of source: SourceText) -> SourceExcerpt.Visibility {
    guard let document = try? YAMLParser.read(source) else { return .unparsed }
    var decoder = ManifestDecoder()
    _ = decoder.building(document.root)
    if document.problems.contains(where: { $0.problem == .keyIsNotText }) { return .unparsed }
    return .of(document.root, shown: decoder.shown, secrets: decoder.secrets)
  }
}
