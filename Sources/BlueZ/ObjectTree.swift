import Bluetooth
import DBus

/// A copy of BlueZ's objects, updated by its signals. It is a value: the same changes in the same order give
/// the same tree.
///
/// Objects of one branch may appear in any order (characteristics may appear after their device reports
/// `ServicesResolved`), so a child may come before its parent.
struct ObjectTree: Hashable, Sendable {
  /// An object's interfaces by name.
  typealias Interfaces = [InterfaceName: Properties]

  /// A change of the tree, as BlueZ reports it.
  enum Change: Hashable, Sendable {
    /// The reply to `GetManagedObjects`: the complete tree.
    case snapshot([ObjectPath: Interfaces])
    /// `InterfacesAdded`.
    case added(ObjectPath, Interfaces)
    /// `InterfacesRemoved`.
    case removed(ObjectPath, [InterfaceName])
    /// `PropertiesChanged`.
    case changed(ObjectPath, interface: InterfaceName, Properties, invalidated: [String])
    /// The daemon has left the bus. A killed daemon does not signal the removal of its objects.
    case ownerLost

    /// Whether the change may affect the adapters.
    var isOfAdapter: Bool {
      switch self {
      case .snapshot, .ownerLost: true
      case .added(_, let interfaces): interfaces[Name.Interface.adapter] != nil
      case .removed(_, let interfaces): interfaces.contains(Name.Interface.adapter)
      case .changed(_, let interface, _, _): interface == Name.Interface.adapter
      }
    }
  }

  /// The host of the adapters; nil for this computer.
  let host: HostName?
  private var objects: [ObjectPath: Interfaces] = [:]
  private var children: [ObjectPath: Set<ObjectPath>] = [:]
  private var knownAdapters: Set<ObjectPath> = []

  init(of host: HostName? = nil) { self.host = host }

  mutating func apply(_ change: Change) {
    switch change {
    case .snapshot(let snapshot):
      self = Self(of: host)
      // The adapters first, and then by path, so that the limit always keeps the same objects.
      let adapters = snapshot.filter { $0.value[Name.Interface.adapter] != nil }
      for (path, interfaces) in adapters { add(path, interfaces) }
      for path in snapshot.keys.sorted() { add(path, snapshot[path] ?? [:]) }
    case .added(let path, let interfaces):
      add(path, interfaces)
    case .removed(let path, let interfaces):
      remove(path, interfaces)
    case .changed(let path, let interface, let changed, let invalidated):
      // A change of an unknown or removed object has no effect.
      objects[path]?[interface]?.merge(changed.kept) { $1 }
      // This may be the only sign of a link of another client (docs/internals/bluez.md, trap 57).
      if changed.flag(Name.Property.servicesResolved) {
        objects[path]?[interface]?[Name.Property.connected] = .bool(true)
      }
      for name in invalidated { objects[path]?[interface]?[name] = nil }
    case .ownerLost:
      self = Self(of: host)
    }
  }

  /// The maximum number of objects.
  static let mostObjects = 60_000
  /// The number of objects up to which devices are added. Five adapters that receive 10,000 sensors each have as many.
  /// The rest is for the attributes of connected devices.
  static let mostDevices = 50_000

  private mutating func add(_ path: ObjectPath, _ interfaces: Interfaces) {
    let kept = interfaces.filter { Name.Interface.kept.contains($0.key) }.mapValues(\.kept)
    let limit = kept[Name.Interface.device] != nil ? Self.mostDevices : Self.mostObjects
    guard !kept.isEmpty, objects.count < limit || objects[path] != nil else { return }
    objects[path, default: [:]].merge(kept) { $1 }
    if let parent = path.parent { children[parent, default: []].insert(path) }
    if kept[Name.Interface.adapter] != nil { knownAdapters.insert(path) }
  }

  private mutating func remove(_ path: ObjectPath, _ interfaces: [InterfaceName]) {
    for interface in interfaces { objects[path]?[interface] = nil }
    if interfaces.contains(Name.Interface.adapter) { knownAdapters.remove(path) }
    guard objects[path]?.isEmpty == true else { return }
    objects[path] = nil
    if let parent = path.parent {
      children[parent]?.remove(path)
      if children[parent]?.isEmpty == true { children[parent] = nil }
    }
  }

