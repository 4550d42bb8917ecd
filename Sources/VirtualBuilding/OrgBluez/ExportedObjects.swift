import DBus

/// The exported objects with their interfaces and properties, and the changes that are not signalled yet.
///
/// bluetoothd sends signals when it is idle: all changes of one main-loop iteration become one signal per
/// object and interface. Here `takeSignals()` ends an iteration.
struct ExportedObjects {
  /// An interface of an object, with its properties in the order in which they are listed.
  struct Interface {
    var name: InterfaceName
    var properties: [(name: String, value: DBusValue)]

    init(_ name: InterfaceName, _ properties: [(String, DBusValue)] = []) {
      self.name = name
      self.properties = properties.map { (name: $0.0, value: $0.1) }
    }

    subscript(_ name: String) -> DBusValue? { properties.first { $0.name == name }?.value }
  }

  private var objects: [ObjectPath: [Interface]] = [:]
  /// All paths in order, so that an object's descendants follow it.
  private(set) var paths: [ObjectPath] = []
  private var pending: [Change] = []

  /// A change that is not signalled yet.
  private enum Change {
    case added(ObjectPath)
    case removed(ObjectPath, [InterfaceName])
    case changed(ObjectPath, InterfaceName, properties: [String])
  }

  // MARK: Reading

  func contains(_ path: ObjectPath) -> Bool { objects[path] != nil }

  func interfaces(of path: ObjectPath) -> [Interface]? { objects[path] }

  subscript(path: ObjectPath, interface: InterfaceName, property: String) -> DBusValue? {
    objects[path]?.first { $0.name == interface }?[property]
  }

  /// The next path elements below a path that lead to objects, whether or not they are objects themselves.
  func children(of path: ObjectPath) -> [String] {
    let prefix = path.text == "/" ? "/" : path.text + "/"
    let next = objects.keys.filter { $0.text.hasPrefix(prefix) && $0 != path }
      .map { String($0.text.dropFirst(prefix.count).prefix { $0 != "/" }) }
    return Set(next).sorted()
  }

  /// `GetManagedObjects`: `a{oa{sa{sv}}}`.
  var managedObjects: DBusValue {
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      paths.map { DBusEntry(.objectPath($0), Self.value(of: objects[$0] ?? [])) })
  }

  /// `a{sa{sv}}` with the standard interfaces that bluetoothd's objects list. The one for properties is
  /// listed only if there are any.
  private static func value(of interfaces: [Interface]) -> DBusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      standard.prefix(1).map { DBusEntry(.string($0.text), .vardict([])) }
        + interfaces.map { interface in
          DBusEntry(
            .string(interface.name.text), .vardict(interface.properties.map { ($0.name, $0.value) }))
        } + standard(for: interfaces).dropFirst().map { DBusEntry(.string($0.text), .vardict([])) })
  }

  static let standard: [InterfaceName] = [
    "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties",
  ]

  private static func standard(for interfaces: [Interface]) -> [InterfaceName] {
    interfaces.contains { !$0.properties.isEmpty } ? standard : [standard[0]]
  }

  // MARK: Changing

  /// Adds an object. Has no effect if it exists.
  mutating func add(_ path: ObjectPath, _ interfaces: [Interface]) {
    guard objects[path] == nil else { return }
    objects[path] = interfaces
    paths.insert(path, at: place(of: path))
    pending.append(.added(path))
  }

  /// Removes an object and everything below it: descendants first, siblings in order.
  mutating func remove(_ path: ObjectPath) {
    let victims = paths[place(of: path)...].prefix { $0.isAtOrBelow(path) }
    for victim in victims.sorted(by: { $0.isAtOrBelow($1) || !$1.isAtOrBelow($0) && $0 < $1 }) {
      removeAlone(victim)
    }
  }

  /// The index of a path among all, or that at which it would be inserted.
  private func place(of path: ObjectPath) -> Int {
    var (first, end) = (0, paths.count)
    while first < end {
      let middle = (first + end) / 2
      if paths[middle] < path { first = middle + 1 } else { end = middle }
    }
    return first
  }

  /// Removes an object and keeps its descendants.
  mutating func removeAlone(_ path: ObjectPath) {
    guard let interfaces = objects.removeValue(forKey: path) else { return }
    paths.remove(at: place(of: path))
    let before = pending.count
    pending.removeAll { if case .added(path) = $0 { true } else { false } }
    let wasSignalled = pending.count == before
    pending.removeAll { if case .changed(path, _, _) = $0 { true } else { false } }
    if wasSignalled {
      pending.append(.removed(path, interfaces.map(\.name) + Self.standard(for: interfaces)))
    }
  }

  /// Sets a property. The change is signalled if the value differs, or if `again` is set.
  mutating func set(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: String, _ value: DBusValue,
    again: Bool = false
  ) {
    guard let index = objects[path]?.firstIndex(where: { $0.name == interface }) else { return }
    let place = objects[path]?[index].properties.firstIndex { $0.name == property }
    if let place {
      if objects[path]?[index].properties[place].value == value, !again { return }
      objects[path]?[index].properties[place].value = value
    } else {
      objects[path]?[index].properties.append((name: property, value: value))
    }
    note(path, interface, property)
  }

  /// Sets an existing property without a signal.
  mutating func setSilently(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: String, _ value: DBusValue
  ) {
    guard let index = objects[path]?.firstIndex(where: { $0.name == interface }),
      let place = objects[path]?[index].properties.firstIndex(where: { $0.name == property })
    else { return }
    objects[path]?[index].properties[place].value = value
  }

  /// Removes a property; it is signalled as invalidated.
  mutating func clear(_ path: ObjectPath, _ interface: InterfaceName, _ property: String) {
    guard let index = objects[path]?.firstIndex(where: { $0.name == interface }),
      let place = objects[path]?[index].properties.firstIndex(where: { $0.name == property })
    else { return }
    objects[path]?[index].properties.remove(at: place)
    note(path, interface, property)
  }

  private mutating func note(_ path: ObjectPath, _ interface: InterfaceName, _ property: String) {
    for (index, item) in pending.enumerated() {
      switch item {
      case .added(path): return
      case .changed(path, interface, var properties):
        if !properties.contains(property) { properties.append(property) }
        pending[index] = .changed(path, interface, properties: properties)
        return
      default: continue
      }
    }
    pending.append(.changed(path, interface, properties: [property]))
  }

  // MARK: Signals

  /// Returns the signals for all changes, in order, and clears the changes.
  mutating func takeSignals() -> [DBus.Signal] {
    defer { pending = [] }
    return pending.compactMap(signal)
  }

  private func signal(for pending: Change) -> DBus.Signal? {
    switch pending {
    case .added(let path):
      return DBus.Signal(
        path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded",
        body: [.objectPath(path), Self.value(of: objects[path] ?? [])])
    case .removed(let path, let interfaces):
      return DBus.Signal(
        path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesRemoved",
        body: [.objectPath(path), .strings(interfaces.map(\.text))])
    case .changed(let path, let interface, let properties):
      let held = properties.map { (name: $0, value: self[path, interface, $0]) }
      return DBus.Signal(
        path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        body: [
          .string(interface.text),
          .vardict(held.compactMap { entry in entry.value.map { (entry.name, $0) } }),
          .strings(held.filter { $0.value == nil }.map(\.name)),
        ])
    }
  }
}
