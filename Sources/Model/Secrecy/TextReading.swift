import Hex

/// One decoding of a text: bytes, and the place in the text that each came from.
struct TextReading {
  private(set) var bytes: [UInt8] = []
  private(set) var sources: [Range<Int32>] = []

  init(capacity: Int) {
    bytes.reserveCapacity(capacity)
    sources.reserveCapacity(capacity)
  }

  mutating func append(_ byte: UInt8, from start: Int, to end: Int) {
    bytes.append(byte)
    sources.append(Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: end))
  }

  mutating func append(_ byte: UInt8, _ source: Range<Int32>) {
    bytes.append(byte)
    sources.append(source)
  }

  /// Calls `body` with every decoding of a text that could contain a secret.
  static func forEach(of text: [UInt8], _ body: (TextReading) -> Void) {
    var plain = TextReading(capacity: text.count)
    for (index, byte) in text.enumerated() { plain.append(byte, from: index, to: index + 1) }
    body(plain)
    if text.contains(where: { EscapeReader.introduces($0) }) { body(EscapeReader(text).view()) }
    body(decimal(text))
    for skipped in 0..<2 { body(hexadecimal(text, skipping: skipped)) }
    for skipped in 0..<4 { body(base64(text, skipping: skipped)) }
  }

  /// Bytes as decimal numbers, with anything but letters and digits between them: `67, 65, 78`.
  private static func decimal(_ text: [UInt8]) -> TextReading {
    var view = TextReading(capacity: text.count / 3)
    var index = 0
    while index < text.count {
      guard text[index].isAlphanumeric else {
        index += 1
        continue
      }
      let start = index
      var value = 0
      while index < text.count, text[index].isAlphanumeric {
        let digit = text[index] &- UInt8(ascii: "0")
        value = digit < 10 && value < 256 ? min(value * 10 + Int(digit), 256) : 256
        index += 1
      }
      if value < 256, index - start <= 3 { view.append(UInt8(value), from: start, to: index) }
    }
    return view
  }

  // MARK: Digits of several bits

  private static func hexadecimal(_ text: [UInt8], skipping skipped: Int) -> TextReading {
    var view = TextReading(capacity: text.count / 2)
    var digits = DigitReader(bits: 4, skipping: skipped)
    for (index, byte) in text.enumerated() {
      if let digit = UInt8(hexDigit: byte) {
        digits.take(digit, at: index, into: &view)
      } else if byte | 0x20 == UInt8(ascii: "x") {
        // The 0 of `0x68` and `\x68` is no digit.
        digits.dropZero()
      } else if byte.isAlphanumeric {
        digits.restart()
      }
    }
    return view
  }

  private static func base64(_ text: [UInt8], skipping skipped: Int) -> TextReading {
    var view = TextReading(capacity: text.count * 3 / 4)
    var digits = DigitReader(bits: 6, skipping: skipped)
    for (index, byte) in text.enumerated() {
      if let digit = byte.base64Digit {
        digits.take(digit, at: index, into: &view)
      } else if byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r"), byte != UInt8(ascii: "\\") {
        digits.restart()
      }
    }
    return view
  }

  /// Assembles bytes from digits of a few bits each.
  private struct DigitReader {
    let bits: Int
    let skipped: Int
    private var toSkip: Int
    private var value: UInt32 = 0
    private var count = 0
    private var start = 0
    private var last: UInt8?

    init(bits: Int, skipping skipped: Int) {
      (self.bits, self.skipped, toSkip) = (bits, skipped, skipped)
    }

    mutating func restart() {
      (toSkip, value, count, last) = (skipped, 0, 0, nil)
    }

    mutating func take(_ digit: UInt8, at index: Int, into view: inout TextReading) {
      last = digit
      if toSkip > 0 { return toSkip -= 1 }
      if count == 0 { start = index }
      value = value << UInt32(bits) | UInt32(digit)
      count += bits
      guard count >= 8 else { return }
      count -= 8
      view.append(UInt8(truncatingIfNeeded: value >> UInt32(count)), from: start, to: index + 1)
      value &= (1 << UInt32(count)) - 1
      start = index
    }

    mutating func dropZero() {
      guard last == 0 else { return }
      last = nil
      if count >= bits {
        value >>= UInt32(bits)
        count -= bits
      } else if toSkip < skipped {
        toSkip += 1
      }
    }
  }
}

/// Decodes escapes: `\u0068`, `\u{68}`, `\x68`, `\150`, `%68`, `=68`, `&#104;`, `&#x68;`, `&amp;`.
private struct EscapeReader {
  private let text: [UInt8]
  private var index = 0

  init(_ text: [UInt8]) { self.text = text }

  static func introduces(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: "&"): true
    default: false
    }
  }

  func view() -> TextReading {
    var reader = self
    var view = TextReading(capacity: text.count)
    while reader.index < text.count {
      let start = reader.index
      for byte in reader.next() { view.append(byte, from: start, to: reader.index) }
    }
    return view
  }

  private mutating func next() -> [UInt8] {
    let byte = text[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\\"): return escaped()
    case UInt8(ascii: "%"), UInt8(ascii: "="): return number(radix: 16, digits: 2...2) ?? [byte]
    case UInt8(ascii: "&"): return entity() ?? [byte]
    default: return [byte]
    }
  }

  private mutating func escaped() -> [UInt8] {
    // Text that was escaped twice has several backslashes.
    while index < text.count, text[index] == UInt8(ascii: "\\") { index += 1 }
    guard index < text.count else { return [] }
    switch text[index] {
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      index += 1
      return bracketed() ?? number(radix: 16, digits: 4...4) ?? []
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      index += 1
      return number(radix: 16, digits: 2...2) ?? []
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"):
      index += 1
      return []
    default:
      return number(radix: 8, digits: 3...3) ?? []
    }
  }

  private mutating func bracketed() -> [UInt8]? {
    guard index < text.count, text[index] == UInt8(ascii: "{") else { return nil }
    let start = index
    index += 1
    guard let bytes = number(radix: 16, digits: 1...6), index < text.count, text[index] == UInt8(ascii: "}")
    else {
      index = start
      return nil
    }
    index += 1
    return bytes
  }

  private mutating func entity() -> [UInt8]? {
    let start = index
    for (name, character) in Self.entities where text[index...].starts(with: name) {
      index += name.count
      return [character]
    }
    guard index < text.count, text[index] == UInt8(ascii: "#") else { return nil }
    index += 1
    let isHex = index < text.count && text[index] | 0x20 == UInt8(ascii: "x")
    if isHex { index += 1 }
    guard let bytes = number(radix: isHex ? 16 : 10, digits: 1...7) else {
      index = start
      return nil
    }
    if index < text.count, text[index] == UInt8(ascii: ";") { index += 1 }
    return bytes
  }

  private static let entities: [([UInt8], UInt8)] = [
    ("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("apos;", "'"),
  ].map { (Array($0.0.utf8), UInt8(ascii: $0.1)) }

  /// The character with the following number; nil, with nothing read, when no number follows.
  private mutating func number(radix: UInt32, digits: ClosedRange<Int>) -> [UInt8]? {
    var value: UInt32 = 0
    var count = 0
    while count < digits.upperBound, index + count < text.count,
      let digit = UInt8(hexDigit: text[index + count]), UInt32(digit) < radix
    {
      value = value * radix + UInt32(digit)
      count += 1
    }
    guard digits.contains(count) else { return nil }
    index += count
    return Unicode.Scalar(value).map { Array(String($0).utf8) } ?? []
  }
}

extension UInt8 {
  var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

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
