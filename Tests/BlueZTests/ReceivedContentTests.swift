import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Applies signals to one device object, as BlueZ would send them.
private final class Object {
  private var advertisement: ReceivedContent
  private var properties: Properties

  /// An object that existed before.
  convenience init(remembered properties: Properties) {
    self.init(.remembered, properties)
  }

  private init(_ advertisement: ReceivedContent, _ properties: Properties) {
    self.advertisement = advertisement
    self.properties = properties
  }

  /// An object that a report has just created.
  static func created(_ properties: Properties) -> (object: Object, sighting: ReceivedContent.Sighting?) {
    let (advertisement, sighting) = ReceivedContent.created(properties)
    return (Object(advertisement, properties), sighting)
  }

  func copy() -> Object { Object(advertisement, properties) }

  /// Whether its content is certain.
  var isCertain: Bool { advertisement.isCertain }

  /// - Parameter repeatsData: Whether this client's discovery runs.
  func signal(_ changed: Properties, repeatsData: Bool = true) -> ReceivedContent.Sighting? {
    properties.merge(changed) { $1 }
    return advertisement.take(changed, device: properties, repeatsData: repeatsData)
  }

  func stopDiscovery() -> ReceivedContent.Sighting? {
    properties["RSSI"] = nil
    return advertisement.take([:], device: properties, repeatsData: true)
  }
}

@Suite("The received content of a device's advertisements")
struct ReceivedContentTests {
  static let beacon = IBeacon(
    uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 1, minor: 7, measuredPower: -59)
  let name = Properties.init(dictionaryLiteral: ("Name", .string("Robo Sensor")))
  let rssi: Properties = ["RSSI": .int16(-60)]
  let data = Self.manufacturerData(IBeacon.company, Self.beacon.manufacturerData)

  static func manufacturerData(_ company: UInt16, _ bytes: [UInt8]) -> Properties {
    let entry = DBusEntry(.uint16(company), .variant(.bytes(bytes)))
    return ["ManufacturerData": .dictionary(key: "q", value: "v", [entry])]
  }

  static func serviceData(_ uuid: String, _ bytes: [UInt8]) -> Properties {
    ["ServiceData": .vardict([(uuid, .bytes(bytes))])]
  }

  @Test("a new object has the content of its report")
  func newObject() throws {
    let uuids: Properties = ["UUIDs": .strings(["0000180a-0000-1000-8000-00805f9b34fb", "nonsense"])]
    let properties = [rssi, name, uuids, Self.serviceData("4677", [1, 2])].reduce(into: Properties()) {
      $0 += $1
    }
    let sighting = try #require(Object.created(properties).sighting)
    #expect(sighting.rssi == -60)
    #expect(sighting.payload.localName == "Robo Sensor")
    #expect(sighting.payload.serviceUUIDs == ["180A"])
    #expect(sighting.payload.serviceData == ["4677": [1, 2]])
    #expect(!sighting.wantsCleanSlate)
  }

  @Test("an object from storage, without RSSI, reports nothing")
  func stored() {
    #expect(Object.created(name).sighting == nil)
  }

