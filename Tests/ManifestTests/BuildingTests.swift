import Bluetooth
import Families
import Foundation
import Manifest
import Model
import SampleFacts
import Testing

@Suite("Manifests that are valid")
struct BuildingTests {
  private func building(_ text: String) throws -> Building {
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    return try #require(reading.building, "\(reading.rendered)")
  }

  private func room(_ keys: String, top: String = "") throws -> Room {
    let text = "building: B\n\(top)\nrooms:\n  - { room: R, minor: 1, address: C4:7C:8D:00:00:01, \(keys) }\n"
    return try #require(try building(text).rooms.first)
  }

  @Test("a manifest with every key gives the complete building")
  func everything() throws {
    let building = try building(
      """
      building: Harbour House
      id: harbour-1
      wifi:
        guests: { ssid: "Harbour Guests", password: "correct horse" }
        iot: { ssid: Plant }
      defaults:
        profile: robo-sensor
        wifi: guests
        retries: 3
        timeouts: { connect: 20s, write: 500ms }
      match: any
      rooms:
        - room: Lobby
          id: entrance
          minor: 101
          address: c4-7c-8d-00-00-01
          retries: 0
          timeouts: { write: 2m }
        - { room: Café Zürich, minor: "0", wifi: iot }
        - { room: Store, minor: 65535, wifi: none }
        - { room: Attic, minor: 7, wifi: { ssid: Roof, password: '12345678' } }
      """)
    #expect(building.name == "Harbour House")
    #expect(building.id == "harbour-1")
    #expect(building.assignment == .any)
    #expect(building.rooms.map(\.id) == ["entrance", "cafe-zurich", "store", "attic"])
    #expect(building.rooms.map(\.minor) == [101, 0, 65535, 7])
    #expect(building.rooms.map(\.retries) == [0, 3, 3, 3])

    let lobby = building.rooms[0]
    #expect(lobby.address == BluetoothAddress("C4:7C:8D:00:00:01"))
    #expect(lobby.settings[.roomName] == .text("Lobby"))
    #expect(lobby.settings[.wifiSSID] == .text("Harbour Guests"))
    #expect(lobby.settings[.wifiPassword] == .secret(Secret("correct horse")))
    #expect(lobby.timeouts.connect == .seconds(20))
    #expect(lobby.timeouts.write == .seconds(120))
    #expect(lobby.timeouts.discover == StageTimeouts().discover)

    #expect(building.rooms[1].settings[.wifiPassword] == .secret(Secret("")))
    #expect(building.rooms[2].settings[.wifiSSID] == nil)
    #expect(building.rooms[2].settings[.wifiPassword] == nil)
    #expect(building.rooms[3].settings[.wifiSSID] == .text("Roof"))
  }

  @Test("a minimal manifest assigns by address and derives ids from names")
  func least() throws {
    let building = try building(
      "building: Haus Ö 7\nwifi:\ndefaults:\nrooms: [{ room: Flur, minor: 1, address: C4:7C:8D:00:00:01 }]")
    #expect(building.id == "haus-o-7")
    #expect(building.assignment == .address)
    #expect(building.rooms.first?.retries == 2)
    #expect(building.rooms.first?.timeouts == StageTimeouts())
    #expect(building.rooms.first?.settings[.wifiSSID] == nil)
  }