  /// The properties of an object's interface; nil if there is no such object or interface.
  func properties(_ path: ObjectPath, _ interface: InterfaceName) -> Properties? {
    objects[path]?[interface]
  }

  /// The children of an object with an interface, ordered by path (for BlueZ's attributes: by handle).
  func children(of path: ObjectPath, with interface: InterfaceName) -> [ObjectPath] {
    (children[path] ?? []).filter { objects[$0]?[interface] != nil }.sorted()
  }
}

// MARK: Adapters

extension ObjectTree {
  var adapterPaths: [ObjectPath] { knownAdapters.sorted() }

  /// The adapters, ordered by identity. Of several with one address, as cheap copies have, only the first can be meant.
  var adapters: [Adapter] {
    adapterPaths.compactMap(adapter(at:)).reduce(into: []) { adapters, adapter in
      if !adapters.contains(where: { $0.id == adapter.id }) { adapters.append(adapter) }
    }.sorted { $0.id < $1.id }
  }

  func path(of adapter: AdapterID) -> ObjectPath? {
    adapterPaths.first { self.adapter(at: $0)?.id == adapter }
  }

  /// The adapter at a path; nil if there is none or it has no address.
  func adapter(at path: ObjectPath) -> Adapter? {
    guard let properties = properties(path, Name.Interface.adapter),
      let address = properties.text(Name.Property.address).flatMap({ BluetoothAddress($0) })
    else { return nil }
    let id = AdapterID(address, on: host)
    return Adapter(
      id: id, name: id.named(path.lastElement), state: Self.state(properties),
      hardware: Self.hardware(properties))
  }

  /// BlueZ's facts about the controller; BlueZ 5.66 has none.
  private static func hardware(_ properties: Properties) -> AdapterHardware? {
    let manufacturer = properties[Name.Property.manufacturer]?.asUInt16
    let version = properties[Name.Property.version]?.asByte
    guard manufacturer != nil || version != nil else { return nil }
    return AdapterHardware(manufacturer: manufacturer, version: version)
  }

  /// The state of an adapter. `PowerState` (BlueZ 5.65 and later) distinguishes blocked from off; older
  /// daemons have only `Powered`. A daemon may signal `Powered` before the matching `PowerState`, so a
  /// powered adapter counts as ready.
  private static func state(_ properties: Properties) -> Adapter.State {
    if properties.flag(Name.Property.powered) { return .ready }
    return properties.text(Name.Property.powerState) == "off-blocked" ? .blocked : .poweredOff
  }

  /// `BlueZ 5.66`, from the first adapter with a valid `Modalias` (`usb:v1D6Bp0246d0542`; the version is two
  /// hex bytes).
  var stackVersion: String? {
    adapterPaths.lazy
      .compactMap { properties($0, Name.Interface.adapter)?.text(Name.Property.modalias) }
      .compactMap(Self.version(modalias:)).first
  }

  /// Parses the Linux Foundation's vendor id, BlueZ's product id, and `d` with the version: one byte each for
  /// major and minor.
  static func version(modalias: String) -> String? {
    let prefix = "usb:v1D6Bp0246d"
    let digits = modalias.dropFirst(prefix.count)
    guard modalias.uppercased().hasPrefix(prefix.uppercased()), digits.count == 4,
      let number = UInt16(digits, radix: 16)
    else { return nil }
    return "BlueZ \(number >> 8).\(number & 0xFF)"
  }
}

// MARK: Peripherals

extension ObjectTree {
  /// The path that BlueZ uses for a peripheral of an adapter, whether or not the object exists.
  static func devicePath(_ address: BluetoothAddress, under adapter: ObjectPath) -> ObjectPath {
    let label = String(address.description.map { $0 == ":" ? "_" : $0 })
    guard let path = adapter.appending("dev_" + label) else {
      preconditionFailure("not a path element: \(label)")
    }
    return path
  }

  /// The devices of an adapter, ordered by path.
  func devices(under adapter: ObjectPath) -> [ObjectPath] {
    children(of: adapter, with: Name.Interface.device)
  }

  /// A device's properties; nil if BlueZ does not have the object.
  func device(_ path: ObjectPath) -> Properties? {
    properties(path, Name.Interface.device)
  }

