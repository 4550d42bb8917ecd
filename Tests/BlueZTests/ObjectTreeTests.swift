import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("The copy of BlueZ's objects")
struct ObjectTreeTests {
  let hci0: ObjectPath = "/org/bluez/hci0"
  let device: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01"

  func adapter(_ address: String = "00:AA:01:00:00:42", _ more: Properties = [:]) -> ObjectTree.Interfaces {
    let base: Properties = ["Address": .string(address), "Powered": .bool(true)]
    return [Name.Interface.adapter: base.merging(more) { $1 }]
  }

  func tree(_ changes: ObjectTree.Change...) -> ObjectTree {
    var tree = ObjectTree()
    for change in changes { tree.apply(change) }
    return tree
  }

  @Test("an adapter is identified by its address, whatever its hci number")
  func identity() throws {
    var tree = tree(.snapshot([hci0: adapter()]))
    let id = AdapterID(try #require(BluetoothAddress("00:AA:01:00:00:42")))
    #expect(tree.adapters == [Adapter(id: id, name: "hci0", state: .ready)])
    #expect(tree.path(of: id) == hci0)
    tree.apply(.removed(hci0, ["org.bluez.Media1"]))
    #expect(tree.adapterPaths == [hci0])
    tree.apply(.removed(hci0, [Name.Interface.adapter]))
    #expect(tree.adapterPaths.isEmpty)
    tree.apply(.added("/org/bluez/hci3", adapter()))
    #expect(tree.adapters == [Adapter(id: id, name: "hci3", state: .ready)])
    #expect(tree.path(of: id) == "/org/bluez/hci3")
  }

  @Test(
    "an adapter's state follows from Powered and PowerState",
    arguments: [
      (["Powered": .bool(true)], .ready),
      (["Powered": .bool(false)], .poweredOff),
      (["Powered": .bool(false), "PowerState": .string("off")], .poweredOff),
      (["Powered": .bool(false), "PowerState": .string("off-blocked")], .blocked),
      (["Powered": .bool(false), "PowerState": .string("off-enabling")], .poweredOff),
      // The matching PowerState is signalled a moment later.
      (["Powered": .bool(true), "PowerState": .string("off")], .ready),
      (["Powered": .string("yes")], .poweredOff),
    ] as [(Properties, Adapter.State)])
  func state(properties: Properties, state: Adapter.State) {
    #expect(
      tree(.snapshot([hci0: adapter(properties.isEmpty ? "" : "00:AA:01:00:00:42", properties)])).adapters
        .map(\.state) == [state])
  }

  @Test("an object without a valid address is not an adapter", arguments: ["", "00:AA", "zz:zz:zz:zz:zz:zz"])
  func nameless(address: String) {
    #expect(tree(.snapshot([hci0: adapter(address)])).adapters.isEmpty)
  }

