import DBus

/// An interface's properties by name, without their variants. A property of an unexpected type counts as
/// absent, so that no data from the bus can trap.
typealias Properties = [String: DBusValue]

extension Properties {
  /// A Boolean property. Absent is false, because BlueZ omits properties that do not apply.
  func flag(_ name: String) -> Bool { self[name]?.asBool ?? false }

  func text(_ name: String) -> String? { self[name]?.asString }

  func bytes(_ name: String) -> [UInt8]? { self[name]?.asBytes }

  func texts(_ name: String) -> [String]? { self[name]?.asStrings }

  /// An `n` property, such as the RSSI.
  func number(_ name: String) -> Int? { self[name]?.asInt16.map(Int.init) }

  /// `a{qv}` of byte arrays, such as manufacturer data by company identifier.
  func bytesByNumber(_ name: String) -> [UInt16: [UInt8]]? {
    guard let entries = self[name]?.asEntries else { return nil }
    var found: [UInt16: [UInt8]] = [:]
    for entry in entries {
      guard let key = entry.key.asUInt16, let value = entry.value.asBytes else { continue }
      found[key] = value
    }
    return found
  }

  /// `a{sv}` of byte arrays, such as service data by UUID.
  func bytesByText(_ name: String) -> [String: [UInt8]]? {
    self[name]?.asVardict?.compactMapValues(\.asBytes)
  }
}

extension Properties {
  /// The largest value that is used, in bytes. An advertisement with all extensions has 1,650.
  static let largestValue = 16 << 10

  /// The properties that are used, without values that no device can have sent. Whoever owns the bus name may send any
  /// number of others, of any size. A notified value is cut where it is passed on.
  fileprivate var used: Properties {
    filter { name, value in
      guard Name.Property.used.contains(name) else { return false }
      return name == Name.Property.value || value.weight(upTo: Self.largestValue) <= Self.largestValue
    }
  }

  /// The properties that are kept in the copy of the objects.
  var kept: Properties { filter { Name.Property.kept.contains($0.key) } }
}

extension DBusValue {
  /// About the memory of a value, in bytes; counts no further than `limit`.
  fileprivate func weight(upTo limit: Int) -> Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .string(let text): text.utf8.count
    case .objectPath(let path): path.text.utf8.count
    case .variant(let value): value.weight(upTo: limit)
    case .array(_, let values), .structure(let values):
      Self.weight(of: values.lazy.map { $0.weight(upTo: limit) }, upTo: limit)
    case .dictionary(_, _, let entries):
      Self.weight(
        of: entries.lazy.map { $0.key.weight(upTo: limit) + $0.value.weight(upTo: limit) }, upTo: limit)
    default: 0
    }
  }

  private static func weight(of parts: some Sequence<Int>, upTo limit: Int) -> Int {
    var sum = 0
    for part in parts where sum <= limit { sum += part + 32 }
    return sum
  }
}

extension ObjectPath {
  /// The text after the last slash, such as an adapter's `hci0`.
  var lastElement: String {
    text.split(separator: "/").last.map(String.init) ?? ""
  }
}

extension ObjectTree.Change {
  /// The change that a signal of BlueZ reports; nil for any other signal and for a malformed one.
  init?(_ signal: Signal) {
    switch (signal.interface, signal.member) {
    case (Name.Interface.objectManager, Name.Member.interfacesAdded):
      guard signal.body.count == 2, let path = signal.body[0].asObjectPath,
        let interfaces = Self.interfaces(signal.body[1])
      else { return nil }
      self = .added(path, interfaces)
    case (Name.Interface.objectManager, Name.Member.interfacesRemoved):
      guard signal.body.count == 2, let path = signal.body[0].asObjectPath,
        let interfaces = signal.body[1].asStrings
      else { return nil }
      self = .removed(path, interfaces.compactMap { InterfaceName($0) })
    case (Name.Interface.properties, Name.Member.propertiesChanged):
      guard signal.body.count == 3, let interface = signal.body[0].asString.flatMap({ InterfaceName($0) }),
        let changed = signal.body[1].asVardict, let invalidated = signal.body[2].asStrings
      else { return nil }
      self = .changed(signal.path, interface: interface, changed.used, invalidated: invalidated)
    default:
      return nil
    }
  }

  /// Reads the reply to `GetManagedObjects`; nil if it is malformed.
  init?(managedObjects body: [DBusValue]) {
    guard body.count == 1, let entries = body[0].asEntries else { return nil }
    var objects: [ObjectPath: ObjectTree.Interfaces] = [:]
    for entry in entries {
      guard let path = entry.key.asObjectPath, let interfaces = Self.interfaces(entry.value) else {
        return nil
      }
      objects[path] = interfaces
    }
    self = .snapshot(objects)
  }

  private static func interfaces(_ value: DBusValue) -> ObjectTree.Interfaces? {
    guard let entries = value.asEntries else { return nil }
    var interfaces: ObjectTree.Interfaces = [:]
    for entry in entries {
      guard let name = entry.key.asString.flatMap({ InterfaceName($0) }),
        let properties = entry.value.asVardict
      else { return nil }
      interfaces[name] = properties.used
    }
    return interfaces
  }
}
