package import Bluetooth
package import FoundationEssentials
package import Model

/// A value in an output. The type of a field determines its schema.
package protocol OutputValue: SendableMetatype {
  static var schema: Schema { get }
  var output: JSONValue { get }
}

/// An enumeration whose raw values are names in outputs. The compiler requires an explanation of each.
package protocol OutputNames: OutputValue, CaseIterable, RawRepresentable where RawValue == String {
  static var definition: String { get }
  static var about: String { get }
  var documentation: String { get }
}

extension OutputNames {
  /// Its names with their meanings.
  package static var names: Schema.Names {
    Schema.Names(definition, about, allCases.map { .init($0.rawValue, $0.documentation) })
  }
  package static var schema: Schema { .names(names) }
  package var output: JSONValue { .string(rawValue) }
}

extension JSONValue: OutputValue {
  package static var schema: Schema { .payload }
  package var output: JSONValue { self }

  /// An object of an output that has no schema.
  package static func values(_ members: KeyValuePairs<String, any OutputValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value.output) })
  }
}

extension Bool: OutputValue {
  package static var schema: Schema { .boolean }
  package var output: JSONValue { .bool(self) }
}

extension Int: OutputValue {
  package static var schema: Schema { .integer() }
  package var output: JSONValue { .integer(self) }
}

extension UInt8: OutputValue {
  package static var schema: Schema { .integer(from: 0, to: 255) }
  package var output: JSONValue { .integer(Int(self)) }
}

extension UInt16: OutputValue {
  package static var schema: Schema { .integer(from: 0, to: 65_535) }
  package var output: JSONValue { .integer(Int(self)) }
}

extension Double: OutputValue {
  package static var schema: Schema { .number }
  package var output: JSONValue { .number(self) }
}

/// A value whose output is its description.
package protocol OutputText: OutputValue, CustomStringConvertible {}

extension OutputText {
  package static var schema: Schema { .text(.any) }
  package var output: JSONValue { .string(description) }
}

extension String: OutputText {}
extension HostName: OutputText {}
extension Identifier: OutputText {}
extension DeviceIdentity: OutputText {}
extension BluetoothAddress: OutputText { package static var schema: Schema { .text(.address) } }
extension AdapterID: OutputText { package static var schema: Schema { .text(.adapter) } }
extension BluetoothUUID: OutputText { package static var schema: Schema { .text(.uuid) } }

extension Date: OutputValue {
  package static var schema: Schema { .text(.time) }
  package var output: JSONValue { .string(RunEvent.timestamp(self)) }
}

extension Timestamp: OutputValue {
  package static var schema: Schema { .text(.time) }
  package var output: JSONValue { .string(text) }
}

/// Null when there is nothing.
extension Optional: OutputValue where Wrapped: OutputValue {
  package static var schema: Schema { .nullable(Wrapped.schema) }
  package var output: JSONValue { map(\.output) ?? .null }
}

extension Array: OutputValue where Element: OutputValue {
  package static var schema: Schema { .array(Element.schema) }
  package var output: JSONValue { .array(map(\.output)) }
}
