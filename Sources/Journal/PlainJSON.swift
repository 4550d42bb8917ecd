/// A JSON text in the form that the journal's writer gives it: without white space and escapes, the keys of each object in
/// ascending order, and numbers that are exact. Any other text is refused, valid or not, and read by Foundation's decoder,
/// which takes more than twice as long. So what this accepts has one meaning only.
struct PlainJSON {
  struct Refused: Error {}

  enum Kind: UInt8 {
    case object, array, string, integer, fraction, yes, no, null
  }

  /// A value, or a key. The nodes of an object are its keys, each followed by its value.
  struct Node {
    var kind: Kind
    /// The text of a string without its quotes, and of a number.
    var text: Range<Int32>
    /// The position of the node after this value and all that it contains.
    var next: Int32
  }

  let bytes: [UInt8]
  /// The nodes of the text that was read last.
  private(set) var nodes: [Node] = []
  private var end = 0
  private var place = 0
  private var isASCII = true
  private static let deepest = 32

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the text at these positions: its parts in their order.
  mutating func read(_ range: Range<Int>, _ parts: (inout PlainJSON) throws(Refused) -> Void) throws(Refused)
  {
    (place, end, isASCII) = (range.lowerBound, range.upperBound, true)
    nodes.removeAll(keepingCapacity: true)
    try parts(&self)
    guard place == end else { throw Refused() }
    if !isASCII, String(validating: bytes[range], as: UTF8.self) == nil { throw Refused() }
  }

  /// Reads exactly this text.
  mutating func take(_ text: [UInt8]) throws(Refused) {
    for byte in text { try take(byte) }
  }

  /// Reads a value of this kind.
  /// - Returns: Its position in `nodes`.
  mutating func take(_ kind: Kind) throws(Refused) -> Int32 {
    let node = nodes.count
    try readValue(depth: 1)
    guard nodes[node].kind == kind else { throw Refused() }
    return Int32(node)
  }

  /// The byte at the present place; 0, which no JSON has, after the last one.
  private var byte: UInt8 { place < end ? bytes[place] : 0 }

  private mutating func take(_ expected: UInt8) throws(Refused) {
    guard byte == expected else { throw Refused() }
    place += 1
  }

  private mutating func readValue(depth: Int) throws(Refused) {
    switch byte {
    case UInt8(ascii: "{"): try readObject(depth)
    case UInt8(ascii: "["): try readArray(depth)
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "t"): try readWord("true", .yes)
    case UInt8(ascii: "f"): try readWord("false", .no)
    case UInt8(ascii: "n"): try readWord("null", .null)
    default: try readNumber()
    }
  }

  private mutating func add(_ kind: Kind, _ start: Int, _ end: Int) {
    nodes.append(Node(kind: kind, text: Int32(start)..<Int32(end), next: Int32(nodes.count + 1)))
  }

  private mutating func readObject(_ depth: Int) throws(Refused) {
    guard depth < Self.deepest else { throw Refused() }
    let node = nodes.count
    add(.object, place, place)
    place += 1
    var last: Int?
    while byte != UInt8(ascii: "}") {
      if last != nil { try take(UInt8(ascii: ",")) }
      let key = nodes.count
      try readString()
      if let last, !isAscending(nodes[last].text, nodes[key].text) { throw Refused() }
      last = key
      try take(UInt8(ascii: ":"))
      try readValue(depth: depth + 1)
    }
    place += 1
    nodes[node].next = Int32(nodes.count)
  }

  private mutating func readArray(_ depth: Int) throws(Refused) {
    guard depth < Self.deepest else { throw Refused() }
    let node = nodes.count
    add(.array, place, place)
    place += 1
    while byte != UInt8(ascii: "]") {
      if nodes.count > node + 1 { try take(UInt8(ascii: ",")) }
      try readValue(depth: depth + 1)
    }
    place += 1
    nodes[node].next = Int32(nodes.count)
  }

  private mutating func readString() throws(Refused) {
    try take(UInt8(ascii: "\""))
    let start = place
    let (next, isASCII) = bytes.span.firstControl(from: start, or: UInt8(ascii: "\""), UInt8(ascii: "\\"))
    place = min(next, end)
    self.isASCII = self.isASCII && isASCII
    add(.string, start, place)
    try take(UInt8(ascii: "\""))
  }

  private mutating func readWord(_ word: String, _ kind: Kind) throws(Refused) {
    for byte in word.utf8 { try take(byte) }
    add(kind, place, place)
  }

  /// Reads a number of at most 15 digits, which a `Double` holds exactly, without exponent. The sign of `-0` would be lost in
  /// an integer.
  private mutating func readNumber() throws(Refused) {
    let start = place
    if byte == UInt8(ascii: "-") { place += 1 }
    let isZero = byte == UInt8(ascii: "0")
    let whole = try readDigits()
    guard !isZero || whole == 1 && place - start == 1 else { throw Refused() }
    var kind = Kind.integer
    var digits = whole
    if byte == UInt8(ascii: ".") {
      place += 1
      digits += try readDigits()
      kind = .fraction
    }
    guard digits <= 15 else { throw Refused() }
    add(kind, start, place)
  }

  /// - Returns: the number of digits, at least one.
  private mutating func readDigits() throws(Refused) -> Int {
    let start = place
    while UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { place += 1 }
    guard place > start else { throw Refused() }
    return place - start
  }

  private func isAscending(_ a: Range<Int32>, _ b: Range<Int32>) -> Bool {
    let count = min(a.count, b.count)
    for index in 0..<count {
      let (first, second) = (bytes[Int(a.lowerBound) + index], bytes[Int(b.lowerBound) + index])
      if first != second { return first < second }
    }
    return a.count < b.count
  }
}

