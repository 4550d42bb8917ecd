/// The pieces of secrets that no text may contain: whole secrets of up to 5 bytes; of longer ones every 6 bytes in a row, of
/// those of 16 and more every 8.
struct SecretPieces: Sendable {
  /// The least length of a piece at the beginning or the end of a text.
  private static let leastAtEdge = 4

  private var pieces: Set<UInt64> = []
  /// The lengths of the pieces, from 1 to 8.
  private var lengths: Set<Int> = []
  /// Beginnings of secrets, for the end of a text.
  private var beginnings: Set<UInt64> = []
  /// Ends of secrets, for the beginning of a text.
  private var ends: Set<UInt64> = []
  /// Parts that make up a whole text.
  private var wholes: Set<UInt64> = []

  var isEmpty: Bool { pieces.isEmpty }

  mutating func insert(_ secret: [UInt8]) {
    guard !secret.isEmpty else { return }
    let length = secret.count < 16 ? min(secret.count, 6) : 8
    lengths.insert(length)
    pieces.formUnion(Self.keys(of: secret, length))
    guard length >= 6 else { return }
    for count in Self.leastAtEdge..<length {
      beginnings.insert(Self.key(secret.prefix(count)))
      ends.insert(Self.key(secret.suffix(count)))
      wholes.formUnion(Self.keys(of: secret, count))
    }
  }

  /// Calls `found` with the place of every piece in a text.
  /// - Parameter hasEdges: whether the text begins and ends with the whole text.
  func find(in text: TextReading, hasEdges: Bool, _ found: (Range<Int>) -> Void) {
    let bytes = text.bytes
    func report(_ range: Range<Int>) {
      found(
        Int(text.sources[range.lowerBound].lowerBound)..<Int(text.sources[range.upperBound - 1].upperBound))
    }
    let masks = lengths.sorted().map { (count: $0, mask: UInt64.max >> UInt64(64 - 8 * $0)) }
    var last: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      last = last << 8 | UInt64(byte)
      for (count, mask) in masks where index + 1 >= count && pieces.contains(last & mask) {
        report(index + 1 - count..<index + 1)
      }
    }
    guard hasEdges else { return }
    if wholes.contains(Self.key(bytes[...])) { report(0..<bytes.count) }
    for count in Self.leastAtEdge..<8 where count <= bytes.count {
      if beginnings.contains(Self.key(bytes.suffix(count))) { report(bytes.count - count..<bytes.count) }
      if ends.contains(Self.key(bytes.prefix(count))) { report(0..<count) }
    }
  }

  private static func keys(of secret: [UInt8], _ count: Int) -> [UInt64] {
    (0...secret.count - count).map { key(secret[$0..<$0 + count]) }
  }

  /// Up to 8 bytes as a number; of more only the last 8. No byte is 0, so different sequences have different numbers.
  private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
