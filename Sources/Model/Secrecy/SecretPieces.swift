/// A text reduced for comparison: letters and digits in lower case, and optionally punctuation. Characters
/// that may separate the characters of a secret are left out.
struct TextFold: Sendable {
  var keepsPunctuation: Bool
  /// Whether non-ASCII bytes stay. They are left out if no secret has any: a device may use them as
  /// separators.
  var keepsNonASCII: Bool

  func callAsFunction(_ bytes: [UInt8]) -> [UInt8] { bytes.compactMap(folded) }

  func callAsFunction(_ view: TextReading) -> TextReading {
    var result = TextReading(capacity: view.bytes.count)
    for (byte, source) in zip(view.bytes, view.sources) {
      if let byte = folded(byte) { result.append(byte, source) }
    }
    return result
  }

  private func folded(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    case _ where byte.isAlphanumeric: byte
    // Characters of escapes, and a replacement for a space.
    case UInt8(ascii: "\\"), UInt8(ascii: "+"): nil
    case 0x21...0x7E: keepsPunctuation ? byte : nil
    case 0x80...: keepsNonASCII ? byte : nil
    default: nil
    }
  }
}

/// The pieces of folded secrets, forwards and backwards, that no text may contain.
struct SecretPieces: Sendable {
  /// Shorter secrets are not searched for in pieces.
  static let leastSecret = 6
  /// The least length of a piece at the beginning or the end of a text.
  private static let leastAtEdge = 4

  private var six: Set<UInt64> = []
  private var eight: Set<UInt64> = []
  /// Beginnings of secrets, for the end of a text.
  private var beginnings: Set<UInt64> = []
  /// Ends of secrets, for the beginning of a text.
  private var ends: Set<UInt64> = []
  /// Pieces that make up a whole text.
  private var wholes: Set<UInt64> = []

  var isEmpty: Bool { six.isEmpty && eight.isEmpty }

  mutating func insert(_ secret: [UInt8]) {
    guard secret.count >= Self.leastSecret else { return }
    let piece = secret.count < 16 ? 6 : 8
    for secret in [secret, secret.reversed()] {
      for start in 0...secret.count - piece {
        let key = Self.key(secret[start..<start + piece])
        if piece == 6 { six.insert(key) } else { eight.insert(key) }
      }
      for count in Self.leastAtEdge..<piece {
        beginnings.insert(Self.key(secret.prefix(count)))
        ends.insert(Self.key(secret.suffix(count)))
        for start in 0...secret.count - count { wholes.insert(Self.key(secret[start..<start + count])) }
      }
    }
  }

  /// Calls `found` with the place of every piece in a folded text.
  /// - Parameter hasEdges: whether the text begins and ends with the whole text.
  func find(in text: TextReading, hasEdges: Bool, _ found: (Range<Int>) -> Void) {
    let bytes = text.bytes
    func report(_ range: Range<Int>) {
      found(
        Int(text.sources[range.lowerBound].lowerBound)..<Int(text.sources[range.upperBound - 1].upperBound))
    }
    var last: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      last = last << 8 | UInt64(byte)
      if index >= 5, six.contains(last & 0xFFFF_FFFF_FFFF) { report(index - 5..<index + 1) }
      if index >= 7, !eight.isEmpty, eight.contains(last) { report(index - 7..<index + 1) }
    }
    guard hasEdges else { return }
    for count in Self.leastAtEdge..<8 where count <= bytes.count {
      if beginnings.contains(Self.key(bytes.suffix(count))) { report(bytes.count - count..<bytes.count) }
      if ends.contains(Self.key(bytes.prefix(count))) { report(0..<count) }
      if count == bytes.count, wholes.contains(Self.key(bytes[...])) { report(0..<count) }
    }
  }

  /// Up to 8 bytes as a number. No byte is 0, so different sequences have different numbers.
  private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