  @Test("an adapter has the hardware data that BlueZ reports, and none with 5.66")
  func hardware() {
    func hardware(_ more: Properties) -> AdapterHardware? {
      tree(.snapshot([hci0: adapter("00:AA:01:00:00:42", more)])).adapters.first?.hardware
    }
    #expect(hardware([:]) == nil)
    #expect(
      hardware(["Manufacturer": .uint16(93), "Version": .byte(10)])
        == AdapterHardware(manufacturer: 93, version: 10))
    #expect(
      hardware(["Manufacturer": .string("93"), "Version": .byte(10)])
        == AdapterHardware(manufacturer: nil, version: 10))
    #expect(hardware(["Manufacturer": .uint16(93)]) == AdapterHardware(manufacturer: 93, version: nil))
    #expect(hardware(["Manufacturer": .string("93")]) == nil)
  }

  @Test("adapters are ordered by identity, not by path")
  func order() {
    let tree = tree(
      .snapshot([hci0: adapter("00:AA:01:00:00:42"), "/org/bluez/hci1": adapter("00:AA:01:00:00:41")]))
    #expect(tree.adapters.map(\.name) == ["hci1", "hci0"])
    let twins = self.tree(.snapshot([hci0: adapter(), "/org/bluez/hci1": adapter()]))
    #expect(twins.adapters.map(\.name) == ["hci0"])
    #expect(twins.adapters.first.flatMap { twins.path(of: $0.id) } == hci0)
  }

  @Test("a device with resolved services is connected, even if BlueZ has not signalled it")
  func resolved() {
    var tree = tree(
      .added(device, [Name.Interface.device: ["Connected": .bool(false), "ServicesResolved": .bool(false)]]),
      .changed(
        device, interface: Name.Interface.device, ["ServicesResolved": .bool(true)], invalidated: []))
    #expect(tree.device(device)?.flag("Connected") == true)
    tree.apply(
      .changed(
        device, interface: Name.Interface.device,
        ["Connected": .bool(false), "ServicesResolved": .bool(false)], invalidated: []))
    #expect(tree.device(device)?.flag("Connected") == false)
  }

  @Test(
    "the version is read from the modalias, two bytes in hex",
    arguments: [
      ("usb:v1D6Bp0246d0542", "BlueZ 5.66"), ("usb:v1d6bp0246d0537", "BlueZ 5.55"),
      ("usb:v1D6Bp0246d0600", "BlueZ 6.0"), ("usb:v1D6Bp0247d0542", nil), ("usb:v1D6Bp0246d05", nil),
      ("usb:v1D6Bp0246dXXYY", nil), ("", nil),
    ] as [(String, String?)])
  func version(modalias: String, version: String?) {
    #expect(
      tree(.snapshot([hci0: adapter("00:AA:01:00:00:42", ["Modalias": .string(modalias)])])).stackVersion
        == version)
  }

  @Test("properties change, and are removed when they are invalidated")
  func changes() {
    var tree = tree(
      .snapshot([device: [Name.Interface.device: ["RSSI": .int16(-60), "Name": .string("a")]]]))
    tree.apply(
      .changed(device, interface: Name.Interface.device, ["Name": .string("b")], invalidated: ["RSSI"]))
    #expect(tree.device(device) == ["Name": .string("b")])
  }

  @Test("a change of an unknown object has no effect")
  func unknown() {
    let change = ObjectTree.Change.changed(
      device, interface: Name.Interface.device, ["RSSI": .int16(-1)], invalidated: [])
    #expect(tree(change) == ObjectTree())
    // A late signal for a removed object must not create it again.
    #expect(
      tree(
        .added(device, [Name.Interface.device: [:]]), .removed(device, [Name.Interface.device]), change)
        == ObjectTree())
  }

  @Test("an object stays while it has an interface that is kept")
  func partial() {
    var tree = tree(.added(device, [Name.Interface.device: [:], "org.bluez.Battery1": [:]]))
    tree.apply(.removed(device, ["org.bluez.Battery1"]))
    #expect(tree.device(device) != nil)
    tree.apply(.added(hci0, ["org.bluez.Media1": [:]]))
    tree.apply(.removed(device, [Name.Interface.device]))
    #expect(tree == ObjectTree())
  }

  @Test("a snapshot replaces all objects, and the loss of the owner removes them")
  func replaced() {
    var tree = tree(.added(device, [Name.Interface.device: [:]]), .snapshot([hci0: adapter()]))
    #expect(tree.device(device) == nil)
    tree.apply(.ownerLost)
    #expect(tree == ObjectTree())
  }

  @Test("the characteristics of a service are ordered by handle, in whatever order they appeared")
  func service() {
    let service: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000000"
    func attribute(_ interface: InterfaceName, _ uuid: String) -> ObjectTree.Interfaces {
      [interface: ["UUID": .string(uuid)]]
    }
    let path = device.text + "/service000a"
    let tree = tree(
      .added(
        ObjectPath(path + "/char000d")!,
        attribute(Name.Interface.gattCharacteristic, "12345678-9abc-def0-1234-000000000002")),
      .added(ObjectPath(path)!, attribute(Name.Interface.gattService, service.description.lowercased())),
      .added(
        ObjectPath(path + "/char000b")!,
        attribute(Name.Interface.gattCharacteristic, "12345678-9abc-def0-1234-000000000001")),
      .added(ObjectPath(path + "/char000f")!, attribute(Name.Interface.gattCharacteristic, "no uuid")),
      .added(device, [Name.Interface.device: [:]]))
    let found = RemoteService(
      uuid: service,
      characteristics: [
        RemoteCharacteristic(uuid: "12345678-9ABC-DEF0-1234-000000000001", handle: path + "/char000b"),
        RemoteCharacteristic(uuid: "12345678-9ABC-DEF0-1234-000000000002", handle: path + "/char000d"),
      ])
    #expect(tree.service(service, requiring: [], of: device) == .complete(found))
    #expect(tree.service("180A", requiring: [], of: device) == .missing("180A"))
    #expect(tree.service(service, requiring: ["2A00"], of: device) == .missing("2A00"))
    let other: ObjectPath = "/org/bluez/hci1/dev_C4_7C_8D_00_00_01"
    #expect(tree.service(service, requiring: [], of: other) == .missing(service))
  }

  /// Only a uniquely identified characteristic may be written to.
  @Test(
    "an attribute that exists twice is ambiguous, and one that refers to another parent does not count"
  )
  func decoys() {
    let (service, wanted): (BluetoothUUID, BluetoothUUID) = ("180A", "2A24")
    func object(_ uuid: BluetoothUUID, _ interface: InterfaceName, _ owner: (String, ObjectPath)? = nil)
      -> ObjectTree.Interfaces
    {
      var properties: Properties = ["UUID": .string(uuid.description)]
      if let owner { properties[owner.0] = .objectPath(owner.1) }
      return [interface: properties]
    }
    func child(_ path: ObjectPath, _ name: String) -> ObjectPath { ObjectPath(path.text + "/" + name)! }
    let (first, second) = (child(device, "service0010"), child(device, "service0020"))
    let gattService = Name.Interface.gattService
    let gattCharacteristic = Name.Interface.gattCharacteristic
    var tree = tree(
      .added(device, [Name.Interface.device: [:]]),
      .added(first, object(service, gattService, ("Device", device))),
      .added(child(first, "char0011"), object(wanted, gattCharacteristic, ("Service", first))),
      // Its path is below this service, but it refers to the other one.
      .added(child(first, "char0013"), object(wanted, gattCharacteristic, ("Service", second))),
      // This service does not exist.
      .added(child(second, "char0021"), object(wanted, gattCharacteristic)))
    guard case .complete(let found) = tree.service(service, requiring: [wanted], of: device) else {
      Issue.record("not complete")
      return
    }
    #expect(found.characteristics.map(\.handle) == [child(first, "char0011").text])
    tree.apply(.added(child(first, "char0015"), object(wanted, gattCharacteristic)))
    #expect(tree.service(service, requiring: [wanted], of: device) == .ambiguous(wanted))
    #expect(tree.service(service, requiring: [], of: device) != .ambiguous(wanted))
    tree.apply(.added(second, object(service, gattService, ("Device", child(device, "x")))))
    #expect(tree.service(service, requiring: [], of: device) != .ambiguous(service))
    #expect(tree.services(of: device).count == 1)
    tree.apply(.added(second, object(service, gattService)))
    tree.apply(.added(child(device, "service0030"), object(service, gattService)))
    #expect(tree.service(service, requiring: [wanted], of: device) == .ambiguous(service))
  }

  @Test("a descriptor belongs to one characteristic")
  func descriptor() {
    let characteristic: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_01/service0010/char0011"
    func added(_ name: String, _ uuid: String, of owner: ObjectPath? = nil) -> ObjectTree.Change {
      var properties: Properties = ["UUID": .string(uuid)]
      if let owner { properties["Characteristic"] = .objectPath(owner) }
      return .added(
        ObjectPath(characteristic.text + "/" + name)!, [Name.Interface.gattDescriptor: properties])
    }
    let tree = tree(
      added("desc0012", "2902"), added("desc0013", "2901", of: device), added("desc0014", "2901"),
      added("desc0015", "2901", of: characteristic))
    #expect(tree.descriptor("2901", of: characteristic)?.lastElement == "desc0014")
    #expect(tree.descriptor("2902", of: characteristic)?.lastElement == "desc0012")
    #expect(tree.descriptor("2900", of: characteristic) == nil)
  }

  @Test("objects beyond the maximum are dropped, and changes of the others still count")
  func tooMany() {
    var tree = tree(.added(device, [Name.Interface.device: [:]]))
    for number in 0..<(ObjectTree.mostDevices + 10) {
      tree.apply(.added(ObjectPath("/org/bluez/hci0/dev_\(number)")!, [Name.Interface.device: [:]]))
    }
    #expect(tree.devices(under: hci0).count == 50_000)
    tree.apply(.changed(device, interface: Name.Interface.device, ["RSSI": .int16(-40)], invalidated: []))
    #expect(tree.device(device)?.number("RSSI") == -40)
  }

  @Test("a property that is not used, or that no device can have sent, is not taken")
  func unused() throws {
    func change(_ properties: [(String, DBusValue)]) throws -> ObjectTree.Change {
      try #require(
        ObjectTree.Change(
          Signal(
            path: device, interface: Name.Interface.properties, member: Name.Member.propertiesChanged,
            body: [.string(Name.Interface.device.text), .vardict(properties), .strings([])])))
    }
    let large = DBusValue.bytes([UInt8](repeating: 1, count: 1 << 20))
    let added = ObjectTree.Change(
      Signal(
        path: "/", interface: Name.Interface.objectManager, member: Name.Member.interfacesAdded,
        body: [
          .objectPath(device),
          .dictionary(
            key: "s", value: "a{sv}",
            [
              DBusEntry(
                .string(Name.Interface.device.text), .vardict([("Unknown", large), ("Name", .string("a"))]))
            ]),
        ]))
    #expect(added == .added(device, [Name.Interface.device: ["Name": .string("a")]]))
    var tree = tree(try #require(added))
    for number in 0..<1_000 { tree.apply(try change([("Unknown\(number)", large)])) }
    // The largest are kept: each part of a value counts as 32 bytes.
    let (text, texts) = (String(repeating: "a", count: 16_384), [String](repeating: "", count: 512))
    let data = DBusValue.dictionary(
      key: "q", value: "v", [DBusEntry(.uint16(76), .variant(.bytes([UInt8](repeating: 1, count: 16_352))))])
    #expect(
      try change([("Name", .string(text)), ("UUIDs", .strings(texts)), ("ManufacturerData", data)])
        == .changed(
          device, interface: Name.Interface.device,
          ["Name": .string(text), "UUIDs": .strings(texts), "ManufacturerData": data], invalidated: []))
    let tooLarge = DBusValue.dictionary(
      key: "q", value: "v", [DBusEntry(.uint16(76), .variant(.bytes([UInt8](repeating: 1, count: 16_353))))])
    #expect(
      try change([
        ("Name", .string(text + "a")), ("UUIDs", .strings(texts + [""])), ("ManufacturerData", tooLarge),
      ]) == .changed(device, interface: Name.Interface.device, [:], invalidated: []))
    let entry = DBusEntry(.uint16(76), .variant(large))
    let changed = try change([
      ("ManufacturerData", .dictionary(key: "q", value: "v", [entry])), ("RSSI", .int16(-40)),
      ("UUIDs", .strings(Array(repeating: "x", count: 100_000))),
    ])
    #expect(
      changed
        == .changed(device, interface: Name.Interface.device, ["RSSI": .int16(-40)], invalidated: []))
    tree.apply(changed)
    #expect(tree.device(device) == ["Name": .string("a"), "RSSI": .int16(-40)])
  }

  @Test("a malformed signal is ignored")
  func hostile() {
    let added = Name.Member.interfacesAdded
    let manager = Name.Interface.objectManager
    let bodies: [[DBusValue]] = [
      [], [.string("/x")], [.objectPath("/x"), .string("y")],
      [.objectPath("/x"), .vardict([("not a name", .int32(1))])],
      [.string("/x"), .dictionary(key: "s", value: "a{sv}", [])],
    ]
    for body in bodies {
      for (interface, member) in [
        (manager, added), (manager, Name.Member.interfacesRemoved),
        (Name.Interface.properties, Name.Member.propertiesChanged),
      ] {
        #expect(ObjectTree.Change(Signal(path: "/", interface: interface, member: member, body: body)) == nil)
      }
      #expect(ObjectTree.Change(managedObjects: body) == nil)
    }
    #expect(
      ObjectTree.Change(
        Signal(
          path: hci0, interface: Name.Interface.properties, member: Name.Member.propertiesChanged,
          body: [.string("!"), .vardict([]), .strings([])])) == nil)
    #expect(ObjectTree.Change(Signal(path: "/", interface: "a.b", member: added)) == nil)
  }
}
