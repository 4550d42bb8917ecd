import Bluetooth
import DBus
import Testing

@testable import VirtualBuilding

@Suite("org.bluez: signals for changed objects")
struct ObjectTreeTests {
  static let path: ObjectPath = "/org/bluez/hci0"
  static let interface: InterfaceName = "org.bluez.Adapter1"

  /// A tree with one object that was already signalled.
  static func signalled() -> ExportedObjects {
    var tree = ExportedObjects()
    tree.add(path, [.init(interface, [("Powered", .bool(true)), ("Alias", .string("a"))])])
    _ = tree.takeSignals()
    return tree
  }

  @Test("a new object is signalled with all its interfaces and properties")
  func added() throws {
    var tree = ExportedObjects()
    tree.add(Self.path, [.init(Self.interface, [("Powered", .bool(true))])])
    tree.set(Self.path, Self.interface, "Alias", .string("late"))
    let signals = tree.takeSignals()
    #expect(signals.map(\.member) == ["InterfacesAdded"], "a change of the same iteration has its own signal")
    let interfaces = try #require(signals.first?.body.last?.asEntries)
    #expect(
      interfaces.compactMap(\.key.asString) == [
        "org.freedesktop.DBus.Introspectable", "org.bluez.Adapter1", "org.freedesktop.DBus.Properties",
      ])
    #expect(interfaces[1].value.asVardict == ["Powered": .bool(true), "Alias": .string("late")])
    #expect(tree.takeSignals().isEmpty, "a change is signalled twice")
  }

  @Test("changes of one iteration become one signal with the last value")
  func coalesced() {
    var tree = Self.signalled()
    tree.set(Self.path, Self.interface, "Powered", .bool(false))
    tree.set(Self.path, Self.interface, "Alias", .string("b"))
    tree.set(Self.path, Self.interface, "Alias", .string("c"))
    let signals = tree.takeSignals()
    #expect(signals.count == 1)
    #expect(signals.first?.body[1].asVardict == ["Powered": .bool(false), "Alias": .string("c")])
  }

  @Test("an unchanged value is signalled only on request")
  func unchanged() {
    var tree = Self.signalled()
    tree.set(Self.path, Self.interface, "Alias", .string("a"))
    #expect(tree.takeSignals().isEmpty)
    tree.set(Self.path, Self.interface, "Alias", .string("a"), again: true)
    #expect(tree.takeSignals().first?.value(of: "Alias", at: Self.path) == .string("a"))
  }

  @Test("a removed property is invalidated")
  func invalidated() {
    var tree = Self.signalled()
    tree.clear(Self.path, Self.interface, "Alias")
    tree.clear(Self.path, Self.interface, "NeverThere")
    let signals = tree.takeSignals()
    #expect(signals.count == 1)
    #expect(signals.first?.invalidates("Alias", at: Self.path) == true)
    #expect(tree[Self.path, Self.interface, "Alias"] == nil)
  }

  @Test("objects are removed from the leaves up, and one that was never signalled without a signal")
  func removed() {
    var tree = Self.signalled()
    tree.add("/org/bluez/hci0/dev_A", [.init("org.bluez.Device1")])
    tree.add("/org/bluez/hci0/dev_A/service0010", [.init("org.bluez.GattService1")])
    _ = tree.takeSignals()
    tree.add("/org/bluez/hci0/dev_B", [.init("org.bluez.Device1")])
    tree.set(Self.path, Self.interface, "Alias", .string("z"))
    tree.remove(Self.path)
    let signals = tree.takeSignals()
    #expect(signals.allSatisfy { $0.member == "InterfacesRemoved" })
    #expect(
      signals.compactMap { $0.body.first?.asObjectPath?.text } == [
        "/org/bluez/hci0/dev_A/service0010", "/org/bluez/hci0/dev_A", "/org/bluez/hci0",
      ])
    #expect(tree.paths.isEmpty)
  }

  @Test("removing /org/bluez/hci1 keeps /org/bluez/hci10")
  func prefix() {
    var tree = ExportedObjects()
    tree.add("/org/bluez/hci1", [])
    tree.add("/org/bluez/hci10", [])
    tree.remove("/org/bluez/hci1")
    #expect(tree.paths == ["/org/bluez/hci10"])
  }

  @Test("introspection leads from the root to every object, and nowhere else")
  func introspection() throws {
    let tree = Self.signalled()
    #expect(try #require(tree.introspection(of: "/")).contains("<node name=\"org\"/>"))
    #expect(try #require(tree.introspection(of: "/org")).contains("<node name=\"bluez\"/>"))
    #expect(try #require(tree.introspection(of: Self.path)).contains("<method name=\"StartDiscovery\">"))
    #expect(tree.introspection(of: "/org/bluez/hci7") == nil)
  }
}

@Suite("org.bluez: discovery filters")
struct DiscoveryFilterTests {
  static let uuid: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000001"

  static func report(
    rssi: Int = -60, uuids: [BluetoothUUID] = []
  ) -> AdvertisingReport {
    AdvertisingReport(
      adapter: .init(rawValue: 1), address: .init(rawValue: 0xC47C_8D00_0001), rssi: rssi,
      payload: AdvertisingPayload(isConnectable: true, serviceUUIDs: uuids),
      receivedAt: .init(sinceZero: .zero))
  }

  static func filter(_ entries: (String, DBusValue)...) throws -> DiscoveryFilter {
    try DiscoveryFilter(.vardict(entries))
  }

