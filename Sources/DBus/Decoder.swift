import CDBus

/// Reads the values of a libdbus message. libdbus has checked it against its signature and all limits.
struct Decoder {
  /// The number of open files read so far. Each read creates a descriptor, and a message may refer to the
  /// same file any number of times. Without a limit one message could use up all descriptors of the process.
  private var descriptors = 0

  /// Reads the values of a message.
  /// - Throws: `badMessage` if it contains more open files than a message may have; `overloaded` if no
  ///   descriptor is free.
  static func body(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    var decoder = Decoder()
    return try decoder.values(from: &iterator)
  }

  private mutating func values(from iterator: inout DBusMessageIter) throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != 0 {
      values.append(try value(at: &iterator))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private mutating func value(at iterator: inout DBusMessageIter) throws(DBusError) -> DBusValue {
    let code = Unicode.Scalar(UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator)))
    switch code {
    case "y": return .byte(Self.basic(at: &iterator).byt)
    case "b": return .bool(Self.basic(at: &iterator).bool_val != 0)
    case "n": return .int16(Self.basic(at: &iterator).i16)
    case "q": return .uint16(Self.basic(at: &iterator).u16)
    case "i": return .int32(Self.basic(at: &iterator).i32)
    case "u": return .uint32(Self.basic(at: &iterator).u32)
    case "x": return .int64(Int64(Self.basic(at: &iterator).i64))
    case "t": return .uint64(UInt64(Self.basic(at: &iterator).u64))
    case "d": return .double(Self.basic(at: &iterator).dbl)
    case "s": return .string(Self.text(at: &iterator))
    // libdbus has checked it.
    case "o": return .objectPath(ObjectPath(unchecked: Self.text(at: &iterator)))
    case "g":
      let signature = Self.text(at: &iterator)
      guard let signature = DBusSignature(signature) else {
        throw .badMessage("not a signature: \(signature)")
      }
      return .signature(signature)
    case "h": return .descriptor(try descriptor(at: &iterator))
    case "a": return try array(at: &iterator)
    case "r":
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .structure(try values(from: &inner))
    case "v":
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .variant(try value(at: &inner))
    default: throw .badMessage("a value of type \(code) is not supported")
    }
  }

  private mutating func array(at iterator: inout DBusMessageIter) throws(DBusError) -> DBusValue {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    switch Unicode.Scalar(UInt8(truncatingIfNeeded: dbus_message_iter_get_element_type(&iterator))) {
    case "y": return .bytes(Self.bytes(of: &inner))
    case "e": return try dictionary(of: &inner, at: &iterator)
    default:
      let element =
        Self.signatureOfOneLetter(dbus_message_iter_get_element_type(&iterator))
        ?? DBusSignature(unchecked: String(Self.signature(of: &iterator).utf8.dropFirst(1)) ?? "")
      return .array(element: element, try values(from: &inner))
    }
  }

  private mutating func dictionary(
    of entry: inout DBusMessageIter, at iterator: inout DBusMessageIter
  ) throws(DBusError) -> DBusValue {
    var entries: [DBusEntry] = []
    var valueType: Int32 = 0
    while dbus_message_iter_get_arg_type(&entry) != 0 {
      var pair = DBusMessageIter()
      dbus_message_iter_recurse(&entry, &pair)
      let key = try value(at: &pair)
      dbus_message_iter_next(&pair)
      valueType = dbus_message_iter_get_arg_type(&pair)
      entries.append(DBusEntry(key, try value(at: &pair)))
      dbus_message_iter_next(&entry)
    }
    // Most dictionaries are `a{sv}`. The first entry shows this without a copy of the signature.
    if let first = entries.first, case .string = first.key, let value = Self.signatureOfOneLetter(valueType) {
      return .dictionary(key: "s", value: value, entries)
    }
    // "a{" key value "}"; the key has one letter.
    let types = Self.signature(of: &iterator).utf8.dropFirst(2).dropLast()
    return .dictionary(
      key: DBusSignature(unchecked: String(types.prefix(1)) ?? ""),
      value: DBusSignature(unchecked: String(types.dropFirst()) ?? ""), entries)
  }

  /// The signature of a type with a one-letter code; nil for arrays and structures.
  private static func signatureOfOneLetter(_ type: Int32) -> DBusSignature? {
    let code = UInt8(truncatingIfNeeded: type)
    guard code == UInt8(ascii: "v") || SignatureGrammar.basic.contains(code) else { return nil }
    return DBusSignature(unchecked: String(Unicode.Scalar(code)))
  }

  private mutating func descriptor(at iterator: inout DBusMessageIter) throws(DBusError) -> DBusDescriptor {
    descriptors += 1
    guard descriptors <= BodyCheck.mostDescriptors else {
      throw .badMessage("more than \(BodyCheck.mostDescriptors) open files")
    }
    // A duplicate of the message's descriptor, closed on exec; -1 if no descriptor is free.
    let number = Self.basic(at: &iterator).fd
    guard number >= 0 else { throw .overloaded }
    return DBusDescriptor(owning: number)
  }

  private static func bytes(of iterator: inout DBusMessageIter) -> [UInt8] {
    var first: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&iterator, &first, &count)
    return Array(UnsafeBufferPointer(start: first, count: first == nil ? 0 : Int(count)))
  }

  private static func basic(at iterator: inout DBusMessageIter) -> DBusBasicValue {
    var basic = DBusBasicValue()
    dbus_message_iter_get_basic(&iterator, &basic)
    return basic
  }

  private static func text(at iterator: inout DBusMessageIter) -> String {
    Self.basic(at: &iterator).str.map { String(cString: $0) } ?? ""
  }

  private static func signature(of iterator: inout DBusMessageIter) -> String {
    guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
