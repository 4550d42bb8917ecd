import Source
import YAML

extension ManifestReader {
  /// A manifest's text as it may leave the house: line by line as it is, with `•••` for everything that is a secret or might be
  /// one: passwords, comments, anchors, and values under keys that are not known.
  ///
  /// In a file that is no YAML, or has errors, more is hidden. How long a secret is does not show.
  ///
  /// - Returns: The manifest and the files that it names, each with its name.
  public static func redacted(
    _ bytes: [UInt8], file: String, files: ManifestFiles? = nil
  ) -> [(name: String, text: String)] {
    var decoder = ManifestDecoder(files: files)
    _ = decoder.building(in: bytes, file: file)
    return decoder.texts.excerpts(without: decoder.secrets).map { ($0.file, $0.text) }
  }
}

extension SourceExcerpt {
  /// All lines, with `•••` for what may not be shown.
  fileprivate var text: String {
    (1...source.lineCount).map { line in
      pieces(ofLine: line, in: 0..<source.bytes.count).map { piece in
        piece.isShown ? String(decoding: source.bytes[piece.bytes], as: UTF8.self) : "•••"
      }.joined()
    }.joined(separator: "\n")
  }
}
