/// Making and reading the values that D-Bus services commonly pass. Every `as…` looks through variants and is
/// nil when the value is of another type.
extension DBusValue {
  /// `a{sv}` with the entries in the order given; each value is put into a variant.
  public static func vardict(_ entries: [(String, DBusValue)]) -> DBusValue {
    .dictionary(key: "s", value: "v", entries.map { DBusEntry(.string($0.0), .variant($0.1)) })
  }

  /// `as`
  public static func strings(_ strings: [String]) -> DBusValue {
    .array(element: "s", strings.map(DBusValue.string))
  }

  /// The value itself, out of all the variants around it.
  public var unwrapped: DBusValue {
    var value = self
    while case .variant(let content) = value { value = content }
    return value
  }

  /// The value as a byte.
  public var asByte: UInt8? { if case .byte(let value) = unwrapped { value } else { nil } }
  /// The value as a truth value.
  public var asBool: Bool? { if case .bool(let value) = unwrapped { value } else { nil } }
  /// The value as an `n`.
  public var asInt16: Int16? { if case .int16(let value) = unwrapped { value } else { nil } }
  /// The value as a `q`.
  public var asUInt16: UInt16? { if case .uint16(let value) = unwrapped { value } else { nil } }
  /// The value as an `i`.
  public var asInt32: Int32? { if case .int32(let value) = unwrapped { value } else { nil } }
  /// The value as a `u`.
  public var asUInt32: UInt32? { if case .uint32(let value) = unwrapped { value } else { nil } }
  /// The value as an `x`.
  public var asInt64: Int64? { if case .int64(let value) = unwrapped { value } else { nil } }
  /// The value as a `t`.
  public var asUInt64: UInt64? { if case .uint64(let value) = unwrapped { value } else { nil } }
  /// The value as a `d`.
  public var asDouble: Double? { if case .double(let value) = unwrapped { value } else { nil } }
  /// The value as text (`s` only).
  public var asString: String? { if case .string(let value) = unwrapped { value } else { nil } }
  /// The value as an object path.
  public var asObjectPath: ObjectPath? { if case .objectPath(let value) = unwrapped { value } else { nil } }
  /// The value as a signature.
  public var asSignature: DBusSignature? { if case .signature(let value) = unwrapped { value } else { nil } }
  /// The value as an open file.
  public var asDescriptor: DBusDescriptor? {
    if case .descriptor(let value) = unwrapped { value } else { nil }
  }

  /// The bytes of an `ay`.
  public var asBytes: [UInt8]? {
    switch unwrapped {
    case .bytes(let bytes): return bytes
    case .array(element: "y", let items):
      let bytes = items.compactMap(\.asByte)
      return bytes.count == items.count ? bytes : nil
    default: return nil
    }
  }

  /// The items of an array that is no `ay` and no dictionary.
  public var asArray: [DBusValue]? { if case .array(_, let items) = unwrapped { items } else { nil } }

  /// The texts of an `as`.
  public var asStrings: [String]? {
    guard case .array(element: "s", let items) = unwrapped else { return nil }
    let texts = items.compactMap(\.asString)
    return texts.count == items.count ? texts : nil
  }

  /// The object paths of an `ao`.
  public var asObjectPaths: [ObjectPath]? {
    guard case .array(element: "o", let items) = unwrapped else { return nil }
    let paths = items.compactMap(\.asObjectPath)
    return paths.count == items.count ? paths : nil
  }

  /// The fields of a structure.
  public var asStructure: [DBusValue]? { if case .structure(let fields) = unwrapped { fields } else { nil } }

  /// The entries of a dictionary, in the order of the wire.
  public var asEntries: [DBusEntry]? {
    if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
  }

  /// The entries of a dictionary with texts for keys (`a{sv}` and the like), values out of their variants. When
  /// a key comes twice the last one counts.
  public var asVardict: [String: DBusValue]? {
    guard case .dictionary(key: "s", _, let entries) = unwrapped else { return nil }
    var found: [String: DBusValue] = [:]
    for entry in entries {
      guard let key = entry.key.asString else { return nil }
      found[key] = entry.value.unwrapped
    }
    return found
  }
}
