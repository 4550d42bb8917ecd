import Bluetooth
import Model
import Reporting

/// A key that a type decodes, with the keys of its value. Decoding cannot differ from this, so schemas are compared with it.
struct DecodedKey: Hashable {
  var key: String
  /// Whether the decoder refuses an object without it.
  var isRequired: Bool
  /// The keys of the object, or of each element of the list; none for another value.
  var parts: [DecodedKey] = []

  /// The keys that a schema has.
  static func keys(of schema: ObjectSchema) -> [DecodedKey] {
    schema.properties.map { DecodedKey(key: $0.key, isRequired: $0.isRequired, parts: parts(of: $0.schema)) }
      .sorted { $0.key < $1.key }
  }

  private static func parts(of schema: Schema) -> [DecodedKey] {
    switch schema {
    case .object(let object): keys(of: object)
    case .array(let element): parts(of: element)
    default: []
    }
  }

  /// The keys that a type decodes.
  static func keys<Object: Decodable>(of type: Object.Type) throws -> [DecodedKey] {
    try read(type).keys.sorted { $0.key < $1.key }
  }

  /// The same, with some value of the type.
  static func read<Object: Decodable>(_ type: Object.Type) throws -> (sample: Object, keys: [DecodedKey]) {
    let notes = Notes()
    let sample = try type.init(from: NotingDecoder(notes: notes))
    return (sample, notes.keys)
  }

  fileprivate static func parts<Value: Decodable>(of type: Value.Type) throws -> [DecodedKey] {
    if type is any OutputValue.Type { return [] }
    if let list = type as? any DecodedList.Type { return try list.parts() }
    return try keys(of: type)
  }

  /// An example of a value of a type, for a required key.
  fileprivate static func sample<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let sample = (type as? any Sampled.Type)?.sample as? Value { return sample }
    if let sample = (type as? any OutputNames.Type)?.sample as? Value { return sample }
    if let sample = (type as? any DecodedList.Type)?.sample as? Value { return sample }
    return try read(type).sample
  }
}

/// Makes some payload of a fact, and notes its keys.
final class NotedPayload: PayloadSource {
  private(set) var keys: [DecodedKey] = []

  func payload<Payload: FactPayload>(_ type: Payload.Type) throws -> Payload {
    let read = try DecodedKey.read(type)
    keys = read.keys.sorted { $0.key < $1.key }
    return read.sample
  }
}

// MARK: Values that are no objects

/// A type with an example of a value.
private protocol Sampled {
  static var sample: Self { get }
}

extension Bool: Sampled { fileprivate static var sample: Bool { false } }
extension Int: Sampled { fileprivate static var sample: Int { 0 } }
extension UInt8: Sampled { fileprivate static var sample: UInt8 { 0 } }
extension UInt16: Sampled { fileprivate static var sample: UInt16 { 0 } }
extension Double: Sampled { fileprivate static var sample: Double { 0 } }
extension String: Sampled { fileprivate static var sample: String { "" } }
extension Identifier: Sampled { fileprivate static var sample: Self { Self(rawValue: "") } }
extension BluetoothAddress: Sampled { fileprivate static var sample: Self { Self(rawValue: 0) } }
extension HostName: Sampled {
  fileprivate static var sample: Self {
    guard let name = Self("host") else { preconditionFailure("a host has this name") }
    return name
  }
}
extension AdapterID: Sampled { fileprivate static var sample: Self { Self(.sample) } }

extension OutputNames {
  fileprivate static var sample: Self {
    guard let first = allCases.first else { preconditionFailure("\(self) has no names") }
    return first
  }
}

/// A list of what can be decoded.
private protocol DecodedList {
  static func parts() throws -> [DecodedKey]
  static var sample: Self { get }
}

extension Array: DecodedList where Element: Decodable {
  fileprivate static func parts() throws -> [DecodedKey] { try DecodedKey.parts(of: Element.self) }
  fileprivate static var sample: Self { [] }
}

// MARK: The decoder

private final class Notes {
  var keys: [DecodedKey] = []

  func note<Value: Decodable>(_ type: Value.Type, _ key: any CodingKey, isRequired: Bool) throws {
    keys.append(
      DecodedKey(key: key.stringValue, isRequired: isRequired, parts: try DecodedKey.parts(of: type)))
  }
}

private struct NotingDecoder: Decoder {
  let notes: Notes
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(NotingContainer<Key>(notes: notes))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoObject() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoObject() }
}

/// Something is decoded that is neither an object nor an `OutputValue`.
private struct NoObject: Error {}

private struct NotingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let notes: Notes
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  // Each caller notes the requested type first.
  func contains(_ key: Key) -> Bool {
    preconditionFailure("\(key.stringValue) is decoded in a way that is not noted")
  }
  func decodeNil(forKey key: Key) -> Bool { contains(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try notes.note(type, key, isRequired: true)
    return try DecodedKey.sample(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try absent(type, key)
  }
  // The protocol has an implementation of its own for each of these, which would be taken before the generic one.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try absent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try absent(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try absent(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try absent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try absent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try absent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try absent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try absent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try absent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try absent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try absent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try absent(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try absent(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try absent(type, key) }

  private func absent<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
    // Float and some whole numbers are no `OutputValue`, and occur in no record.
    try notes.note(type, key, isRequired: false)
    return nil
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw NoObject() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoObject() }
  func superDecoder() throws -> any Decoder { throw NoObject() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NoObject() }
}