  @Test(
    "a password is its text, even if it looks like another type",
    arguments: [
      "12345678", "01234567", "1234e567", "0x123456", "~~~~~~~~", "yes-no-on", "2026-01-01", "'null    '",
    ])
  func passwordText(written: String) throws {
    let room = try room("wifi: { ssid: on, password: \(written) }")
    #expect(room.settings[.wifiSSID] == .text("on"))
    #expect(
      room.settings[.wifiPassword] == .secret(Secret(written.replacing("'", with: ""))))
  }

  @Test(
    "a password of 8 to 63 bytes or 64 hex digits is valid",
    arguments: [
      String(repeating: "x", count: 8), String(repeating: "x", count: 63), String(repeating: "aF", count: 32),
      "éééé",
    ])
  func passwordLength(password: String) throws {
    let room = try room("wifi: { ssid: a, password: \(password) }")
    #expect(room.settings[.wifiPassword] == .secret(Secret(password)))
  }

  @Test("an SSID of 32 bytes is valid")
  func ssidLength() throws {
    let ssid = String(repeating: "é", count: 16)
    #expect(try room("wifi: { ssid: \(ssid) }").settings[.wifiSSID] == .text(ssid))
  }

  @Test(
    "a network may hide its name",
    arguments: [("", false), (", hidden: true", true), (", hidden: false", false)])
  func hiddenNetwork(key: String, isHidden: Bool) throws {
    let room = try room("wifi_check: true, wifi: { ssid: Quiet\(key) }")
    #expect(room.isNetworkHidden == isHidden && room.checksWiFi)
  }

  @Test("a manifest with CR LF and a byte order mark gives the same building as with LF")
  func lineEnds() throws {
    let text = "building: B\nrooms:\n  - room: R\n    minor: 1\n    address: C4:7C:8D:00:00:01\n"
    #expect(try building(text) == building("\u{FEFF}" + text.replacing("\n", with: "\r\n")))
  }

  @Test("anchors and aliases are expanded")
  func aliases() throws {
    let text = """
      building: B
      rooms:
        - { room: R1, minor: 1, address: C4:7C:8D:00:00:01, timeouts: &slow { connect: 60s } }
        - { room: R2, minor: 2, address: C4:7C:8D:00:00:02, timeouts: *slow }
      """
    #expect(try building(text).rooms.map(\.timeouts.connect) == [.seconds(60), .seconds(60)])
  }

  @Test(
    "the manifests of the repository are valid",
    arguments: ["demo-building.yaml", "example-building.yaml", "mixed-building.yaml"])
  func shipped(name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let bytes = try Data(contentsOf: root.appending(path: "manifests/\(name)"))
    let reading = readManifest(Array(bytes), file: name, families: .builtIn)
    #expect(reading.rendered == "")
    #expect(reading.building?.rooms.isEmpty == false)
  }

  @Test("a manifest of ten thousand rooms is valid")
  func large() throws {
    let rooms = (0..<10_000).map { number in
      let address = BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
      return "  - { room: Raum \(number) é, minor: \(number), address: \"\(address)\", wifi: guests }\n"
    }
    let wifi = "wifi: { guests: { ssid: Guests, password: correct horse } }\n"
    #expect(try building("building: Tower\n\(wifi)rooms:\n\(rooms.joined())").rooms.count == 10_000)
  }

  @Test("adapters have their slots, and rooms their adapter")
  func adapters() throws {
    let building = try building(
      """
      building: B
      adapters:
        hci0: { slots: 7 }
        00:1A:7D:DA:71:13: { slots: 1 }
      rooms:
        - { room: R, minor: 1, near: hci0 }
        - { room: S, minor: 2, near: 00:1a:7d:da:71:13 }
        - { room: T, minor: 3, address: C4:7C:8D:00:00:03 }
      """)
    #expect(
      building.adapters == [
        AdapterDescription("hci0", slots: 7), AdapterDescription("00:1A:7D:DA:71:13", slots: 1),
      ])
    #expect(building.rooms.map(\.near) == ["hci0", "00:1A:7D:DA:71:13", nil])
    #expect(building.rooms.map(\.address?.description) == [nil, nil, "C4:7C:8D:00:00:03"])
  }

  @Test("hosts have their destination, and adapters and rooms their host")
  func hosts() throws {
    let building = try building(
      """
      building: B
      hosts:
        floor-3: { ssh: pi@gw3.example }
        floor-4: { ssh: gw4, adapters: [hci0, 00:1a:7d:da:71:14], floors: [4, Roof] }
        floor-5: { ssh: "ssh://pi@gw5:2222", adapters: hci255, floors: Roof }
      adapters:
        floor-3/hci1: { slots: 7 }
        lift: { address: floor-4/00-1A-7D-DA-71-14, place: by the lift }
      rooms:
        - { room: R, minor: 1, near: floor-3, floor: 4 }
        - { room: S, minor: 2, near: floor-3/hci1, floor: Roof }
        - { room: T, minor: 3, near: lift }
        - { room: U, minor: 4, near: floor-5/001a7dda7113 }
      """)
    func name(_ text: String) throws -> HostName { try #require(HostName(text)) }
    #expect(
      building.hosts == [
        HostDescription(try name("floor-3"), ssh: "pi@gw3.example"),
        HostDescription(
          try name("floor-4"), ssh: "gw4", adapters: ["floor-4/hci0", "floor-4/00:1A:7D:DA:71:14"],
          floors: ["4", "Roof"]),
        HostDescription(
          try name("floor-5"), ssh: "ssh://pi@gw5:2222", adapters: ["floor-5/hci255"], floors: ["Roof"]),
      ])
    #expect(
      building.adapters == [
        AdapterDescription("floor-3/hci1", slots: 7),
        AdapterDescription("floor-4/00:1A:7D:DA:71:14", alias: "lift", place: "by the lift"),
      ])
    #expect(
      building.rooms.map(\.near) == [
        "floor-3", "floor-3/hci1", "floor-4/00:1A:7D:DA:71:14", "floor-5/00:1A:7D:DA:71:13",
      ])
  }

  @Test("`near` beside an address has no effect and is a warning")
  func nearAndAddress() throws {
    let text = "building: B\nrooms: [{ room: R, minor: 1, address: C4:7C:8D:00:00:01, near: hci0 }]\n"
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.building?.rooms.first?.near == "hci0")
    #expect(reading.diagnostics.map(\.message) == ["`near` has no effect in a room with an address"])
  }
}
