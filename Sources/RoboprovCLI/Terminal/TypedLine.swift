import Application

/// A line that is typed or scanned at a terminal without echo, because a label can have a secret.
struct TypedLine {
  private(set) var bytes: [UInt8] = []

  /// Takes a byte.
  /// - Returns: the line, if the byte ends it.
  mutating func take(_ byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      defer { bytes = [] }
      return String(decoding: bytes, as: UTF8.self)
    case 0x7F, 0x08: _ = bytes.popLast()
    // One byte more than a label has shows that it is too long.
    case 0x20...: if bytes.count <= LabelText.maximumBytes { bytes.append(byte) }
    default: break
    }
    return nil
  }

  /// What the screen shows of it: a command, an address, or how long it is.
  var shown: String {
    let isAddress =
      bytes.count <= Self.longestAddress
      && bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit || Self.separators.contains($0) }
    let isCommand = bytes.count <= Self.longestCommand && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    return isAddress || isCommand ? String(decoding: bytes, as: UTF8.self) : "(\(bytes.count) characters)"
  }

  /// `help`.
  private static let longestCommand = 4

  private static let longestAddress = 17
  private static let separators = Set(":-._ ".utf8)
}
