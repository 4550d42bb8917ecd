/// Takes secrets out of outside texts: those of devices and of the stack.
///
/// A device can repeat a password in many forms. The redactor finds the secret itself, in upper or lower
/// case, reversed, with spaces, punctuation or NULs between its characters (so UTF-16 and UTF-32, too),
/// escaped as in JSON, URLs, HTML or quoted-printable, as hexadecimal, decimal bytes or base64; and pieces of it in each of
/// these forms, of 6 characters or more (8 for secrets of 16 or more). At the beginning and the end of a
/// text, where it may have been cut off, 4 characters suffice.
///
/// It does not find other encodings: it protects against careless firmware.
///
/// The time is linear in the length of the text; the memory is a small multiple of it.
package struct Redactor: Sendable {
  /// The replacement for a secret.
  package static let mark = "•••"
  /// The number of bytes of earlier text from the same source that matter: the beginning of a piece in its
  /// longest form, `0x68, 0x00, `.
  static let memory = 160

  private let folds: [(fold: TextFold, pieces: SecretPieces)]
  /// Secrets with too few visible characters for folding, unchanged, the longest first.
  private let exact: [[UInt8]]

  /// A redactor for these secrets. Empty and unresolved secrets are ignored.
  package init(_ secrets: some Sequence<Secret>) {
    let secrets = Set(secrets.filter(\.isResolved).map { Array($0.reveal().utf8) }).filter { !$0.isEmpty }
    let isASCII = secrets.allSatisfy { $0.allSatisfy { $0 < 0x80 } }
    let alphanumeric = TextFold(keepsPunctuation: false, keepsNonASCII: !isASCII)
    let graphic = TextFold(keepsPunctuation: true, keepsNonASCII: !isASCII)
    var pieces = (alphanumeric: SecretPieces(), graphic: SecretPieces())
    var exact: [[UInt8]] = []
    for secret in secrets {
      let folded = (alphanumeric: alphanumeric(secret), graphic: graphic(secret))
      pieces.alphanumeric.insert(folded.alphanumeric)
      if folded.graphic != folded.alphanumeric { pieces.graphic.insert(folded.graphic) }
      if folded.graphic.count < SecretPieces.leastSecret { exact.append(secret) }
    }
    folds = [(alphanumeric, pieces.alphanumeric), (graphic, pieces.graphic)].filter { !$0.1.isEmpty }
    self.exact = exact.sorted { a, b in
      a.count != b.count ? a.count > b.count : a.lexicographicallyPrecedes(b)
    }
  }

  /// Whether it redacts nothing.
  package var isEmpty: Bool { folds.isEmpty && exact.isEmpty }

  /// The end of a text, as far as `callAsFunction(_:after:)` uses it.
  package static func tail(of text: String) -> String {
    String(decoding: text.utf8.suffix(memory), as: UTF8.self)
  }

  /// `text` with every secret in it replaced by `•••`.
  /// - Parameter earlier: the text before from the same source: a secret may begin there.
  package func callAsFunction(_ text: String, after earlier: String = "") -> String {
    if isEmpty || text.isEmpty { return text }
    let bytes = Array(text.utf8)
    var ranges = self.ranges(in: bytes, isWhole: true)
    let before = earlier.utf8.suffix(Self.memory)
    if !before.isEmpty {
      ranges += self.ranges(in: before + bytes, isWhole: false).compactMap { range in
        let range = range.lowerBound - before.count..<range.upperBound - before.count
        return range.upperBound > 0 ? range.clamped(to: 0..<bytes.count) : nil
      }
    }
    return ranges.isEmpty ? text : Self.text(bytes, without: ranges)
  }

  /// The places of secrets, in no order.
  /// - Parameter isWhole: whether `bytes` begins and ends with the text, which may have been cut off there.
  private func ranges(in bytes: [UInt8], isWhole: Bool) -> [Range<Int>] {
    var ranges = exactRanges(in: bytes)
    if folds.isEmpty { return ranges }
    TextReading.forEach(of: bytes) { view in
      for (fold, pieces) in folds {
        pieces.find(in: fold(view), hasEdges: isWhole) { ranges.append($0) }
      }
    }
    return ranges
  }

  private func exactRanges(in bytes: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var index = 0
    while !exact.isEmpty, index < bytes.count {
      if let secret = exact.first(where: { bytes[index...].starts(with: $0) }) {
        ranges.append(index..<index + secret.count)
        index += secret.count
      } else {
        index += 1
      }
    }
    return ranges
  }

  private static func text(_ bytes: [UInt8], without ranges: [Range<Int>]) -> String {
    var result: [UInt8] = []
    var end = 0
    var isOpen = false
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > end {
      if range.lowerBound > end || !isOpen {
        result += bytes[end..<max(end, range.lowerBound)] + Array(mark.utf8)
      }
      end = range.upperBound
      isOpen = true
    }
    // A character that was cut off at the end became U+FFFD: it belongs to the secret before it.
    let rest = bytes[end...]
    if !rest.elementsEqual(Array("\u{FFFD}".utf8)) { result += rest }
    return String(decoding: result, as: UTF8.self)
  }
}
