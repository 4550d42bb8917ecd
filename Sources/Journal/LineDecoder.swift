/// Reads a line that `LineEncoder` wrote, in a third of the time that Foundation's decoder takes: every command begins with
/// all of a building's journals.
///
/// It takes plain JSON only, and throws at everything that is unusual, however valid: whoever calls it then asks
/// Foundation. What it takes means the same there.
enum LineDecoder {
  /// It is not plain JSON, or not such a value.
  struct Refusal: Error {}

  /// Reads a value from a whole line.
  /// - Throws: `Refusal`, or what the value's own initializer throws.
  static func decode<Value: Decodable>(_ type: Value.Type, from line: [UInt8]) throws -> Value {
    var parser = LineParser(line)
    return try Value(from: NodeDecoder(node: try parser.parse()))
  }
}

/// A value of JSON.
private indirect enum Node {
  case null
  case bool(Bool)
  /// By its digits.
  case number(String)
  case string(String)
  case array([Node])
  case object([(key: String, value: Node)])

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try Value(from: NodeDecoder(node: self))
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  func bool() throws -> Bool {
    guard case .bool(let value) = self else { throw LineDecoder.Refusal() }
    return value
  }

  func string() throws -> String {
    guard case .string(let value) = self else { throw LineDecoder.Refusal() }
    return value
  }

  func integer<Value: FixedWidthInteger>() throws -> Value {
    guard case .number(let digits) = self, let value = Value(digits) else { throw LineDecoder.Refusal() }
    return value
  }

  func double() throws -> Double {
    guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
      throw LineDecoder.Refusal()
    }
    return value
  }
}

// MARK: The parser

/// Makes nodes of a line.
private struct LineParser {
  /// Lines of ours are nested less than half as deep.
  private static let deepest = 32

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func parse() throws -> Node {
    let node = try value(depth: 0)
    guard position == bytes.count else { throw LineDecoder.Refusal() }
    return node
  }

  private mutating func value(depth: Int) throws -> Node {
    guard position < bytes.count, depth < Self.deepest else { throw LineDecoder.Refusal() }
    switch bytes[position] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object(depth: Int) throws -> Node {
    position += 1
    var members: [(key: String, value: Node)] = []
    if skip("}") { return .object(members) }
    repeat {
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { throw LineDecoder.Refusal() }
      let key = try string()
      // In order, as they are written, and so none of them twice.
      guard skip(":"), members.last.map({ $0.key < key }) ?? true else { throw LineDecoder.Refusal() }
      members.append((key, try value(depth: depth + 1)))
    } while skip(",")
    guard skip("}") else { throw LineDecoder.Refusal() }
    return .object(members)
  }

  private mutating func array(depth: Int) throws -> Node {
    position += 1
    var elements: [Node] = []
    if skip("]") { return .array(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while skip(",")
    guard skip("]") else { throw LineDecoder.Refusal() }
    return .array(elements)
  }

  private mutating func string() throws -> String {
    position += 1
    var text: [UInt8] = []
    var start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        text += bytes[start..<position]
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else { throw LineDecoder.Refusal() }
        return string
      case UInt8(ascii: "\\"):
        text += bytes[start..<position]
        text.append(try escaped())
        start = position
      case 0x00..<0x20: throw LineDecoder.Refusal()
      default: position += 1
      }
    }
    throw LineDecoder.Refusal()
  }

  /// A character behind a backslash; those beyond ASCII are written as they are.
  private mutating func escaped() throws -> UInt8 {
    guard position + 1 < bytes.count else { throw LineDecoder.Refusal() }
    let code = bytes[position + 1]
    position += 2
    switch code {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return code
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "u"):
      guard position + 4 <= bytes.count else { throw LineDecoder.Refusal() }
      let digits = bytes[position..<position + 4]
      guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value < 0x20
      else { throw LineDecoder.Refusal() }
      position += 4
      return value
    default: throw LineDecoder.Refusal()
    }
  }

  /// The digits of a number; what is no number is found when it is read as one.
  private mutating func number() throws -> String {
    let start = position
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    let first = position
    loop: while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): position += 1
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"):
        // JSON wants a digit before and behind each of them, but for a sign behind an "e".
        let isSign = bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
        guard position > first, isDigit(bytes[position - 1]) != isSign else { throw LineDecoder.Refusal() }
        position += 1
      default: break loop
      }
    }
    guard position > first, isDigit(bytes[position - 1]) else { throw LineDecoder.Refusal() }
    // A zero in front of other digits is none of ours.
    if bytes[first] == UInt8(ascii: "0"), first + 1 < position, isDigit(bytes[first + 1]) {
      throw LineDecoder.Refusal()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func word(_ text: StaticString, _ node: Node) throws -> Node {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count, String(decoding: bytes[position..<end], as: UTF8.self) == "\(text)" else {
      throw LineDecoder.Refusal()
    }
    position = end
    return node
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }
}

// MARK: The containers

private struct NodeDecoder: Decoder {
  let node: Node
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = node else { throw LineDecoder.Refusal() }
    return KeyedDecodingContainer(MembersContainer(members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = node else { throw LineDecoder.Refusal() }
    return ElementsContainer(elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ScalarContainer(node: node) }
}

private struct MembersContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [(key: String, value: Node)]
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { member(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try node(key).isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try node(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try node(key).string() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try node(key).integer() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try node(key).double() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try node(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try NodeDecoder(node: node(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try NodeDecoder(node: node(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { throw LineDecoder.Refusal() }
  func superDecoder(forKey key: Key) throws -> any Decoder { NodeDecoder(node: try node(key)) }

  private func member(_ key: Key) -> Node? {
    let name = key.stringValue
    return members.first { $0.key == name }?.value
  }

  private func node(_ key: Key) throws -> Node {
    guard let node = member(key) else { throw LineDecoder.Refusal() }
    return node
  }
}

private struct ElementsContainer: UnkeyedDecodingContainer {
  let elements: [Node]
  var currentIndex = 0

  init(elements: [Node]) { self.elements = elements }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try NodeDecoder(node: next()).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try NodeDecoder(node: next()).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { NodeDecoder(node: try next()) }

  private mutating func next() throws -> Node {
    guard !isAtEnd else { throw LineDecoder.Refusal() }
    defer { currentIndex += 1 }
    return elements[currentIndex]
  }
}

private struct ScalarContainer: SingleValueDecodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { node.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try node.bool() }
  func decode(_ type: String.Type) throws -> String { try node.string() }
  func decode(_ type: Double.Type) throws -> Double { try node.double() }
  // A Float that is read from more digits than it has may be rounded otherwise elsewhere.
  func decode(_ type: Float.Type) throws -> Float { throw LineDecoder.Refusal() }
  func decode(_ type: Int.Type) throws -> Int { try node.integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try node.integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try node.integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try node.integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try node.integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try node.integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try node.integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try node.integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try node.integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try node.integer() }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try node.decode(type) }
}
