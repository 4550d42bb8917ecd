import DBus

/// The interfaces of bluetoothd 5.66, for introspection and for checking calls. 5.82 has more properties, which can
/// only be read.
///
/// Omitted, because roboprov and the tests do not use them: GATT servers and advertising (`GattManager1`,
/// `LEAdvertisingManager1`), profiles, media, networks. `AcquireWrite` and `AcquireNotify` are omitted
/// together with their properties (`WriteAcquired`, `NotifyAcquired`), as in BlueZ before 5.46.
/// `ConnectDevice` is experimental and absent by default.
enum BlueZInterfaces {
  static let adapter: InterfaceName = "org.bluez.Adapter1"
  static let device: InterfaceName = "org.bluez.Device1"
  static let service: InterfaceName = "org.bluez.GattService1"
  static let characteristic: InterfaceName = "org.bluez.GattCharacteristic1"
  static let descriptor: InterfaceName = "org.bluez.GattDescriptor1"
  static let agentManager: InterfaceName = "org.bluez.AgentManager1"
  /// Of clients: bluetoothd calls it.
  static let agent: InterfaceName = "org.bluez.Agent1"
  static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
  static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
  static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"

  static let all: [InterfaceName: InterfaceDescription] = {
    let described = [
      objectManagerInterface, introspectableInterface, propertiesInterface, agentManagerInterface,
      adapterInterface,
      deviceInterface, serviceInterface, characteristicInterface, descriptorInterface,
    ]
    return Dictionary(uniqueKeysWithValues: described.map { ($0.name, $0) })
  }()

  private static let objectManagerInterface = InterfaceDescription(
    objectManager,
    methods: [.init("GetManagedObjects", out: [("objects", "a{oa{sa{sv}}}")])],
    signals: [
      .init("InterfacesAdded", [("object", "o"), ("interfaces", "a{sa{sv}}")]),
      .init("InterfacesRemoved", [("object", "o"), ("interfaces", "as")]),
    ])

  private static let introspectableInterface = InterfaceDescription(
    introspectable, methods: [.init("Introspect", out: [("xml", "s")])])

  private static let propertiesInterface = InterfaceDescription(
    properties,
    methods: [
      .init("Get", in: [("interface", "s"), ("name", "s")], out: [("value", "v")]),
      .init("Set", in: [("interface", "s"), ("name", "s"), ("value", "v")]),
      .init("GetAll", in: [("interface", "s")], out: [("properties", "a{sv}")]),
    ],
    signals: [
      .init(
        "PropertiesChanged",
        [("interface", "s"), ("changed_properties", "a{sv}"), ("invalidated_properties", "as")])
    ])

  private static let agentManagerInterface = InterfaceDescription(
    agentManager,
    methods: [
      .init("RegisterAgent", in: [("agent", "o"), ("capability", "s")]),
      .init("UnregisterAgent", in: [("agent", "o")]),
      .init("RequestDefaultAgent", in: [("agent", "o")]),
    ])

  private static let adapterInterface = InterfaceDescription(
    adapter,
    methods: [
      .init("StartDiscovery"),
      .init("SetDiscoveryFilter", in: [("properties", "a{sv}")]),
      .init("StopDiscovery"),
      .init("RemoveDevice", in: [("device", "o")]),
      .init("GetDiscoveryFilters", out: [("filters", "as")]),
    ],
    properties: [
      .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
      .init("Alias", "s", writable: true),
      .init("Class", "u"), .init("Powered", "b", writable: true), .init("PowerState", "s"),
      .init("Discoverable", "b", writable: true), .init("DiscoverableTimeout", "u", writable: true),
      .init("Pairable", "b", writable: true), .init("PairableTimeout", "u", writable: true),
      .init("Discovering", "b"), .init("UUIDs", "as"), .init("Modalias", "s"), .init("Roles", "as"),
    ])

