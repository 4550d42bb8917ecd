import Bluetooth
import Engine
import Families
import Foundation
import Model
import SampleFacts
import Testing

@testable import Application

@Suite("presence tracks which devices are on air")
struct PresenceTests {
  private static let device = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  private static let adapter = AdapterID(BluetoothAddress(rawValue: 1))
  private static let other = BluetoothAddress(rawValue: 0xC47C_8D00_0002)

  private static func at(_ seconds: Double) -> MonotonicInstant { .init(sinceZero: .seconds(seconds)) }
  private static func wall(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  private static func advertisement(
    _ address: BluetoothAddress, at seconds: Double, rssi: Int? = -60, name: String? = "Robo Sensor"
  ) -> Advertisement {
    Advertisement(
      address: address, adapter: adapter, receivedAt: at(seconds),
      rssi: rssi,
      localName: name)
  }

  /// Departures and arrivals, by event and address.
  private static func words(_ changes: [Presence.Change]) -> [String] {
    changes.map {
      switch $0 {
      case .entered(let device): "enter \(device.address)"
      case .left(let device): "leave \(device.address)"
      }
    }
  }

  private var presence: Presence {
    var presence = Presence(
      AirLedger(families: FamilyCatalogue.builtIn), owners: nil, leaveAfter: .seconds(30))
    presence.scanBegan(on: Self.adapter, at: Self.at(0))
    return presence
  }

  @Test("a device enters once, leaves after the silence and enters again")
  func entersAndLeaves() {
    var presence = presence
    func receive(_ seconds: Double) -> Bool {
      presence.receive(Self.advertisement(Self.device, at: seconds), wall: Self.wall(seconds)) != nil
    }
    #expect(receive(1))
    #expect(!receive(5))
    #expect(presence.departures(at: Self.at(34.9)).isEmpty)
    let left = presence.departures(at: Self.at(35))
    #expect(Self.words(left) == ["leave \(Self.device)"])
    guard case .left(let device)? = left.first else { return }
    #expect(device.lastReceived == Self.wall(5) && device.rssi == -60)
    #expect(presence.departures(at: Self.at(90)).isEmpty, "once")
    #expect(receive(91))
  }

  @Test("time without a scanning adapter is not silence")
  func withoutScan() {
    var presence = presence
    _ = presence.receive(Self.advertisement(Self.device, at: 10), wall: Self.wall(10))
    presence.scanEnded(on: Self.adapter, at: Self.at(20))
    #expect(presence.departures(at: Self.at(5000)).isEmpty)
    presence.scanBegan(on: Self.adapter, at: Self.at(5000))
    #expect(presence.departures(at: Self.at(5019)).isEmpty, "10 s before, 19 s after")
    #expect(Self.words(presence.departures(at: Self.at(5020))) == ["leave \(Self.device)"])
  }

  @Test("the silence of a device counts by the scans of the adapter that received it last")
  func severalAdapters() {
    var presence = presence
    let second = AdapterID(BluetoothAddress(rawValue: 2))
    presence.scanBegan(on: second, at: Self.at(0))
    _ = presence.receive(Self.advertisement(Self.device, at: 10), wall: Self.wall(10))
    var moved = Self.advertisement(Self.other, at: 10)
    moved.adapter = second
    _ = presence.receive(moved, wall: Self.wall(10))
    presence.scanEnded(on: second, at: Self.at(20))
    #expect(Self.words(presence.departures(at: Self.at(100))) == ["leave \(Self.device)"])
    presence.scanBegan(on: second, at: Self.at(100))
    #expect(Self.words(presence.departures(at: Self.at(120))) == ["leave \(Self.other)"])
  }

  @Test("devices that leave at the same time are reported in order of address")
  func order() {
    var presence = presence
    for address in [Self.other, Self.device] {
      _ = presence.receive(Self.advertisement(address, at: 1), wall: Self.wall(1))
    }
    #expect(
      Self.words(presence.departures(at: Self.at(60))) == ["leave \(Self.device)", "leave \(Self.other)"])
  }

  @Test("a device of an unknown family is ignored unless it belongs to a room")
  func unknownFamily() {
    var presence = presence
    let phone = Self.advertisement(Self.other, at: 1, name: "Phone")
    #expect(presence.receive(phone, wall: Self.wall(1)) == nil)
    let room = Room(
      id: "a", name: "Room A", family: .roboSensor, address: Self.other,
      settings: [.roomName: .text("Room A"), .minor: .integer(1)], timeouts: StageTimeouts(), retries: 0)
    let building = Building(id: "house", name: "House", rooms: [room], families: FamilyCatalogue.builtIn)
    var known = Presence(
      Verification.ledger(for: [room], of: .builtIn), owners: DeviceOwners(building, .init()),
      leaveAfter: .seconds(30))
    known.scanBegan(on: Self.adapter, at: Self.at(0))
    guard case .entered(let device)? = known.receive(phone, wall: Self.wall(1)) else {
      Issue.record("no event for a device with a room's address")
      return
    }
    #expect(device.owner?.room == "a" && device.profile == nil && device.state == nil)
  }

  @Test("an advertisement without RSSI keeps the last RSSI")
  func rssi() {
    var presence = presence
    _ = presence.receive(Self.advertisement(Self.device, at: 1), wall: Self.wall(1))
    _ = presence.receive(Self.advertisement(Self.device, at: 2, rssi: nil), wall: Self.wall(2))
    guard case .left(let device)? = presence.departures(at: Self.at(60)).first else {
      Issue.record("no event for a device that has left")
      return
    }
    #expect(device.rssi == -60 && device.lastReceived == Self.wall(2))
  }
}
