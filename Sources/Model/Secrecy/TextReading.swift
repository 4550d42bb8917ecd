import Hex

/// One decoding of a text, as `folded` reduces it, with the place in the text that each byte came from.
struct TextReading {
  private(set) var bytes: [UInt8] = []
  private(set) var sources: [Range<Int32>] = []

  private init(capacity: Int) {
    bytes.reserveCapacity(capacity)
    sources.reserveCapacity(capacity)
  }

  /// A byte as texts and secrets are compared: letters in lower case, without NUL.
  static func folded(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0: nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }

  private mutating func append(_ byte: UInt8, from start: Int, to end: Int) {
    guard let byte = Self.folded(byte) else { return }
    bytes.append(byte)
    sources.append(Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: end))
  }

  /// Calls `body` with every decoding of a text that could contain a secret.
  static func forEach(of text: [UInt8], _ body: (TextReading) -> Void) {
    var plain = TextReading(capacity: text.count)
    for (index, byte) in text.enumerated() { plain.append(byte, from: index, to: index + 1) }
    body(plain)
    body(unescaped(text))
    // Bytes can have any separators between them, `0x` and `\x`, too.
    for skipped in 0..<2 {
      body(digits(of: text, bits: 4, skipping: skipped, { UInt8(hexDigit: $0) }, isEnd: \.isAlphanumeric))
    }
    for skipped in 0..<4 {
      body(digits(of: text, bits: 6, skipping: skipped, \.base64Digit) { !"\r\n\\".utf8.contains($0) })
    }
  }

  /// Without the escapes of JSON and of URLs: `\"`, `\u0068`, `%68`. Text that was escaped twice has several backslashes.
  private static func unescaped(_ text: [UInt8]) -> TextReading {
    var view = TextReading(capacity: text.count)
    var index = 0
    func number(_ count: Int, at start: Int) -> UInt32? {
      guard start + count <= text.count else { return nil }
      var value: UInt32 = 0
      for byte in text[start..<start + count] {
        guard let digit = UInt8(hexDigit: byte) else { return nil }
        value = value << 4 | UInt32(digit)
      }
      return value
    }
    while index < text.count {
      let start = index
      var bytes = [text[index]]
      index += 1
      if bytes[0] == UInt8(ascii: "%"), let value = number(2, at: index) {
        bytes = [UInt8(value)]
        index += 2
      } else if bytes[0] == UInt8(ascii: "\\") {
        bytes = []
        if index < text.count, text[index] == UInt8(ascii: "u"), let value = number(4, at: index + 1) {
          bytes = Unicode.Scalar(value).map { Array(String($0).utf8) } ?? []
          index += 5
        }
      }
      for byte in bytes { view.append(byte, from: start, to: index) }
    }
    return view
  }

  /// The bytes that digits of a few bits each make up.
  /// - Parameters:
  ///   - skipped: How many digits to leave out at the beginning of each sequence, because bytes can begin at any digit.
  ///   - isEnd: Whether a byte that is no digit ends a sequence.
  private static func digits(
    of text: [UInt8], bits: UInt32, skipping skipped: Int, _ digit: (UInt8) -> UInt8?, isEnd: (UInt8) -> Bool
  ) -> TextReading {
    var view = TextReading(capacity: text.count)
    var (toSkip, value, count, start) = (skipped, UInt32(0), UInt32(0), 0)
    for (index, byte) in text.enumerated() {
      guard let digit = digit(byte) else {
        if isEnd(byte) { (toSkip, count) = (skipped, 0) }
        continue
      }
      guard toSkip == 0 else {
        toSkip -= 1
        continue
      }
      if count == 0 { start = index }
      value = value << bits | UInt32(digit)
      count += bits
      guard count >= 8 else { continue }
      count -= 8
      view.append(UInt8(truncatingIfNeeded: value >> count), from: start, to: index + 1)
      start = index
    }
    return view
  }
}

extension UInt8 {
  fileprivate var isAlphanumeric: Bool { base64Digit.map { $0 < 62 } ?? false }

  fileprivate var base64Digit: UInt8? {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
