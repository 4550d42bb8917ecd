/// Encodes a value as the JSON text that `PlainJSON` reads. For other values, such as a string that needs escapes, it throws
/// `PlainJSON.Refused`; Foundation's encoder, which takes several times as long, gives the same bytes for what this accepts.
final class PlainEncoder: Encoder {
  /// The text so far, and whether a value was refused. A type may catch the error and go on, so the error alone is not enough.
  private final class Output {
    var bytes: [UInt8] = []
    var isRefused = false
  }

  private enum Kind {
    case object, array
  }

  private let output: Output
  /// Where the text of this value begins.
  private let start: Int
  private var kind: Kind?
  /// The keys of an object, in the order of their encoding, and the positions of their texts. A member begins with a comma, as
  /// an element does; a bracket takes the place of the first one.
  private var members: [(key: String, text: Range<Int>)] = []
  fileprivate private(set) var count = 0

  private init(_ output: Output) { (self.output, start) = (output, output.bytes.count) }

  /// - Throws: `PlainJSON.Refused`, and what the value throws.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let output = Output()
    output.bytes.reserveCapacity(512)
    try PlainEncoder(output).write(value)
    guard !output.isRefused else { throw PlainJSON.Refused() }
    return output.bytes
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    kind = .object
    return KeyedEncodingContainer(PlainObject<Key>(value: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    kind = .array
    return PlainArray(value: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Writes a member of an object. Only keys of which the order is beyond doubt are accepted.
  fileprivate func add(_ key: String, _ write: () throws -> Void) throws {
    guard key.utf8.allSatisfy({ $0 < 0x80 }) else { throw refuse() }
    let begin = output.bytes.count
    output.bytes.append(UInt8(ascii: ","))
    try self.write(key)
    output.bytes.append(UInt8(ascii: ":"))
    try write()
    members.append((key, begin..<output.bytes.count))
  }

  /// Writes an element of an array.
  fileprivate func add(_ write: () throws -> Void) throws {
    output.bytes.append(UInt8(ascii: ","))
    try write()
    count += 1
  }

  fileprivate func refuse() -> PlainJSON.Refused {
    output.isRefused = true
    return PlainJSON.Refused()
  }

  /// An encoder for a kind of container that no type of the record needs.
  fileprivate func refusing() -> PlainEncoder {
    _ = refuse()
    return PlainEncoder(Output())
  }

  /// Puts the members in the order of their keys, and brackets around the members or elements.
  private func close() throws {
    guard let kind else { return }
    if kind == .object {
      let sorted = members.sorted { $0.key < $1.key }
      guard !zip(sorted, sorted.dropFirst()).contains(where: { $0.key == $1.key }) else { throw refuse() }
      let written = Array(output.bytes[start...])
      output.bytes.removeSubrange(start...)
      for (_, text) in sorted {
        output.bytes += written[(text.lowerBound - start)..<(text.upperBound - start)]
      }
    }
    if output.bytes.count == start { output.bytes.append(UInt8(ascii: ",")) }
    output.bytes[start] = kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "[")
    output.bytes.append(kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"))
  }
}

extension PlainEncoder {
  fileprivate func writeNull() { output.bytes += "null".utf8 }

  fileprivate func write(_ value: Bool) { output.bytes += (value ? "true" : "false").utf8 }

  fileprivate func write(_ value: String) throws {
    let needsEscape = value.utf8.contains {
      $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
    }
    guard !needsEscape else { throw refuse() }
    output.bytes.append(UInt8(ascii: "\""))
    output.bytes += value.utf8
    output.bytes.append(UInt8(ascii: "\""))
  }

  /// A whole number is written without a fraction, as Foundation writes it.
  fileprivate func write(_ value: Double) throws {
    var text = value.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    guard value.isFinite, text != "-0", !text.contains("e") else { throw refuse() }
    output.bytes += text.utf8
  }

  fileprivate func writeInteger(_ value: some FixedWidthInteger) { output.bytes += value.description.utf8 }

  fileprivate func write(_ value: some Encodable) throws {
    let encoder = PlainEncoder(output)
    try value.encode(to: encoder)
    guard output.bytes.count > encoder.start || encoder.kind != nil else { throw refuse() }
    try encoder.close()
  }
}

extension PlainEncoder: SingleValueEncodingContainer {
  func encodeNil() { writeNull() }
  func encode(_ value: Bool) { write(value) }
  func encode(_ value: String) throws { try write(value) }
  func encode(_ value: Double) throws { try write(value) }
  func encode(_: Float) throws { throw refuse() }
  func encode(_ value: some Encodable & FixedWidthInteger) { writeInteger(value) }
  func encode(_ value: some Encodable) throws { try write(value) }
}

private struct PlainObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let value: PlainEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try value.add(key.stringValue) { value.writeNull() } }
  func encode(_ bool: Bool, forKey key: Key) throws { try value.add(key.stringValue) { value.write(bool) } }
  func encode(_ text: String, forKey key: Key) throws {
    try value.add(key.stringValue) { try value.write(text) }
  }
  func encode(_ number: Double, forKey key: Key) throws {
    try value.add(key.stringValue) { try value.write(number) }
  }
  func encode(_: Float, forKey key: Key) throws { throw value.refuse() }
  func encode(_ number: some Encodable & FixedWidthInteger, forKey key: Key) throws {
    try value.add(key.stringValue) { value.writeInteger(number) }
  }
  func encode(_ content: some Encodable, forKey key: Key) throws {
    try value.add(key.stringValue) { try value.write(content) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { value.refusing().container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    value.refusing().unkeyedContainer()
  }
  func superEncoder() -> any Encoder { value.refusing() }
  func superEncoder(forKey key: Key) -> any Encoder { value.refusing() }
}

private struct PlainArray: UnkeyedEncodingContainer {
  let value: PlainEncoder

  var codingPath: [any CodingKey] { [] }
  var count: Int { value.count }

  func encodeNil() throws { try value.add { value.writeNull() } }
  func encode(_ bool: Bool) throws { try value.add { value.write(bool) } }
  func encode(_ text: String) throws { try value.add { try value.write(text) } }
  func encode(_ number: Double) throws { try value.add { try value.write(number) } }
  func encode(_: Float) throws { throw value.refuse() }
  func encode(_ number: some Encodable & FixedWidthInteger) throws {
    try value.add { value.writeInteger(number) }
  }
  func encode(_ content: some Encodable) throws { try value.add { try value.write(content) } }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    value.refusing().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { value.refusing().unkeyedContainer() }
  func superEncoder() -> any Encoder { value.refusing() }
}
