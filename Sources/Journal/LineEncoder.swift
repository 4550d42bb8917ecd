/// Writes values as JSON for the journal: keys in order, slashes as they are, everything on one line. The same bytes as
/// Foundation's encoder with `.sortedKeys` and `.withoutEscapingSlashes`, in a fifth of the time: a journal has dozens of
/// events for each device.
///
/// Dates, data and URLs have no form of their own here; events do not contain them.
enum LineEncoder {
  /// The bytes of a value.
  /// - Throws: what the value throws; `EncodingError` for a number that is none, and for a value that encodes nothing.
  static func bytes(of value: some Encodable) throws -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(512)
    try ValueEncoder(value).append(to: &line)
    return line
  }
}

/// What one value has encoded so far.
private final class ValueEncoder: Encoder {
  private enum Content {
    case nothing
    case scalar([UInt8])
    case object(Members)
    case array(Elements)
  }

  private var content = Content.nothing

  init() {}

  /// With what a value encodes.
  init(_ value: some Encodable) throws {
    try value.encode(to: self)
  }

  // Only errors would need it, and ours say what they mean without.
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object(let members) = content {
      return KeyedEncodingContainer(MembersContainer(members: members))
    }
    let members = Members()
    content = .object(members)
    return KeyedEncodingContainer(MembersContainer(members: members))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array(let elements) = content { return ElementsContainer(elements: elements) }
    let elements = Elements()
    content = .array(elements)
    return ElementsContainer(elements: elements)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ScalarContainer(encoder: self)
  }

  func set(_ bytes: [UInt8]) { content = .scalar(bytes) }

  /// Writes what the value has encoded.
  func append(to line: inout [UInt8]) throws {
    switch content {
    case .nothing:
      throw EncodingError.invalidValue(
        self, EncodingError.Context(codingPath: [], debugDescription: "a value has encoded nothing"))
    case .scalar(let bytes): line += bytes
    case .object(let members): try members.append(to: &line)
    case .array(let elements): try elements.append(to: &line)
    }
  }
}

/// A value that is written now, or one that may still be added to.
private enum Part {
  case bytes([UInt8])
  case value(ValueEncoder)

  func append(to line: inout [UInt8]) throws {
    switch self {
    case .bytes(let bytes): line += bytes
    case .value(let encoder): try encoder.append(to: &line)
    }
  }
}

/// The members of an object.
private final class Members {
  private var members: [(key: String, part: Part)] = []

  /// Adds a member; one that is there already has the new value.
  func set(_ key: String, _ part: Part) {
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index].part = part
    } else {
      members.append((key, part))
    }
  }

  func append(to line: inout [UInt8]) throws {
    line.append(UInt8(ascii: "{"))
    for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      JSONText.append(member.key, to: &line)
      line.append(UInt8(ascii: ":"))
      try member.part.append(to: &line)
    }
    line.append(UInt8(ascii: "}"))
  }
}

/// The elements of an array.
private final class Elements {
  var parts: [Part] = []

  func append(to line: inout [UInt8]) throws {
    line.append(UInt8(ascii: "["))
    for (index, part) in parts.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      try part.append(to: &line)
    }
    line.append(UInt8(ascii: "]"))
  }
}

// MARK: The containers

private struct MembersContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let members: Members
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) { set(key, JSONText.null) }
  mutating func encode(_ value: Bool, forKey key: Key) { set(key, JSONText.bytes(value)) }
  mutating func encode(_ value: String, forKey key: Key) { set(key, JSONText.bytes(value)) }
  mutating func encode(_ value: Int, forKey key: Key) { set(key, JSONText.bytes(value)) }
  mutating func encode(_ value: Double, forKey key: Key) throws { set(key, try JSONText.bytes(value)) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    members.set(key.stringValue, .value(try ValueEncoder(value)))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nested(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    let encoder = ValueEncoder()
    members.set("super", .value(encoder))
    return encoder
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func set(_ key: Key, _ bytes: [UInt8]) { members.set(key.stringValue, .bytes(bytes)) }

  private func nested(_ key: Key) -> ValueEncoder {
    let encoder = ValueEncoder()
    members.set(key.stringValue, .value(encoder))
    return encoder
  }
}

private struct ElementsContainer: UnkeyedEncodingContainer {
  let elements: Elements
  var codingPath: [any CodingKey] { [] }
  var count: Int { elements.parts.count }

  mutating func encodeNil() { elements.parts.append(.bytes(JSONText.null)) }
  mutating func encode(_ value: Bool) { elements.parts.append(.bytes(JSONText.bytes(value))) }
  mutating func encode(_ value: String) { elements.parts.append(.bytes(JSONText.bytes(value))) }
  mutating func encode(_ value: Int) { elements.parts.append(.bytes(JSONText.bytes(value))) }
  mutating func encode(_ value: Double) throws { elements.parts.append(.bytes(try JSONText.bytes(value))) }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    elements.parts.append(.value(try ValueEncoder(value)))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { nested() }

  private func nested() -> ValueEncoder {
    let encoder = ValueEncoder()
    elements.parts.append(.value(encoder))
    return encoder
  }
}

private struct ScalarContainer: SingleValueEncodingContainer {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { encoder.set(JSONText.null) }
  mutating func encode(_ value: Bool) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: String) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: Int) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: Int8) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: Int16) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: Int32) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: Int64) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: UInt) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: UInt8) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: UInt16) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: UInt32) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: UInt64) { encoder.set(JSONText.bytes(value)) }
  mutating func encode(_ value: Double) throws { encoder.set(try JSONText.bytes(value)) }
  mutating func encode(_ value: Float) throws { encoder.set(try JSONText.bytes(Double(value))) }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try value.encode(to: encoder)
  }
}

// MARK: Scalars

/// Scalars as JSON.
private enum JSONText {
  static let null = Array("null".utf8)

  static func bytes(_ value: Bool) -> [UInt8] { Array((value ? "true" : "false").utf8) }

  static func bytes(_ value: some BinaryInteger) -> [UInt8] { Array(value.description.utf8) }

  static func bytes(_ value: Double) throws -> [UInt8] {
    guard value.isFinite else {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: [], debugDescription: "\(value) is no JSON number"))
    }
    let text = value.description
    return Array((text.hasSuffix(".0") ? String(text.dropLast(2)) : text).utf8)
  }

  static func bytes(_ value: String) -> [UInt8] {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return bytes
  }

  /// Quotes a text. Line ends and all other controls are escaped.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + text.utf8.count + 2)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x00..<0x20: appendEscaped(byte, to: &bytes)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func appendEscaped(_ control: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch control {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes += Array("u00".utf8)
      bytes.append(control < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = control & 0xF
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