// MARK: Values

extension PlainJSON {
  func string(_ text: Range<Int32>) -> String {
    String(decoding: bytes[Int(text.lowerBound)..<Int(text.upperBound)], as: UTF8.self)
  }

  /// The value of a number, and the power of ten that it has to be divided by.
  func number(_ text: Range<Int32>) -> (value: Int, divisor: Double) {
    var (value, divisor, isNegative, isFraction) = (0, 1.0, false, false)
    for index in Int(text.lowerBound)..<Int(text.upperBound) {
      switch bytes[index] {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case let digit:
        value = 10 * value + Int(digit - UInt8(ascii: "0"))
        if isFraction { divisor *= 10 }
      }
    }
    return (isNegative ? -value : value, divisor)
  }

  /// The position of the value with this key in the object at a position; nil if it has none.
  func value(of key: Span<UInt8>, in object: Int) -> Int32? {
    let nodes = nodes.span
    var place = object + 1
    while place < nodes[object].next {
      if isText(nodes[place].text, key) { return Int32(place + 1) }
      place = Int(nodes[place + 1].next)
    }
    return nil
  }

  /// Whether a string is this text.
  func isText(_ text: Range<Int32>, _ other: Span<UInt8>) -> Bool {
    let bytes = bytes.span
    let start = Int(text.lowerBound)
    guard text.count == other.count else { return false }
    for index in other.indices where bytes[start + index] != other[index] { return false }
    return true
  }
}

extension Span<UInt8> {
  /// The position from `start` on of the first control character, or of one of two other ASCII characters; the end without
  /// one. It compares eight bytes at a time.
  /// - Returns: also whether all bytes before it are ASCII; false if a few bytes after it are not.
  func firstControl(from start: Int, or a: UInt8, _ b: UInt8) -> (index: Int, isASCII: Bool) {
    func repeated(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }
    let (ones, tops) = (repeated(1), repeated(0x80))
    let (controls, first, second) = (repeated(0x20), repeated(a), repeated(b))
    var (index, bits) = (start, UInt64(0))
    while index + 8 <= count {
      let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      bits |= word
      // The lowest top bit is that of the first such byte. Those above it may be set by a borrow.
      let found = ((word &- controls) | ((word ^ first) &- ones) | ((word ^ second) &- ones)) & ~word & tops
      if found != 0 { return (index + found.trailingZeroBitCount / 8, bits & tops == 0) }
      index += 8
    }
    while index < count, self[index] >= 0x20, self[index] != a, self[index] != b {
      bits |= UInt64(self[index])
      index += 1
    }
    return (index, bits & tops == 0)
  }
}
