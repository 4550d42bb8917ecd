import Source

extension ManifestReading {
  /// A text after all certain corrections.
  package struct FixedText: Hashable, Sendable {
    package var name: String
    /// The text before the corrections.
    package var original: [UInt8]
    /// The text after the corrections; comments and layout are unchanged.
    package var bytes: [UInt8]
    /// The number of corrected findings.
    package var count: Int
  }

  /// Applies every certain fix; returns the texts that change, by number. If two fixes overlap, the first one
  /// is applied.
  package func fixed() -> [FixedText] {
    excerpts.compactMap { excerpt in
      let fixes = diagnostics.compactMap(\.fix).filter { $0.edits.first?.range.text == excerpt.source.number }
      var bytes: [UInt8] = []
      var offset = 0
      var count = 0
      for fix in fixes {
        guard let first = fix.edits.first, first.range.start.offset >= offset else { continue }
        count += 1
        for edit in fix.edits {
          bytes += excerpt.source.bytes[offset..<edit.range.start.offset]
          bytes += edit.text.utf8
          offset = max(edit.range.start.offset, edit.range.end.offset)
        }
      }
      guard count > 0 else { return nil }
      bytes += excerpt.source.bytes[offset...]
      return FixedText(
        name: excerpt.file, original: excerpt.source.encoded(excerpt.source.bytes),
        bytes: excerpt.source.encoded(bytes), count: count)
    }
  }
}
