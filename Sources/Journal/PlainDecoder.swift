import Model

/// Decodes a value of a `PlainJSON`. It throws `PlainJSON.Refused` for all that it cannot decode with certainty as Foundation's
/// decoder would.
struct PlainDecoder: Decoder {
  /// The text, and whether a value was refused. A type may catch the error and go on, so the error alone is not enough.
  final class Document {
    let json: PlainJSON
    private(set) var isRefused = false

    init(_ json: PlainJSON) { self.json = json }

    func refuse() -> PlainJSON.Refused {
      isRefused = true
      return PlainJSON.Refused()
    }
  }

  fileprivate let document: Document
  /// The position of the value. With more than this, `any Decoder` would be an allocation for each value.
  fileprivate let place: Int

  fileprivate var node: PlainJSON.Node { document.json.nodes[place] }
  /// The position of the first node in this one.
  fileprivate var content: Int32 { Int32(place + 1) }

  /// Decodes the value at a position of a text.
  static func decode<Value>(
    _ json: PlainJSON, at place: Int32 = 0, _ value: (PlainDecoder) throws -> Value
  ) throws -> Value {
    let document = Document(json)
    let value = try value(PlainDecoder(document, place))
    guard !document.isRefused else { throw PlainJSON.Refused() }
    return value
  }

  fileprivate init(_ document: Document, _ place: Int32) {
    (self.document, self.place) = (document, Int(place))
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard node.kind == .object else { throw document.refuse() }
    return KeyedDecodingContainer(PlainObject<Key>(value: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard node.kind == .array else { throw document.refuse() }
    return PlainArray(value: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension PlainDecoder: PayloadSource {
  func payload<Payload: FactPayload>(_ type: Payload.Type) throws -> Payload { try Payload(from: self) }
}

extension PlainDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { node.kind == .null }

  func decode(_: Bool.Type) throws -> Bool {
    switch node.kind {
    case .yes: true
    case .no: false
    default: throw document.refuse()
    }
  }

  func decode(_: String.Type) throws -> String {
    guard node.kind == .string else { throw document.refuse() }
    return document.json.string(node.text)
  }

  /// Both parts of the number are exact, so their quotient is the nearest `Double`.
  func decode(_: Double.Type) throws -> Double {
    guard node.kind == .integer || node.kind == .fraction else { throw document.refuse() }
    let (value, divisor) = document.json.number(node.text)
    return Double(value) / divisor
  }

  func decode(_: Float.Type) throws -> Float { throw document.refuse() }

  func decode<Value: Decodable & FixedWidthInteger>(_: Value.Type) throws -> Value {
    guard node.kind == .integer, let value = Value(exactly: document.json.number(node.text).value) else {
      throw document.refuse()
    }
    return value
  }

  func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: self) }
}

private struct PlainObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let value: PlainDecoder

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    var (keys, place): ([Key], Int32) = ([], value.content)
    while place < value.node.next {
      let key = value.document.json.nodes[Int(place)]
      if let key = Key(stringValue: value.document.json.string(key.text)) { keys.append(key) }
      place = value.document.json.nodes[Int(place + 1)].next
    }
    return keys
  }

  private func find(_ key: Key) -> PlainDecoder? {
    var text = key.stringValue
    let place = text.withUTF8 { value.document.json.value(of: $0.span, in: value.place) }
    return place.map { PlainDecoder(value.document, $0) }
  }

  private func required(_ key: Key) throws -> PlainDecoder {
    guard let value = find(key) else { throw value.document.refuse() }
    return value
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try required(key).decodeNil() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try required(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try required(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try required(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try required(key).decode(type) }
  func decode<Value: Decodable & FixedWidthInteger>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try required(key).decode(type)
  }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try required(key).decode(type)
  }

  // No type of the record needs these.
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw value.document.refuse() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw value.document.refuse()
  }
  func superDecoder() throws -> any Decoder { throw value.document.refuse() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw value.document.refuse() }
}

private struct PlainArray: UnkeyedDecodingContainer {
  let value: PlainDecoder
  private(set) var currentIndex = 0
  private var place: Int32

  init(value: PlainDecoder) { (self.value, place) = (value, value.content) }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { nil }
  var isAtEnd: Bool { place >= value.node.next }

  private mutating func next() throws -> PlainDecoder {
    guard !isAtEnd else { throw value.document.refuse() }
    let element = PlainDecoder(value.document, place)
    (place, currentIndex) = (element.node.next, currentIndex + 1)
    return element
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next().decode(type) }
  mutating func decode(_ type: String.Type) throws -> String { try next().decode(type) }
  mutating func decode(_ type: Double.Type) throws -> Double { try next().decode(type) }
  mutating func decode(_ type: Float.Type) throws -> Float { try next().decode(type) }
  mutating func decode<Value: Decodable & FixedWidthInteger>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

  // No type of the record needs these.
  mutating func decodeNil() throws -> Bool { throw value.document.refuse() }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { throw value.document.refuse() }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw value.document.refuse()
  }
  mutating func superDecoder() throws -> any Decoder { throw value.document.refuse() }
}
