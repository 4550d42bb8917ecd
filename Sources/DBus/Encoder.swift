import CDBus

/// Writes values into a libdbus message. Use it only for a body that `BodyCheck` has accepted.
struct Encoder {
  /// Appends the values to a message that is not locked yet.
  /// - Throws: `overloaded` if there is no memory or no free descriptor; the message must be discarded then.
  static func append(_ body: [DBusValue], to message: OpaquePointer) throws(DBusError) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    for value in body { try append(value, to: &iterator) }
  }

  private static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) throws(DBusError) {
    var basic = DBusBasicValue()
    switch value {
    case .byte(let value): basic.byt = value
    case .bool(let value): basic.bool_val = value ? 1 : 0
    case .int16(let value): basic.i16 = value
    case .uint16(let value): basic.u16 = value
    case .int32(let value): basic.i32 = value
    case .uint32(let value): basic.u32 = value
    case .int64(let value): basic.i64 = dbus_int64_t(value)
    case .uint64(let value): basic.u64 = dbus_uint64_t(value)
    case .double(let value): basic.dbl = value
    // libdbus duplicates the descriptor, and also fails if no descriptor is free.
    case .descriptor(let descriptor): basic.fd = descriptor.number
    case .string(let text): return try append(text, "s", to: &iterator)
    case .objectPath(let path): return try append(path.text, "o", to: &iterator)
    case .signature(let signature): return try append(signature.text, "g", to: &iterator)
    case .bytes(let bytes): return try append(bytes, to: &iterator)
    case .array(let element, let items):
      return try append(in: "a", of: element.text, to: &iterator) { inner throws(DBusError) in
        for item in items { try append(item, to: &inner) }
      }
    case .dictionary(let key, let element, let entries):
      return try append(in: "a", of: "{\(key)\(element)}", to: &iterator) { inner throws(DBusError) in
        for entry in entries {
          try append(in: "e", of: nil, to: &inner) { pair throws(DBusError) in
            try append(entry.key, to: &pair)
            try append(entry.value, to: &pair)
          }
        }
      }
    case .structure(let fields):
      return try append(in: "r", of: nil, to: &iterator) { inner throws(DBusError) in
        for field in fields { try append(field, to: &inner) }
      }
    case .variant(let content):
      return try append(in: "v", of: content.signature.text, to: &iterator) { inner throws(DBusError) in
        try append(content, to: &inner)
      }
    }
    let code = value.signature.text.utf8.first ?? 0
    try hasMemory(dbus_message_iter_append_basic(&iterator, Int32(code), &basic))
  }

  private static func append(
    _ text: String, _ code: Unicode.Scalar, to iterator: inout DBusMessageIter
  ) throws(DBusError) {
    let done = text.withCString { text in
      var text: UnsafePointer<CChar>? = text
      return dbus_message_iter_append_basic(&iterator, Int32(code.value), &text)
    }
    try hasMemory(done)
  }

  private static func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter) throws(DBusError) {
    try append(in: "a", of: "y", to: &iterator) { inner throws(DBusError) in
      let done = bytes.withUnsafeBufferPointer { buffer in
        // An empty array has no base address, but libdbus needs one.
        guard var first = buffer.baseAddress, !buffer.isEmpty else { return dbus_bool_t(1) }
        return dbus_message_iter_append_fixed_array(
          &inner, Int32(UInt8(ascii: "y")), &first, Int32(buffer.count))
      }
      try hasMemory(done)
    }
  }

  /// - Parameters:
  ///   - code: libdbus's code of the container: `a`, `e`, `r` or `v`.
  ///   - contents: The type of the contents; nil if the code determines it.
  private static func append(
    in code: Unicode.Scalar, of contents: String?, to iterator: inout DBusMessageIter,
    _ fill: (inout DBusMessageIter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inner = DBusMessageIter()
    try hasMemory(dbus_message_iter_open_container(&iterator, Int32(code.value), contents, &inner))
    do {
      try fill(&inner)
    } catch {
      dbus_message_iter_abandon_container(&iterator, &inner)
      throw error
    }
    try hasMemory(dbus_message_iter_close_container(&iterator, &inner))
  }

  private static func hasMemory(_ done: dbus_bool_t) throws(DBusError) {
    guard done != 0 else { throw .overloaded }
  }
}
