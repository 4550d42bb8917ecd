import Bluetooth
import DBus
import EventLoop

@testable import BlueZ

/// An `org.bluez` that is controlled by a test: it sends objects and signals in the order in which the test
/// adds them, and has one reply per method. It simulates nothing.
actor FakeBlueZ {
  typealias Reply = @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>

  nonisolated let connection: Connection
  private nonisolated let executor: LoopExecutor
  private(set) var objects: [ObjectPath: ObjectTree.Interfaces] = [:]
  private(set) var calls: [MethodCall] = []
  /// The calls in words, each with its time since the first one.
  private(set) var callsInTime: [String] = []
  private var first: MonotonicInstant?
  private var replies: [MemberName: Reply] = [:]
  private var waiting: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ bus: LocalBus) async throws {
    connection = try await Connection.open(bus.busAddress)
    executor = connection.executor
    await connection.export("/") { [weak self] call in
      await self?.take(call) ?? .failure(.remote("org.freedesktop.DBus.Error.NoReply"))
    }
  }

  // MARK: Received calls

  /// Sets the reply to a method from now on, on any object. The default is success without values.
  func reply(to member: MemberName, _ reply: @escaping Reply) {
    replies[member] = reply
  }

  func neverReply(to member: MemberName) {
    reply(to: member) { _ in
      await forever()
      return .success([])
    }
  }

  func refuse(_ member: MemberName, _ error: String, _ text: String) {
    reply(to: member) { _ in .failure(.remote(error, text)) }
  }

  private func take(_ call: MethodCall) async -> Result<[DBusValue], DBusError> {
    calls.append(call)
    let now = SystemClock().now
    callsInTime.append(
      "\((first ?? now).duration(to: now)) \(call.path.text) \(call.member.text) \(call.body)")
    first = first ?? now
    for continuation in waiting { continuation.resume() }
    waiting = []
    if let reply = replies[call.member] { return await reply(call) }
    if call.member == "GetManagedObjects" { return .success([managedObjects]) }
    guard objects[call.path] != nil else {
      return .failure(.remote("org.freedesktop.DBus.Error.UnknownObject"))
    }
    return .success([])
  }

  /// Waits until a method has been called this number of times.
  func called(_ member: MemberName, times: Int = 1) async {
    while count(member) < times {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func count(_ member: MemberName) -> Int { calls.count { $0.member == member } }

  func members(_ wanted: Set<MemberName>) -> [MemberName] { calls.map(\.member).filter(wanted.contains) }

  /// The minimum RSSI of each discovery filter that was set, in order. It distinguishes consecutive filters.
  var filters: [Int16] {
    calls.filter { $0.member == "SetDiscoveryFilter" }.compactMap {
      $0.body.first?.asVardict?["RSSI"]?.asInt16
    }
  }

  // MARK: Objects and signals

  var managedObjects: DBusValue {
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      objects.sorted { $0.key < $1.key }.map { DBusEntry(.objectPath($0.key), Self.value($0.value)) })
  }

  private static func value(_ interfaces: ObjectTree.Interfaces) -> DBusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.sorted { $0.key < $1.key }.map { interface, properties in
        DBusEntry(
          .string(interface.text), .vardict(properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
      })
  }

  private func emit(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [DBusValue])
  {
    let signal = Signal(path: path, interface: interface, member: member, body: body)
    connection.assumeIsolated { try? $0.emit(signal) }
  }

  func add(_ path: ObjectPath, _ interfaces: ObjectTree.Interfaces) {
    objects[path] = interfaces
    emit(
      "/", Name.Interface.objectManager, Name.Member.interfacesAdded,
      [.objectPath(path), Self.value(interfaces)])
  }

  func remove(_ path: ObjectPath) {
    let interfaces = (objects.removeValue(forKey: path) ?? [:]).keys.sorted().map(\.text)
    emit(
      "/", Name.Interface.objectManager, Name.Member.interfacesRemoved,
      [.objectPath(path), .strings(interfaces)])
  }

  func change(
    _ path: ObjectPath, _ interface: InterfaceName, _ changed: Properties, invalidated: [String] = []
  ) {
    objects[path]?[interface]?.merge(changed) { $1 }
    let properties = changed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    emit(
      path, Name.Interface.properties, Name.Member.propertiesChanged,
      [.string(interface.text), .vardict(properties), .strings(invalidated)])
  }
}

// MARK: The objects of the test cases

extension FakeBlueZ {
  static let adapter: ObjectPath = "/org/bluez/hci0"
  static let device: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01"
  static let service: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01/service000a"
  static let status: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01/service000a/char000b"
  static let command: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01/service000a/char000d"

  func addAdapter(_ properties: Properties = [:]) {
    let base: Properties = [
      "Address": .string(Sample.adapter.description), "Powered": .bool(true),
      "Modalias": .string("usb:v1D6Bp0246d0542"),
    ]
    add(Self.adapter, [Name.Interface.adapter: base.merging(properties) { $1 }])
  }

  func addDevice(_ properties: Properties = [:]) {
    let base: Properties = ["Address": .string(Sample.address.description), "Connected": .bool(false)]
    add(Self.device, [Name.Interface.device: base.merging(properties) { $1 }])
  }

  func addService() {
    add(Self.service, [Name.Interface.gattService: ["UUID": .string(Sample.service.description)]])
  }

  func addCharacteristic(_ path: ObjectPath, _ uuid: BluetoothUUID) {
    add(path, [Name.Interface.gattCharacteristic: ["UUID": .string(uuid.description)]])
  }

  func setDevice(_ changed: Properties, invalidated: [String] = []) {
    change(Self.device, Name.Interface.device, changed, invalidated: invalidated)
  }

  func setAdapter(_ changed: Properties) {
    change(Self.adapter, Name.Interface.adapter, changed)
  }

  func notify(_ value: [UInt8]) {
    change(Self.status, Name.Interface.gattCharacteristic, ["Value": .bytes(value)])
  }

  var isConnected: Bool { objects[Self.device]?[Name.Interface.device]?.flag("Connected") ?? false }
}

/// The devices and values of the test cases.
enum Sample {
  static let adapter = AdapterID(BluetoothAddress(rawValue: 0x00AA_0100_0042))
  static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  static let service: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000000"
  static let status: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000001"
  static let command: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000002"
  static let beacon = IBeacon(
    uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 1, minor: 7, measuredPower: -59)

  static let named: Properties = ["Name": .string("Robo Sensor"), "RSSI": .int16(-60)]

  static let beaconData: Properties = [
    "RSSI": .int16(-61),
    "ManufacturerData": .dictionary(
      key: "q", value: "v",
      [DBusEntry(.uint16(IBeacon.company), .variant(.bytes(beacon.manufacturerData)))]),
  ]
}
