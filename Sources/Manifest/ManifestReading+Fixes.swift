import Source

extension ManifestReading {
  /// A text as it is once everything certain was corrected.
  public struct FixedText: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// What was in it.
    public var original: [UInt8]
    /// What is in it now; comments and layout are as they were.
    public var bytes: [UInt8]
    /// How many findings were corrected in it.
    public var count: Int
  }

  /// The texts that change when every certain fix is applied, by number. Where two fixes overlap, the first is applied.
  public func fixed() -> [FixedText] {
    excerpts.compactMap { excerpt in
      let fixes = allFixes.filter { $0.edits.first?.range.text == excerpt.source.number }
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
      return FixedText(
        name: excerpt.file, original: excerpt.source.bytes, bytes: bytes + excerpt.source.bytes[offset...],
        count: count)
    }
  }
}