  /// The result of a search for a service.
  enum ServiceLookup: Hashable, Sendable {
    /// The service, with everything that is required.
    case complete(RemoteService)
    /// This attribute is missing; it may still appear.
    case missing(BluetoothUUID)
    /// This attribute exists more than once.
    case ambiguous(BluetoothUUID)
  }

  /// Searches a device's service and its required characteristics among the objects that have appeared.
  /// Objects that refer to another parent (`Device`, `Service`) do not count.
  func service(
    _ uuid: BluetoothUUID, requiring required: [BluetoothUUID], of device: ObjectPath
  ) -> ServiceLookup {
    let services = children(of: device, with: Name.Interface.gattService).filter {
      self.uuid($0, Name.Interface.gattService) == uuid
        && isOwned($0, Name.Interface.gattService, by: device, as: Name.Property.device)
    }
    guard let path = services.first else { return .missing(uuid) }
    guard services.count == 1 else { return .ambiguous(uuid) }
    let characteristics = characteristics(of: path)
    for wanted in required {
      switch characteristics.count(where: { $0.uuid == wanted }) {
      case 0: return .missing(wanted)
      case 1: continue
      default: return .ambiguous(wanted)
      }
    }
    return .complete(RemoteService(uuid: uuid, characteristics: characteristics))
  }

  /// All services of a device that have appeared, ordered by handle.
  func services(of device: ObjectPath) -> [RemoteService] {
    children(of: device, with: Name.Interface.gattService).compactMap { path in
      guard isOwned(path, Name.Interface.gattService, by: device, as: Name.Property.device),
        let uuid = uuid(path, Name.Interface.gattService)
      else { return nil }
      return RemoteService(uuid: uuid, characteristics: characteristics(of: path))
    }
  }

  private func characteristics(of service: ObjectPath) -> [RemoteCharacteristic] {
    children(of: service, with: Name.Interface.gattCharacteristic).compactMap { child in
      guard isOwned(child, Name.Interface.gattCharacteristic, by: service, as: Name.Property.service),
        let uuid = uuid(child, Name.Interface.gattCharacteristic)
      else { return nil }
      let flags = properties(child, Name.Interface.gattCharacteristic)?.texts(Name.Property.flags) ?? []
      return RemoteCharacteristic(uuid: uuid, access: AttributeAccess(flags: flags), handle: child.text)
    }
  }

  /// The descriptor of a characteristic with this UUID; nil if it has not appeared.
  func descriptor(_ uuid: BluetoothUUID, of characteristic: ObjectPath) -> ObjectPath? {
    children(of: characteristic, with: Name.Interface.gattDescriptor).first {
      self.uuid($0, Name.Interface.gattDescriptor) == uuid
        && isOwned(
          $0, Name.Interface.gattDescriptor, by: characteristic, as: Name.Property.characteristic)
    }
  }

  /// Whether an object's reference to its parent is correct or absent.
  private func isOwned(
    _ path: ObjectPath, _ interface: InterfaceName, by owner: ObjectPath, as property: String
  ) -> Bool {
    properties(path, interface)?[property]?.asObjectPath.map { $0 == owner } ?? true
  }

  private func uuid(_ path: ObjectPath, _ interface: InterfaceName) -> BluetoothUUID? {
    properties(path, interface)?.text(Name.Property.uuid).flatMap { BluetoothUUID($0) }
  }
}

extension AttributeAccess {
  /// Reads BlueZ's `Flags` of a characteristic (doc/gatt-api.txt), including those that require encryption.
  fileprivate init(flags: [String]) {
    self = []
    for flag in flags {
      switch flag {
      case "read", "encrypt-read", "encrypt-authenticated-read", "secure-read": insert(.read)
      case "write", "encrypt-write", "encrypt-authenticated-write", "secure-write": insert(.write)
      case "write-without-response": insert(.writeWithoutResponse)
      case "notify", "encrypt-notify", "encrypt-authenticated-notify", "secure-notify": insert(.notify)
      case "indicate", "encrypt-indicate", "encrypt-authenticated-indicate", "secure-indicate":
        insert(.indicate)
      default: continue
      }
    }
  }
}
