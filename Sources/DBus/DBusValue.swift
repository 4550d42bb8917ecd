/// A value of the D-Bus type system.
package enum DBusValue: Hashable, Sendable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case bool(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`. A string that contains a NUL cannot be sent (`DBusError.Kind.badMessage`).
  case string(String)
  /// `o`
  case objectPath(ObjectPath)
  /// `g`
  case signature(DBusSignature)
  /// `h`: an open file. Only a local bus transfers it. A message contains at most 16.
  case descriptor(DBusDescriptor)
  /// `ay`: an array of bytes. Received byte arrays always have this form, never that of `array`.
  case bytes([UInt8])
  /// An array of any other type. It can be sent only if every item has the type `element`.
  case array(element: DBusSignature, [DBusValue])
  /// `a{…}`: entries in the order of the wire.
  indirect case dictionary(key: DBusSignature, value: DBusSignature, [DBusEntry])
  /// `(…)`: one or more values.
  case structure([DBusValue])
  /// `v`
  indirect case variant(DBusValue)

  /// The declared type of this value. It is a valid signature if the value can be sent.
  package var signature: DBusSignature {
    var text = ""
    writeSignature(to: &text)
    return DBusSignature(unchecked: text)
  }

  private func writeSignature(to text: inout String) {
    switch self {
    case .byte: text += "y"
    case .bool: text += "b"
    case .int16: text += "n"
    case .uint16: text += "q"
    case .int32: text += "i"
    case .uint32: text += "u"
    case .int64: text += "x"
    case .uint64: text += "t"
    case .double: text += "d"
    case .string: text += "s"
    case .objectPath: text += "o"
    case .signature: text += "g"
    case .descriptor: text += "h"
    case .bytes: text += "ay"
    case .array(let element, _): text += "a" + element.text
    case .dictionary(let key, let value, _): text += "a{" + key.text + value.text + "}"
    case .structure(let fields):
      text += "("
      for field in fields { field.writeSignature(to: &text) }
      text += ")"
    case .variant: text += "v"
    }
  }
}

package struct DBusEntry: Hashable, Sendable {
  /// The key, a value of basic type.
  package var key: DBusValue
  package var value: DBusValue

  package init(_ key: DBusValue, _ value: DBusValue) {
    self.key = key
    self.value = value
  }
}
