import Bluetooth
import Foundation
import SampleFacts
import Testing

@testable import Engine
@testable import Families
@testable import Model

@Suite("planned settings compared with the record") struct PlannedSettingTests {
  private static let seal = seal("k1")
  private static let then = Date(timeIntervalSince1970: 1_795_000_000)

  private static func seal(_ key: String) -> SecretSeal {
    SecretSeal(key: key) { text in "\(key)(\(text))" }
  }

  /// The last write to device 1 for a room.
  private static func lastKnown(
    _ room: Room, sealedBy seal: SecretSeal? = seal, states: SettingState = .written, at time: Date = then
  ) -> LastKnownRoom {
    var lastKnown = LastKnownRoom(name: room.name, profile: room.family.id)
    lastKnown.lastWrite = LastWrite(
      address: Sample.address(1), state: .submitted, settings: room.settingResults(seal) { _ in states },
      identity: room.identity, sealKey: seal?.key, run: "run-1", at: time)
    return lastKnown
  }

  /// The planned settings of a room whose device, 1, is in provisioning mode.
  private static func settings(
    of room: Room, _ rooms: [RoomID: LastKnownRoom], seal: SecretSeal? = seal
  ) -> [String] {
    let known = Known(lastKnown: LastKnownBuilding(rooms: rooms), seal: seal)
    let plan = ApplyPlan(request(room, known), [room.id: .device(Sample.address(1), .address)])
    let settings = plan.rooms[0].settings ?? []
    return settings.map { setting -> String in
      let parts: [String?] = [
        setting.name.rawValue, setting.recorded, setting.value, setting.change?.rawValue,
      ]
      return parts.compactMap(\.self).joined(separator: " ")
    }
  }

  private static func request(_ room: Room, _ known: Known = Known()) -> ApplyRequest {
    ApplyRequest(
      building: Sample.building([room]), known: known, runID: "run-2", toolVersion: "", host: "",
      manifestPath: "", manifestSHA256: "", isSimulated: true)
  }

  private static func changed(_ room: Room, minor: Int = 7, ssid: String = "Plant", password: String) -> Room
  {
    var room = room
    room.settings[.minor] = .integer(minor)
    room.settings[.wifiSSID] = .text(ssid)
    room.settings[.wifiPassword] = .secret(Secret(password))
    return room
  }

  @Test("every setting of a device that was never written is new")
  func new() {
    #expect(
      Self.settings(of: Sample.room(7, address: 1), [:]) == [
        "wifi_ssid Plant set", "wifi_password set", "room_name Room 7 set", "minor 7 set",
      ])
  }

  @Test("the settings of a written device are changed or unchanged")
  func written() {
    let room = Sample.room(7, address: 1)
    let rooms = [room.id: Self.lastKnown(room)]
    #expect(
      Self.settings(of: Self.changed(room, minor: 302, password: "correct horse"), rooms) == [
        "wifi_ssid Plant Plant unchanged", "wifi_password unchanged",
        "room_name Room 7 Room 7 unchanged", "minor 7 302 changed",
      ])
    #expect(
      Self.settings(of: Self.changed(room, ssid: "Guests", password: "wrong horse"), rooms) == [
        "wifi_ssid Plant Guests changed", "wifi_password changed",
        "room_name Room 7 Room 7 unchanged", "minor 7 7 unchanged",
      ])
  }

  @Test(
    "a password that cannot be compared has no change",
    arguments: [(nil, "k1"), ("k1", nil), ("k2", "k1")] as [(String?, String?)])
  func otherKeys(_ then: String?, _ now: String?) {
    let room = Sample.room(7, address: 1)
    let rooms = [room.id: Self.lastKnown(room, sealedBy: then.map { Self.seal($0) })]
    #expect(Self.settings(of: room, rooms, seal: now.map { Self.seal($0) }).contains("wifi_password"))
  }

  @Test("a setting that was intended and never confirmed has no recorded value, a confirmed one has")
  func unconfirmed() {
    let room = Sample.room(7, address: 1)
    var lastKnown = Self.lastKnown(room, states: .notWritten)
    lastKnown.lastWrite?.settingsRecorded[.minor] = RecordedAt(run: "run-1", at: Self.then)
    #expect(
      Self.settings(of: Self.changed(room, minor: 302, password: "correct horse"), [room.id: lastKnown]) == [
        "wifi_ssid Plant", "wifi_password", "room_name Room 7", "minor 7 302 changed",
      ])
  }

  @Test("a device that another room had is compared with that room's settings, without the password")
  func otherRoom() {
    let room = Sample.room(7, address: 1)
    let other = Sample.room(9)
    let expected = [
      "wifi_ssid Plant Plant unchanged", "wifi_password", "room_name Room 9 Room 7 changed",
      "minor 9 7 changed",
    ]
    #expect(Self.settings(of: room, [other.id: Self.lastKnown(other)]) == expected)
    // In merged records, the newest write counts.
    let later = Self.lastKnown(other, at: Self.then + 60)
    #expect(Self.settings(of: room, [room.id: Self.lastKnown(room), other.id: later]) == expected)
  }

  @Test("only rooms whose device is written have planned settings")
  func writtenOnly() {
    let room = Sample.room(7, address: 1)
    let others: [Match?] = [.stopped(.pending, .noCandidate()), .awaited, nil]
    for match in others {
      let matches: [RoomID: Match] = match.map { [room.id: $0] } ?? [:]
      #expect(ApplyPlan(Self.request(room), matches).rooms[0].settings == nil)
    }
  }
}
