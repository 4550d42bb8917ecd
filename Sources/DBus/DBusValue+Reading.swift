/// Helpers to make and read common values. Every `as…` property unwraps variants and is nil if the value has
/// another type.
extension DBusValue {
  /// Creates an `a{sv}` with the entries in the given order; each value is wrapped in a variant.
  package static func vardict(_ entries: [(String, DBusValue)]) -> DBusValue {
    .dictionary(key: "s", value: "v", entries.map { DBusEntry(.string($0.0), .variant($0.1)) })
  }

  /// Creates an `as`.
  package static func strings(_ strings: [String]) -> DBusValue {
    .array(element: "s", strings.map(DBusValue.string))
  }

  /// The value without its enclosing variants.
  package var unwrapped: DBusValue {
    var value = self
    while case .variant(let content) = value { value = content }
    return value
  }

  package var asByte: UInt8? { if case .byte(let value) = unwrapped { value } else { nil } }
  package var asBool: Bool? { if case .bool(let value) = unwrapped { value } else { nil } }
  package var asInt16: Int16? { if case .int16(let value) = unwrapped { value } else { nil } }
  package var asUInt16: UInt16? { if case .uint16(let value) = unwrapped { value } else { nil } }
  package var asUInt32: UInt32? { if case .uint32(let value) = unwrapped { value } else { nil } }
  /// The text of an `s`.
  package var asString: String? { if case .string(let value) = unwrapped { value } else { nil } }
  package var asObjectPath: ObjectPath? { if case .objectPath(let value) = unwrapped { value } else { nil } }
  package var asDescriptor: DBusDescriptor? {
    if case .descriptor(let value) = unwrapped { value } else { nil }
  }

  /// The bytes of an `ay`.
  package var asBytes: [UInt8]? {
    switch unwrapped {
    case .bytes(let bytes): return bytes
    case .array(element: "y", let items):
      let bytes = items.compactMap(\.asByte)
      return bytes.count == items.count ? bytes : nil
    default: return nil
    }
  }

  /// The strings of an `as`.
  package var asStrings: [String]? {
    guard case .array(element: "s", let items) = unwrapped else { return nil }
    let texts = items.compactMap(\.asString)
    return texts.count == items.count ? texts : nil
  }

  /// The entries of a dictionary, in the order of the wire.
  package var asEntries: [DBusEntry]? {
    if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
  }

  /// The entries of a dictionary with string keys (such as `a{sv}`), with unwrapped values. If a key is
  /// repeated, the last entry counts.
  package var asVardict: [String: DBusValue]? {
    guard case .dictionary(key: "s", _, let entries) = unwrapped else { return nil }
    var found: [String: DBusValue] = [:]
    for entry in entries {
      guard let key = entry.key.asString else { return nil }
      found[key] = entry.value.unwrapped
    }
    return found
  }
}