  private static let deviceInterface = InterfaceDescription(
    device,
    methods: [
      .init("Disconnect"), .init("Connect"),
      .init("ConnectProfile", in: [("UUID", "s")]), .init("DisconnectProfile", in: [("UUID", "s")]),
      .init("Pair"), .init("CancelPairing"),
    ],
    properties: [
      .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
      .init("Alias", "s", writable: true),
      .init("Paired", "b"), .init("Bonded", "b"), .init("Trusted", "b", writable: true),
      .init("Blocked", "b", writable: true), .init("LegacyPairing", "b"), .init("RSSI", "n"),
      .init("Connected", "b"),
      .init("UUIDs", "as"), .init("Adapter", "o"), .init("ManufacturerData", "a{qv}"),
      .init("ServiceData", "a{sv}"), .init("ServicesResolved", "b"),
    ])

  private static let serviceInterface = InterfaceDescription(
    service,
    properties: [
      .init("UUID", "s"), .init("Device", "o"), .init("Primary", "b"), .init("Includes", "ao"),
    ])

  private static let characteristicInterface = InterfaceDescription(
    characteristic,
    methods: [
      .init("ReadValue", in: [("options", "a{sv}")], out: [("value", "ay")]),
      .init("WriteValue", in: [("value", "ay"), ("options", "a{sv}")]),
      .init("StartNotify"), .init("StopNotify"),
    ],
    properties: [
      .init("UUID", "s"), .init("Service", "o"), .init("Value", "ay"), .init("Notifying", "b"),
      .init("Flags", "as"),
      .init("MTU", "q"),
    ])

  private static let descriptorInterface = InterfaceDescription(
    descriptor,
    methods: [
      .init("ReadValue", in: [("options", "a{sv}")], out: [("value", "ay")]),
      .init("WriteValue", in: [("value", "ay"), ("options", "a{sv}")]),
    ],
    properties: [.init("UUID", "s"), .init("Characteristic", "o"), .init("Value", "ay")])
}

/// The methods, signals and properties of an interface.
struct InterfaceDescription: Sendable {
  struct Method: Sendable {
    var name: String
    var arguments: [(String, String)]
    var results: [(String, String)]

    init(_ name: String, in arguments: [(String, String)] = [], out results: [(String, String)] = []) {
      self.name = name
      self.arguments = arguments
      self.results = results
    }

    var signature: String { arguments.map(\.1).joined() }
  }

  struct Property: Sendable {
    var name: String
    var type: String
    var writable: Bool

    init(_ name: String, _ type: String, writable: Bool = false) {
      self.name = name
      self.type = type
      self.writable = writable
    }
  }

  struct SignalDescription: Sendable {
    var name: String
    var arguments: [(String, String)]

    init(_ name: String, _ arguments: [(String, String)]) {
      self.name = name
      self.arguments = arguments
    }
  }

  var name: InterfaceName
  var methods: [Method]
  var properties: [Property]
  var signals: [SignalDescription]

  init(
    _ name: InterfaceName, methods: [Method] = [], properties: [Property] = [],
    signals: [SignalDescription] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  /// The interface in an introspection document.
  var xml: String {
    func arguments(_ list: [(String, String)], _ direction: String?) -> String {
      list.map { name, type in
        "<arg name=\"\(name)\" type=\"\(type)\"" + (direction.map { " direction=\"\($0)\"" } ?? "") + "/>"
      }.joined()
    }
    return "<interface name=\"\(name)\">"
      + methods.map {
        "<method name=\"\($0.name)\">\(arguments($0.arguments, "in"))\(arguments($0.results, "out"))</method>"
      }.joined()
      + signals.map { "<signal name=\"\($0.name)\">\(arguments($0.arguments, nil))</signal>" }.joined()
      + properties.map {
        "<property name=\"\($0.name)\" type=\"\($0.type)\" access=\"\($0.writable ? "readwrite" : "read")\"/>"
      }.joined()
      + "</interface>"
  }
}

extension ExportedObjects {
  /// The introspection document of a path; nil if there is no object at or below it.
  func introspection(of path: ObjectPath) -> String? {
    let children = children(of: path)
    guard contains(path) || path == "/" || !children.isEmpty else { return nil }
    var names = [BlueZInterfaces.introspectable]
    if path == "/" { names.append(BlueZInterfaces.objectManager) }
    names += (interfaces(of: path) ?? []).map(\.name)
    if contains(path) { names.append(BlueZInterfaces.properties) }
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
      "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>
      """ + names.compactMap { BlueZInterfaces.all[$0]?.xml }.joined()
        + children.map { "<node name=\"\($0)\"/>" }.joined() + "</node>"
  }
}