  @Test("further reports of a named object have the name, which BlueZ does not repeat")
  func further() throws {
    let object = Object.created(name + rssi).object
    let sighting = try #require(object.signal(["RSSI": .int16(-71)]))
    #expect(
      sighting
        == ReceivedContent.Sighting(
          rssi: -71, payload: .init(localName: "Robo Sensor"), wantsCleanSlate: false))
  }

  @Test("the services of the last report stay, and those that a connection finds are none of it")
  func services() throws {
    func services(_ uuid: String) -> Properties { ["UUIDs": .strings([uuid])] }
    let object = Object.created(name + rssi + services("180A")).object
    #expect(object.signal(rssi)?.payload.serviceUUIDs == ["180A"])
    #expect(object.signal(rssi + services("180F"))?.payload.serviceUUIDs == ["180F"])
    _ = object.signal(["Connected": .bool(true)])
    #expect(object.signal(rssi + services("1801"))?.payload.serviceUUIDs == ["180F"])
  }

  @Test("a new name alone is a report of a device that is received")
  func nameOnly() {
    let new: Properties = ["Name": .string("New")]
    #expect(Object.created(name + rssi).object.signal(new)?.payload.localName == "New")
    #expect(Object(remembered: name).signal(new) == nil)
  }

  @Test("what no advertisement can have is left out")
  func longest() throws {
    for (length, isKept) in [(1650, true), (1651, false)] {
      let (text, bytes) = (String(repeating: "a", count: length), [UInt8](repeating: 1, count: length))
      let content = Self.manufacturerData(0x0059, bytes) + Self.serviceData("4677", bytes)
      let payload = try #require(
        Object.created(rssi + ["Name": .string(text)] + content).sighting?.payload)
      #expect((payload.localName == text) == isKept)
      #expect((payload.manufacturerData == [0x0059: bytes]) == isKept)
      #expect((payload.serviceData == ["4677": bytes]) == isKept)
    }
    let uuids = (0x1000..<0x1400).map { String($0, radix: 16, uppercase: true) }
    let services = try #require(
      Object.created(rssi + ["UUIDs": .strings(uuids)]).sighting?.payload.serviceUUIDs)
    #expect(services.count == 825 && services.first == "1000")
  }

  @Test("a sensor that has become a beacon is reported as a beacon without its old name")
  func stale() throws {
    let object = Object.created(name + rssi).object
    let sighting = try #require(object.signal(data + rssi))
    #expect(sighting.payload.localName == nil)
    #expect(
      sighting.payload.manufacturerData[IBeacon.company].flatMap(IBeacon.init(manufacturerData:))
        == Self.beacon)
    #expect(!sighting.wantsCleanSlate)
    #expect(try #require(object.signal(data + rssi)).payload == sighting.payload)
  }

  @Test("a beacon whose reports lack the beacon is in doubt until a new object shows its content")
  func inDoubt() throws {
    let object = Object.created(data + rssi).object
    for _ in 0..<2 {
      #expect(
        object.signal(rssi) == ReceivedContent.Sighting(rssi: -60, payload: .init(), wantsCleanSlate: true))
    }
    // It was a beacon all the time, and its report was split in two.
    let same = object.copy()
    let again = try #require(same.signal(data + rssi))
    #expect(again.payload.manufacturerData[IBeacon.company] == Self.beacon.manufacturerData)
    #expect(!again.wantsCleanSlate)
    // Or it has another name.
    let renamed = try #require(object.signal(rssi + ["Name": .string("New")]))
    #expect(
      renamed == ReceivedContent.Sighting(rssi: -60, payload: .init(localName: "New"), wantsCleanSlate: false)
    )
  }

  @Test("during other clients' scans a report without data changes nothing, and new data counts")
  func foreignScan() throws {
    let object = Object.created(data + rssi).object
    let silent = try #require(object.signal(rssi, repeatsData: false))
    #expect(silent == ReceivedContent.Sighting(rssi: -60, payload: .init(), wantsCleanSlate: false))
    #expect(object.isCertain)
    let other = Self.manufacturerData(0x0059, [2])
    let changed = try #require(object.signal(other + rssi, repeatsData: false))
    #expect(changed.payload.manufacturerData == [0x0059: [2]])
    // During this client's scan the same report is complete, and its content known.
    #expect(try #require(object.signal(other + rssi)).payload == changed.payload)
  }

  @Test("content is certain only if it was observed and not contradicted since")
  func certainty() {
    let object = Object(remembered: name + data)
    #expect(!object.isCertain)
    _ = object.signal(rssi)
    #expect(!object.isCertain)
    _ = object.signal(data + rssi)
    #expect(object.isCertain)
    _ = object.signal(rssi)
    #expect(!object.isCertain)
    #expect(Object.created(name + rssi).object.isCertain)
    #expect(!Object.created(name).object.isCertain)
  }

  @Test("an object that existed before reports only its RSSI until something new is signalled")
  func remembered() throws {
    let object = Object(remembered: name + data)
    #expect(
      object.signal(rssi) == ReceivedContent.Sighting(rssi: -60, payload: .init(), wantsCleanSlate: true))
    let fresh = try #require(object.signal(data + rssi))
    #expect(fresh.payload.localName == nil)
    #expect(fresh.payload.manufacturerData[IBeacon.company] == Self.beacon.manufacturerData)
  }

  @Test("content that was certain at the end of one discovery is certain in the next")
  func pause() throws {
    let object = Object.created(name + rssi).object
    #expect(object.stopDiscovery() == nil)
    #expect(try #require(object.signal(rssi)).payload.localName == "Robo Sensor")
  }

  @Test("the name of a new iBeacon is ignored, because it comes from BlueZ's cache")
  func cachedName() throws {
    let sighting = try #require(Object.created(name + data + rssi).sighting)
    #expect(sighting.payload.localName == nil)
    #expect(!sighting.payload.manufacturerData.isEmpty)
  }

  @Test("a name that is received with data stays with data of the same company")
  func together() throws {
    let other = Self.manufacturerData(0x0059, [1])
    let object = Object.created(name + other + rssi).object
    let next = try #require(object.signal(Self.manufacturerData(0x0059, [2]) + rssi))
    #expect(next.payload.localName == "Robo Sensor")
    #expect(next.payload.manufacturerData == [0x0059: [2]])
    #expect(try #require(object.signal(data + rssi)).payload.localName == nil)
    let sensor = Object.created(name + Self.serviceData("4677", [1]) + rssi).object
    #expect(sensor.signal(Self.serviceData("4677", [2]))?.payload.localName == "Robo Sensor")
    #expect(sensor.signal(Self.serviceData("FCD2", [2])).map(\.payload.localName) == .some(nil))
  }

  @Test("data without RSSI is a report whose RSSI has hardly changed")
  func sameStrength() throws {
    let object = Object.created(name + rssi).object
    #expect(try #require(object.signal(data)).rssi == -60)
  }

  @Test(
    "a change that comes from a connection is not a report",
    arguments: [
      ["Connected": .bool(true)], ["Connected": .bool(true), "Name": .string("GAP name")],
      ["ServicesResolved": .bool(true)], ["UUIDs": .strings(["180A"])], ["Paired": .bool(true)], [:],
    ] as [Properties])
  func connection(changed: Properties) throws {
    let object = Object.created(name + rssi).object
    #expect(object.signal(changed) == nil)
    _ = object.signal(["Connected": .bool(false)])
    let next = try #require(object.signal(rssi))
    #expect(next.payload == .init(localName: "Robo Sensor"))
  }

  @Test("values of the wrong type are ignored")
  func hostile() throws {
    let sighting = try #require(
      Object.created(
        rssi + ["Name": .int32(1), "UUIDs": .string("x"), "ManufacturerData": .vardict([("a", .bool(true))])]
      )
      .sighting)
    #expect(sighting.payload == .init())
  }
}

private func + (a: Properties, b: Properties) -> Properties { a.merging(b) { $1 } }

private func += (a: inout Properties, b: Properties) { a.merge(b) { $1 } }
