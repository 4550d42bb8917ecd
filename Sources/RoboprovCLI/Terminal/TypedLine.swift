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

/// Lines from stdin with labels. At a terminal each is shown as `TypedLine` does it, and otherwise not at all.
struct LabelLines {
  private let keys: KeyReader?
  private var bytes: AsyncStream<UInt8>.Iterator
  private var lines: AsyncStream<String>.Iterator?

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: UInt8.self)
    bytes = stream.makeAsyncIterator()
    keys = KeyReader.isPossible ? KeyReader { continuation.yield($0) } : nil
    lines = keys == nil ? Keyboard.lines().makeAsyncIterator() : nil
    keys?.begin()
  }

  /// The next line that is not empty; nil at the end of the input (at a terminal Ctrl-D), or when cancelled.
  mutating func next(after question: String) async -> String? {
    if lines != nil { return await lines?.next() }
    var typed = TypedLine()
    while let byte = await bytes.next() {
      if byte == Self.endOfInput, typed.bytes.isEmpty { return nil }
      if let line = typed.take(byte) {
        if line.isEmpty { continue }
        Console.say("")
        return line
      }
      Console.askAgain(question + typed.shown)
    }
    return nil
  }

  /// Restores the terminal.
  func end() { keys?.end() }

  /// Ctrl-D.
  private static let endOfInput: UInt8 = 4
}
