package import Model
import Source
import YAML

extension ManifestReader {
  /// The text of a manifest and of the files that it names, safe to give away. Lines stay as they are, with
  /// `•••` for everything that is or may be a secret: passwords, comments, anchors, and values of unknown
  /// keys.
  ///
  /// In a file with errors, or one that is not YAML, more is hidden. The result does not show how long a
  /// secret is.
  ///
  /// - Returns: the texts with the names of their files; the manifest is the first.
  package static func redacted(
    _ bytes: [UInt8], file: String, families: FamilyCatalogue, files: ManifestFiles? = nil
  ) -> [(name: String, text: String)] {
    var decoder = ManifestDecoder(families, files: files)
    _ = decoder.building(in: bytes, file: file)
    return decoder.texts.excerpts(without: decoder.secrets).map { ($0.file, $0.text) }
  }
}

extension SourceExcerpt {
  /// All lines, with `•••` for hidden parts.
  fileprivate var text: String {
    (1...source.lineCount).map { line in
      pieces(ofLine: line, in: 0..<source.bytes.count).map { piece in
        piece.isShown ? String(decoding: source.bytes[piece.bytes], as: UTF8.self) : "•••"
      }.joined()
    }.joined(separator: "\n")
  }
}
