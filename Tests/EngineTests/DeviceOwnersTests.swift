import Bluetooth
import Families
import Foundation
import Model
import SampleFacts
import Testing

@testable import Engine

@Suite("room of a device")
struct DeviceOwnersTests {
  private static let own = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  private static let recorded = BluetoothAddress(rawValue: 0xC47C_8D00_0002)
  private static let moved = BluetoothAddress(rawValue: 0xC47C_8D00_0003)
  private static let walled = BluetoothAddress(rawValue: 0xC47C_8D00_0005)
  private static let seen = BluetoothAddress(rawValue: 0xC47C_8D00_0004)
  private static let stranger = BluetoothAddress(rawValue: 0xC47C_8D00_0009)

  private static func room(_ id: RoomID, minor: Int, _ address: BluetoothAddress? = nil) -> Room {
    Room(
      id: id, name: "Room \(id)", family: .roboSensor, address: address,
      settings: [.roomName: .text("Room \(id)"), .minor: .integer(minor)], timeouts: StageTimeouts(),
      retries: 0)
  }

  private static let building = Building(
    id: "house", name: "House", rooms: [room("a", minor: 1, own), room("b", minor: 2), room("c", minor: 3)],
    families: FamilyCatalogue.builtIn)

  private static func beacon(_ minor: UInt16) -> IBeacon {
    IBeacon(
      uuid: RoboSensor.FactoryBeacon.uuid, major: RoboSensor.FactoryBeacon.major, minor: minor,
      measuredPower: -59)
  }

  private static var lastKnown: LastKnownBuilding {
    var b = LastKnownRoom(name: "Old name", profile: "robo-sensor")
    b.bindings = [Binding(address: recorded, basis: .address, run: "r", at: Date(timeIntervalSince1970: 0))]
    var gone = LastKnownRoom(name: "Room 900", profile: "robo-sensor")
    gone.bindings = [Binding(address: moved, basis: .address, run: "r", at: Date(timeIntervalSince1970: 0))]
    var retired = gone
    let then = Date(timeIntervalSince1970: 0)
    retired.bindings = [Binding(address: walled, basis: .address, run: "r", at: then)]
    retired.retirement = RoomRetirement(reason: "walled up", recorded: RecordedAt(run: "r", at: then))
    return LastKnownBuilding(
      rooms: ["b": b, "gone": gone, "merged": gone, "retired": retired],
      retired: [stranger: Retirement(room: "c", reason: nil, at: Date(timeIntervalSince1970: 0))])
  }

  private let owners = DeviceOwners(Self.building, Self.lastKnown)

  @Test(
    "a device belongs to the room of the manifest, of the record, of its retirement, or of its beacon")
  func order() {
    func owner(_ address: BluetoothAddress, _ minor: UInt16? = nil) -> DeviceOwners.Owner? {
      owners.owner(of: address, sending: minor.map { .sensor($0) })
    }
    #expect(owner(Self.own, 2) == .init(room: "a", name: "Room a", basis: .manifest))
    #expect(
      owner(Self.recorded, 3) == .init(room: "b", name: "Room b", basis: .record), "the manifest's name")
    #expect(owner(Self.moved) == .init(room: "gone", name: "Room 900", basis: .record), "the first by id")
    #expect(owner(Self.walled) == nil, "its room is retired")
    #expect(owner(Self.stranger, 1) == .init(room: "c", name: "Room c", basis: .retired))
    let other = BluetoothAddress(rawValue: 0xC47C_8D00_0077)
    #expect(owner(other, 3) == .init(room: "c", name: "Room c", basis: .identity))
    #expect(owner(other, 4) == nil)
    #expect(owner(other) == nil)
  }

  @Test("the address in the manifest outranks a record that has the device in another room")
  func conflict() {
    var other = LastKnownRoom(name: "Room b", profile: "robo-sensor")
    other.bindings = [
      Binding(address: Self.own, basis: .address, run: "r", at: Date(timeIntervalSince1970: 0))
    ]
    let owners = DeviceOwners(Self.building, LastKnownBuilding(rooms: ["b": other]))
    #expect(owners.owner(of: Self.own, sending: nil)?.room == "a")
    #expect(owners.addresses(of: "b").isEmpty)
  }

  @Test("devices of no room come first, the strongest at the top; then rooms in the manifest's order")
  func sorted() {
    var air = AirLedger(families: FamilyCatalogue.builtIn)
    let now = MonotonicInstant(sinceZero: .seconds(1))
    let adapter = AdapterID(BluetoothAddress(rawValue: 1))
    let free = [BluetoothAddress(rawValue: 0xA0), BluetoothAddress(rawValue: 0xA1)]
    for (address, rssi) in [
      (Self.recorded, -40), (Self.moved, -41), (Self.own, -42), (free[0], -80), (free[1], -60),
    ] {
      _ = air.receive(
        Advertisement(
          address: address, adapter: adapter, receivedAt: now, rssi: rssi, localName: RoboSensor.localName))
    }
    #expect(
      owners.sorted(air.all).map(\.address) == [free[1], free[0], Self.own, Self.recorded, Self.moved])
  }

  @Test("a device that sent its proof from another address is the room's there, too, and only that device")
  func proofElsewhere() {
    func owners(written: BluetoothAddress) -> DeviceOwners {
      var lastKnown = Self.lastKnown
      lastKnown.rooms["b"]?.lastWrite = LastWrite(
        address: written,
        state: .proved(Evidence(grade: .freshBeacon, address: Self.seen, identity: .sensor(2))),
        settings: [], identity: .sensor(2), sealKey: nil, run: "r", at: Date(timeIntervalSince1970: 0))
      return DeviceOwners(Self.building, lastKnown)
    }
    #expect(owners(written: Self.recorded).addresses(of: "b") == [Self.recorded, Self.seen])
    #expect(owners(written: Self.recorded).owner(of: Self.seen, sending: nil)?.basis == .record)
    #expect(owners(written: Self.own).addresses(of: "b") == [Self.recorded], "another device was written")
  }

  @Test("a room has the addresses of manifest and record, and the identity that its device sends")
  func rooms() {
    #expect(owners.addresses(of: "a") == [Self.own])
    #expect(owners.addresses(of: "b") == [Self.recorded])
    #expect(owners.addresses(of: "c").isEmpty, "a retired device is no room's")
    #expect(owners.identity(of: "c")?.minor == 3)
    #expect(owners.identity(of: "gone") == nil)
  }
}
