/// The checks before values are passed to libdbus. libdbus ends the process if an argument is invalid, and
/// the bus ends the connection if a message is invalid. Neither may be caused by data from outside, such as a
/// device name.
struct BodyCheck {
  /// The maximum depth of nested containers, including variants (in libdbus: twice
  /// `DBUS_MAXIMUM_TYPE_RECURSION_DEPTH`).
  static let deepest = 64
  /// The maximum size of a message in bytes. The system bus's limit is 32 MiB.
  static let longest = 32 << 20
  /// The maximum number of open files in a message: the default limit of the bus
  /// (`DBUS_DEFAULT_MESSAGE_UNIX_FDS`).
  static let mostDescriptors = 16

  /// An upper bound of the size on the wire, in bytes.
  private var size = 0
  private var descriptors = 0

  /// - Throws: `badMessage` with the reason.
  static func check(_ body: [DBusValue]) throws(DBusError) {
    var check = BodyCheck()
    var signature = ""
    for value in body {
      try check.visit(value, depth: 0)
      signature += value.signature.text
    }
    guard DBusSignature(signature) != nil else { throw .badMessage("no valid signature: \(signature)") }
  }

  /// - Throws: `badMessage` if the text contains a NUL.
  static func check(text: String) throws(DBusError) {
    guard !text.utf8.contains(0) else { throw .badMessage("a NUL within a text") }
  }

  private mutating func visit(_ value: DBusValue, depth: Int) throws(DBusError) {
    // The longest basic value has 8 bytes, after at most 7 bytes of padding.
    try grow(by: 16)
    switch value {
    case .byte, .bool, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: break
    case .string(let text):
      try Self.check(text: text)
      try grow(by: text.utf8.count)
    case .objectPath(let path): try grow(by: path.text.utf8.count)
    case .signature(let signature): try grow(by: signature.text.utf8.count)
    case .descriptor:
      descriptors += 1
      guard descriptors <= Self.mostDescriptors else {
        throw .badMessage("more than \(Self.mostDescriptors) open files")
      }
    case .bytes(let bytes):
      try descend(depth)
      try grow(by: bytes.count)
    case .array(let element, let items):
      try descend(depth)
      guard element.isSingle else { throw .badMessage("\(element) is no array's element") }
      for item in items {
        try expect(item, element)
        try visit(item, depth: depth + 1)
      }
    case .dictionary(let key, let element, let entries):
      try descend(depth + 1)
      guard key.isBasic, element.isSingle else { throw .badMessage("{\(key)\(element)} is no entry") }
      for entry in entries {
        try expect(entry.key, key)
        try expect(entry.value, element)
        try grow(by: 8)
        try visit(entry.key, depth: depth + 2)
        try visit(entry.value, depth: depth + 2)
      }
    case .structure(let fields):
      try descend(depth)
      guard !fields.isEmpty else { throw .badMessage("a structure without fields") }
      for field in fields { try visit(field, depth: depth + 1) }
    case .variant(let content):
      try descend(depth)
      try visit(content, depth: depth + 1)
      let signature = content.signature
      guard DBusSignature(signature.text) != nil else {
        throw .badMessage("no valid signature: \(signature)")
      }
      try grow(by: signature.text.utf8.count)
    }
  }

  private func descend(_ depth: Int) throws(DBusError) {
    guard depth < Self.deepest else { throw .badMessage("nested deeper than \(Self.deepest)") }
  }

  private func expect(_ value: DBusValue, _ signature: DBusSignature) throws(DBusError) {
    let actual = value.signature
    guard actual == signature else { throw .badMessage("\(actual) among \(signature)") }
  }

  private mutating func grow(by bytes: Int) throws(DBusError) {
    size += bytes
    guard size <= Self.longest else { throw .badMessage("longer than \(Self.longest) bytes") }
  }
}