  @Test(
    "an invalid filter is refused",
    arguments: [
      [("Unknown", .bool(true))], [("Transport", .string("bredr"))], [("Transport", .byte(1))],
      [("UUIDs", .strings(["no UUID"]))], [("UUIDs", .string("180F"))], [("RSSI", .int32(-60))],
      [("RSSI", .int16(-128))], [("RSSI", .int16(21))], [("Pathloss", .uint16(138))],
      [("RSSI", .int16(-60)), ("Pathloss", .uint16(60))], [("Pattern", .bool(false))],
      [("DuplicateData", .byte(1))],
    ] as [[(String, DBusValue)]])
  func refused(_ entries: [(String, DBusValue)]) {
    #expect(throws: BlueZFailure.invalidArguments) { try DiscoveryFilter(.vardict(entries)) }
  }

  @Test("a filter by UUID finds no Robo Sensor, which does not advertise it")
  func uuids() throws {
    let filter = try Self.filter(("UUIDs", .strings([Self.uuid.description.lowercased()])))
    #expect(!filter.matches(Self.report(), name: "Robo Sensor"))
    #expect(filter.matches(Self.report(uuids: [Self.uuid]), name: nil))
  }

  @Test("an RSSI filter is a minimum")
  func rssi() throws {
    let filter = try Self.filter(("RSSI", .int16(-70)))
    #expect(filter.matches(Self.report(rssi: -70), name: nil))
    #expect(!filter.matches(Self.report(rssi: -71), name: nil))
  }

  @Test("a pattern matches the start of the name or of the address")
  func pattern() throws {
    #expect(try Self.filter(("Pattern", .string("Robo"))).matches(Self.report(), name: "Robo Sensor"))
    #expect(try Self.filter(("Pattern", .string("C4:7C"))).matches(Self.report(), name: nil))
    #expect(try !Self.filter(("Pattern", .string("Sensor"))).matches(Self.report(), name: "Robo Sensor"))
  }

  @Test("a report matches if any client's filter matches, and a client without a filter gets everything")
  func merged() throws {
    var sessions = DiscoverySessions()
    sessions.setFilter(try Self.filter(("RSSI", .int16(-50))), for: ":1.1")
    try sessions.start(":1.1")
    #expect(!sessions.wants(Self.report(), name: nil))
    sessions.setFilter(try Self.filter(("Pattern", .string("Robo"))), for: ":1.2")
    #expect(!sessions.wants(Self.report(), name: "Robo Sensor"), "a client with only a filter discovers")
    try sessions.start(":1.2")
    #expect(sessions.wants(Self.report(), name: "Robo Sensor"))
    #expect(!sessions.wants(Self.report(), name: "Other"))
    try sessions.start(":1.3")
    #expect(sessions.wants(Self.report(), name: "Other"))
  }

  @Test("the kernel's filter is the union of all clients' filters")
  func kernelFilter() throws {
    let weak = try Self.filter(("Transport", .string("le")), ("RSSI", .int16(-127)))
    let strong = try Self.filter(("Transport", .string("le")), ("RSSI", .int16(-50)))
    let any = try Self.filter(("Transport", .string("le")))
    let service = try Self.filter(
      ("Transport", .string("le")), ("UUIDs", .strings([Self.uuid.description.lowercased()])))
    #expect(MergedFilter([nil]) == nil)
    #expect(MergedFilter([weak]) != nil)
    #expect(MergedFilter([weak]) != MergedFilter([strong]))
    #expect(MergedFilter([weak, strong]) == MergedFilter([weak]))
    #expect(MergedFilter([weak, any]) == MergedFilter([strong, any]))
    #expect(MergedFilter([any, service]) == MergedFilter([any]))
    #expect(MergedFilter([weak, nil]) == MergedFilter([strong, nil]))
    #expect(MergedFilter([weak, nil]) != nil)
  }

  @Test("small changes of RSSI are signalled if any client has set a filter")
  func threshold() throws {
    var sessions = DiscoverySessions()
    try sessions.start(":1.1")
    #expect(sessions.rssiThreshold == 8)
    sessions.setFilter(
      try Self.filter(("Transport", .string("le")), ("DuplicateData", .bool(true))), for: ":1.1")
    #expect(sessions.rssiThreshold == 0)
    #expect(sessions.duplicateData)
    sessions.setFilter(try Self.filter(("RSSI", .int16(-90))), for: ":1.1")
    #expect(sessions.rssiThreshold == 0)
    #expect(!sessions.duplicateData)
  }

  @Test("a client that starts twice, or stops another's discovery, gets an error")
  func errors() throws {
    var sessions = DiscoverySessions()
    try sessions.start(":1.1")
    #expect(throws: BlueZFailure.busy) { try sessions.start(":1.1") }
    #expect(throws: BlueZFailure.noDiscovery) { try sessions.stop(":1.2") }
    try sessions.start(":1.2")
    try sessions.stop(":1.1")
    #expect(sessions.active)
    sessions.forget(":1.2")
    #expect(!sessions.active)
  }
}

@Suite("org.bluez: names of errors")
struct BlueZFailureTests {
  @Test(
    "each ATT error has BlueZ's name",
    arguments: [
      (0x02, "org.bluez.Error.NotPermitted: Read not permitted"),
      (0x03, "org.bluez.Error.NotPermitted: Write not permitted"),
      (0x05, "org.bluez.Error.NotPermitted: Not paired"),
      (0x06, "org.bluez.Error.NotSupported: Operation is not supported"),
      (0x07, "org.bluez.Error.InvalidArguments: Invalid offset"),
      (0x08, "org.bluez.Error.NotAuthorized: Operation Not Authorized"),
      (0x0D, "org.bluez.Error.InvalidArguments: Invalid Length"),
      (0x0E, "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"),
      (0x80, "org.bluez.Error.Failed: Operation failed with ATT error: 0x80"),
    ] as [(UInt8, String)])
  func att(_ code: UInt8, _ text: String) {
    #expect(BlueZFailure.att(code).description == text)
  }
}
