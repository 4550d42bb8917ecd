package import Bluetooth
package import Model

/// An object that its `Codable` conformance encodes: events and plans. Its keys, their types and whether they
/// are always present come from that conformance.
package protocol ExplainedKeys: Decodable {
  /// The explanation of each key, except those that `commonKeys` explains.
  static var fields: [String: String] { get }
}

/// An object that is a part of others. The payload of an event has the name and the meaning of its kind.
package protocol RecordedObject: ExplainedKeys {
  /// The name of the kind of object, in snake_case.
  static var definition: String { get }
  /// Its explanation.
  static var about: String { get }
}

private let commonKeys = [
  "room": "The room.",
  "attempt": "Which attempt at its device.",
  "address": "The device.",
  "adapter": "The adapter.",
  "stage": "The stage.",
  "setting": "The setting being written, in `write`.",
  "rssi": "RSSI in dBm.",
]

/// A `Decoder` without data: it notes the keys that a type decodes, their types, and which of them are
/// optional. This is the type's schema, which therefore cannot differ from the decoding.
package struct SchemaReader {
  /// The forms of an object.
  package static func object<Object: Decodable>(_ type: Object.Type) -> ObjectSchema { read(type).schema }

  /// The same, with some value of the type.
  static func read<Object: Decodable>(_ type: Object.Type) -> (
    sample: Object, schema: ObjectSchema
  ) {
    let words = type as? any RecordedObject.Type
    let fields = (type as? any ExplainedKeys.Type)?.fields ?? [:]
    let notes = Notes(commonKeys.merging(fields) { $1 })
    do {
      let sample = try type.init(from: NotingDecoder(notes: notes))
      let keys = Set(notes.properties.map(\.key))
      precondition(
        keys.isSuperset(of: fields.keys), "\(type) explains a key that it does not have")
      return (
        sample,
        ObjectSchema(words?.definition ?? String(describing: type), words?.about ?? "", notes.properties)
      )
    } catch {
      preconditionFailure("\(type) has no schema: \(error)")
    }
  }

  /// The forms of a value.
  fileprivate static func schema<Value: Decodable>(_ type: Value.Type) -> Schema {
    if let value = type as? any OutputValue.Type { return value.schema }
    if let list = type as? any DecodedList.Type { return .array(list.element) }
    if let other = type as? any EncodedAs.Type { return .object(other.form) }
    return .object(object(type))
  }

  /// An example of a value of a type, for a required key.
  fileprivate static func sample<Value: Decodable>(_ type: Value.Type) -> Value {
    if let sample = (type as? any Sampled.Type)?.sample as? Value { return sample }
    if let sample = (type as? any OutputNames.Type)?.sample as? Value { return sample }
    if let sample = (type as? any DecodedList.Type)?.sample as? Value { return sample }
    return read(type).sample
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
  static var element: Schema { get }
  static var sample: Self { get }
}

extension Array: DecodedList where Element: Decodable {
  fileprivate static var element: Schema { SchemaReader.schema(Element.self) }
  fileprivate static var sample: Self { [] }
}

extension Timestamp: OutputValue {
  package static var schema: Schema { .text(.time) }
  package var output: JSONValue { .string(text) }
}

/// A value that another type encodes.
private protocol EncodedAs {
  static var form: ObjectSchema { get }
}

extension FailureReason: EncodedAs {
  fileprivate static var form: ObjectSchema { schemaOfForm }
}

// MARK: The decoder

private final class Notes {
  private let words: [String: String]
  private(set) var properties: [ObjectSchema.Property] = []

  init(_ words: [String: String]) { self.words = words }

  func note(_ key: any CodingKey, _ schema: Schema, isRequired: Bool) {
    let name = key.stringValue
    properties.append(.init(name, words[name] ?? "", schema, isRequired: isRequired))
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

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value {
    notes.note(key, SchemaReader.schema(type), isRequired: true)
    return SchemaReader.sample(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? { absent(type, key) }
  // The protocol has an implementation of its own for each of these, which would be taken before the generic one.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { absent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { absent(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { absent(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { absent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { absent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { absent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { absent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { absent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { absent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { absent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { absent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { absent(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { absent(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { absent(type, key) }

  private func absent<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
    notes.note(key, SchemaReader.schema(type), isRequired: false)
    return nil
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw NoObject() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoObject() }
  func superDecoder() throws -> any Decoder { throw NoObject() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NoObject() }
}
