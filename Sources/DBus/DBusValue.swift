/// A value of the D-Bus type system.
public enum DBusValue: Hashable, Sendable {
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
  /// `s`. A text with a NUL in it cannot be sent (`DBusError.Kind.badMessage`).
  case string(String)
  /// `o`
  case objectPath(ObjectPath)
  /// `g`
  case signature(DBusSignature)
  /// `h`: an open file. Only a bus on this machine passes one on; a message takes at most 16 along.
  case descriptor(DBusDescriptor)
  /// `ay`: bytes in a row, kept as such. Bytes that are read always have this form, never that of `array`.
  case bytes([UInt8])
  /// An array of any other type. Every item must have the type `element`, or it cannot be sent.
  case array(element: DBusSignature, [DBusValue])
  /// `a{…}`: entries in the order in which they stand on the wire.
  indirect case dictionary(key: DBusSignature, value: DBusSignature, [DBusEntry])
  /// `(…)`: one or more values.
  case structure([DBusValue])
  /// `v`
  indirect case variant(DBusValue)

  /// The type of this value, as its parts declare it. It is a valid signature if the value can be sent.
  public var signature: DBusSignature {
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

/// One entry of a dictionary.
public struct DBusEntry: Hashable, Sendable {
  /// The key: a value that is no container.
  public var key: DBusValue
  /// What is kept under the key.
  public var value: DBusValue

  /// An entry.
  public init(_ key: DBusValue, _ value: DBusValue) {
    self.key = key
    self.value = value
  }
}
