import CGcrypt
import Hex

/// A SHA-256 digest (FIPS 180-4).
package struct SHA256: Hashable, Sendable {
  /// In bytes.
  package static let length = 32

  /// A vector, because an array would be an allocation for each line of a record.
  private var digest = SIMD32<UInt8>()

  package var bytes: [UInt8] { digest.indices.map { digest[$0] } }

  package init(of message: [UInt8]) {
    self.init(of: message, in: message.indices)
  }

  /// The digest of the bytes at these positions, which are not copied.
  package init(of bytes: [UInt8], in range: Range<Int>) {
    precondition(bytes.indices.contains(range), "the range is outside the bytes")
    Library.initialise()
    cgcrypt_sha256_of_part(&digest, bytes, range.lowerBound, range.count)
  }

  /// Whether a text is `hex`.
  package func isHex(_ text: Span<UInt8>) -> Bool {
    func digit(_ value: UInt8) -> UInt8 {
      value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
    guard text.count == 2 * Self.length else { return false }
    return digest.indices.allSatisfy {
      text[2 * $0] == digit(digest[$0] >> 4) && text[2 * $0 + 1] == digit(digest[$0] & 15)
    }
  }

  /// 64 lower-case hex digits.
  package var hex: String { bytes.hex() }
}
