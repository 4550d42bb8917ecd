/// Takes secrets out of outside texts: those of devices and of the stack.
///
/// A device can repeat a password. The redactor finds the secret itself, in upper or lower case, with the escapes of JSON
/// and URLs, as hexadecimal or base64; and pieces of it in each of these forms, of 6 bytes or more (8 for secrets of 16 or
/// more). At the beginning and the end of a text, where it may have been cut off, 4 bytes suffice.
///
/// It does not find other encodings: it protects against careless firmware.
///
/// The time is linear in the length of the text; the memory is a small multiple of it.
package struct Redactor: Sendable {
  /// The replacement for a secret.
  package static let mark = "•••"
  /// The number of bytes of earlier text from the same source that matter: the beginning of a piece in its
  /// longest form, `\\u0068`.
  static let memory = 64

  private var pieces = SecretPieces()

  /// A redactor for these secrets. Empty and unresolved secrets are ignored.
  package init(_ secrets: some Sequence<Secret>) {
    for secret in Set(secrets.filter(\.isResolved)) {
      // A device repeats the bytes, not their digits. Few bytes occur everywhere by chance.
      if secret.isHex, let bytes = secret.bytes?.compactMap(TextReading.folded), bytes.count >= 6 {
        pieces.insert(bytes)
      }
      let folded = secret.reveal().utf8.compactMap(TextReading.folded)
      pieces.insert(folded)
      // A text without its escapes has no backslash.
      pieces.insert(folded.filter { $0 != UInt8(ascii: "\\") })
    }
  }

  package var isEmpty: Bool { pieces.isEmpty }

  /// The end of a text, as far as a secret that begins there can continue in the next one.
  package static func tail(of text: String) -> String {
    String(decoding: text.utf8.suffix(memory), as: UTF8.self)
  }

  /// `text` with every secret in it replaced by `•••`.
  /// - Parameter earlier: the end of the text before from the same source (`tail`): a secret may begin there.
  package func callAsFunction(_ text: String, after earlier: String = "") -> String {
    let bytes = Array(text.utf8)
    let isCutOff = bytes.suffix(Self.cutOff.count).elementsEqual(Self.cutOff)
    var ranges = self.ranges(in: isCutOff ? bytes.dropLast(Self.cutOff.count) : bytes, isWhole: true)
    let before = Array(earlier.utf8)
    ranges += self.ranges(in: before + bytes, isWhole: false).map { range in
      let range = range.lowerBound - before.count..<range.upperBound - before.count
      return range.clamped(to: 0..<bytes.count)
    }
    return ranges.allSatisfy(\.isEmpty) ? text : Self.text(bytes, without: ranges)
  }

  /// A character that was cut off at the end of a text.
  private static let cutOff = Array("\u{FFFD}".utf8)

  /// The places of secrets, in no order.
  /// - Parameter isWhole: whether `bytes` begins and ends with the text, which may have been cut off there.
  private func ranges(in bytes: [UInt8], isWhole: Bool) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    TextReading.forEach(of: bytes) { view in pieces.find(in: view, hasEdges: isWhole) { ranges.append($0) } }
    return ranges
  }

  private static func text(_ bytes: [UInt8], without ranges: [Range<Int>]) -> String {
    var result: [UInt8] = []
    var end = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > end {
      if range.lowerBound > end || result.isEmpty {
        result += bytes[end..<range.lowerBound] + Array(mark.utf8)
      }
      end = range.upperBound
    }
    // A character that was cut off belongs to the secret before it.
    let rest = bytes[end...]
    if !rest.elementsEqual(cutOff) { result += rest }
    return String(decoding: result, as: UTF8.self)
  }
}
