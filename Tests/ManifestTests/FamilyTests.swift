import Bluetooth
import Families
import Manifest
import MarkedText
import Model
import SampleFacts
import Session
import Source
import Testing
import YAML

/// A manifest with warnings only: its building and the warnings.
private func warnings(_ text: String) throws -> (Building, [Diagnostic], MarkedText) {
  let marked = MarkedText(text)
  let reading = readManifest(marked.bytes, file: "b.yaml", families: .builtIn)
  #expect(reading.diagnostics.allSatisfy { $0.severity == .warning }, "\(reading.rendered)")
  return (try #require(reading.building, "\(reading.rendered)"), reading.diagnostics, marked)
}

/// A manifest of beacons with these defaults and rooms.
private func beacons(_ defaults: String, _ rooms: [String], top: String = "") -> String {
  """
  building: B
  \(top)
  defaults: { profile: iot-design-shop, \(defaults) }
  match: any
  rooms:
  \(rooms.map { "  - { \($0) }" }.joined(separator: "\n"))

  """
}

private let uuid = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"

@Suite("Rooms of several device families")
struct FamilyTests {
  private func building(_ text: String) throws -> Building {
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.rendered == "")
    return try #require(reading.building, "\(reading.rendered)")
  }

  @Test("rooms take the settings of their family, from the room or from `defaults`")
  func mixed() throws {
    let building = try building(
      """
      building: Harbour House
      wifi: { guests: { ssid: Guests, password: correct horse } }
      defaults:
        wifi: guests
        uuid: \(uuid)
        major: 7
        power: medium
        interval: 500ms
      rooms:
        - { room: Lobby, minor: 1, address: C4:7C:8D:00:00:01 }
        - { room: Stair, profile: iot-design-shop, minor: 1, address: C4:7C:8D:00:00:02 }
        - room: Roof
          profile: iot-design-shop
          uuid: 6c15c1b2-0000-4a0f-adf2-f4911ba9ffa6
          major: 8
          minor: 1
          power: 0 dBm
          interval: 1s
          address: C4:7C:8D:00:00:03
      """)
    let (lobby, stair, roof) = (building.rooms[0], building.rooms[1], building.rooms[2])
    #expect(lobby.family.id == "robo-sensor")
    #expect(Set(lobby.settings.keys) == [.roomName, .minor, .wifiSSID, .wifiPassword])
    #expect(
      stair.settings == [
        .uuid: .uuid(try #require(BluetoothUUID(uuid))), .major: .integer(7), .minor: .integer(1),
        .power: .text("medium"), .interval: .duration(.milliseconds(500)),
      ])
    #expect(
      roof.settings == [
        .uuid: .uuid("6C15C1B2-0000-4A0F-ADF2-F4911BA9FFA6"), .major: .integer(8), .minor: .integer(1),
        .power: .text("high"), .interval: .duration(.seconds(1)),
      ])
  }

  @Test("a beacon proves a room from its own address only, unless `proof` allows any address")
  func proof() throws {
    let (mixed, shared, marked) = try warnings(
      """
      building: B
      defaults: { proof: 1️⃣any_address }
      rooms:
        - { room: A, minor: 1, address: C4:7C:8D:00:00:01 }
        - { room: B, minor: 2, address: C4:7C:8D:00:00:02, proof: own_address }
        - { room: C, profile: firefly, control: 1, value: 1, range: 1, address: C4:7C:8D:00:00:03 }
        - { room: D, minor: 4, register: true, address: C4:7C:8D:00:00:04 }
      """)
    #expect(mixed.rooms.map(\.proofAddress) == [.any, .own, .own, .own])
    #expect(shared.map(\.code) == [.proofFromAnyAddress])
    #expect(shared.map(\.range.start) == [marked[1]])
    let (single, own, place) = try warnings(
      "building: B\nrooms: [{ room: A, minor: 1, address: C4:7C:8D:00:00:01, proof: 1️⃣any_address }]\n")
    #expect(single.rooms.map(\.proofAddress) == [.any])
    #expect(own.map(\.code) == [.proofFromAnyAddress])
    #expect(own.map(\.range.start) == [place[1]])
  }

  @Test("a floor takes over each default of the manifest that it does not set itself")
  func outerDefaults() throws {
    let (building, findings, _) = try warnings(
      """
      building: B
      match: any
      defaults: { proof: any_address, wifi_check: true, timeouts: { connect: 20s }, uuid: \(uuid), major: 7 }
      floors:
        - floor: 1
          rooms: [{ room: A, minor: 1 }, { room: B, profile: iot-design-shop, minor: 2 }]

      """)
    #expect(findings.map(\.code) == [.proofFromAnyAddress])
    let (first, second) = (building.rooms[0], building.rooms[1])
    #expect(first.proofAddress == .any && first.checksWiFi && first.timeouts.connect == .seconds(20))
    #expect(second.settings[.major] == .integer(7))
  }

  @Test("a setting that the manifest leaves out is not written")
  func optional() throws {
    let room = try #require(
      building(beacons("uuid: \(uuid), major: 1", ["room: R, minor: 1"])).rooms.first)
    #expect(Set(room.settings.keys) == [.uuid, .major, .minor])
    #expect(room.timeouts == StageTimeouts())
  }

  @Test(
    "a power is given by name or in dBm",
    arguments: ["medium", "-6", "-6 dBm", "-6dBm", "'-6 dBm'", "\"-6\""])
  func power(written: String) throws {
    let text = beacons("uuid: \(uuid), major: 1, power: \(written)", ["room: R, minor: 1"])
    #expect(try building(text).rooms.first?.settings[.power] == .text("medium"))
  }

  @Test(
    "a UUID is its text, even if other YAML readers read a number",
    arguments: [
      "12345678-1234-1234-1234-123456789012", "1E234454-0000-0000-0000-000000000000",
      "00000000-0000-0000-0000-000000000001", "'2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'",
    ])
  func uuidText(written: String) throws {
    let room = try #require(
      building(beacons("major: 1", ["room: R, minor: 1, uuid: \(written)"])).rooms.first)
    #expect(room.settings[.uuid]?.shown == written.replacing("'", with: "").uppercased())
  }

  @Test(
    "a timeout that the interval needs is not too short",
    arguments: [(0, []), (1, [.timeoutTooShort])] as [(Int, [DiagnosticCode])])
  func exactTimeout(missing: Int, findings: [DiagnosticCode]) throws {
    let usual = DeviceFamily.iotDesignShop.timeouts(for: [.interval: .duration(.seconds(10))])
    let connect = Int(usual[.connect] / .milliseconds(1)) - missing
    let text = beacons(
      "uuid: \(uuid), major: 1, interval: 10s, timeouts: { connect: \(connect)ms }", ["room: R, minor: 1"])
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(
      reading.diagnostics.map(\.code).filter { $0 == .timeoutTooShort } == findings, "\(reading.rendered)")
  }

  @Test("timeouts follow from the interval unless the manifest sets them")
  func timeouts() throws {
    // The interval gives a warning and is used.
    func timeouts(_ text: String) throws -> StageTimeouts {
      try #require(
        readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn).building?.rooms.first
      ).timeouts
    }
    let slow = try timeouts(beacons("uuid: \(uuid), major: 1, interval: 10s", ["room: R, minor: 1"]))
    #expect(slow == DeviceFamily.iotDesignShop.timeouts(for: [.interval: .duration(.seconds(10))]))
    #expect(slow.connect > StageTimeouts().connect)
    let own = try timeouts(
      beacons(
        "uuid: \(uuid), major: 1, interval: 10s, timeouts: { connect: 50s, read: 3s }",
        ["room: R, minor: 1, timeouts: { connect: 60m }"]))
    #expect(own.connect == .seconds(3600), "the longest one")
    #expect(own.read == .seconds(3))
    #expect(own.search == slow.search)
  }

  @Test("two rooms may share a minor if another setting on air differs")
  func identities() throws {
    let text = beacons(
      "uuid: \(uuid), major: 1",
      [
        "room: R, minor: 1", "room: S, minor: 1, major: 2",
        "room: T, minor: 1, uuid: 6C15C1B2-0000-4A0F-ADF2-F4911BA9FFA6",
        "room: U, minor: 1, profile: robo-sensor",
      ])
    #expect(try building(text).rooms.map(\.minor) == [1, 1, 1, 1])
  }

  @Test("a registered room takes no settings to write, and one without an address is a warning")
  func registered() throws {
    let (building, findings, marked) = try warnings(
      """
      building: B
      wifi: { guests: { ssid: G } }
      defaults: { wifi: guests, uuid: \(uuid), major: 1, power: high, timeouts: { search: 40s } }
      rooms:
        - { room: Lobby, minor: 1, 1️⃣register: true }
        - { room: Stair, minor: 1, 2️⃣register: true, profile: iot-design-shop, timeouts: { search: 1m } }
        - { room: Roof, minor: 2, register: true, profile: iot-design-shop, address: C4:7C:8D:00:00:03 }
        - { room: Bar, minor: 2, register: false, address: C4:7C:8D:00:00:04 }
        - { room: Attic, minor: 3, profile: iot-design-shop, address: C4:7C:8D:00:00:05 }
      """)
    #expect(findings.map(\.code) == [.registeredWithoutAddress, .registeredWithoutAddress])
    #expect(findings.map(\.range.start) == [marked[1], marked[2]])
    #expect(building.rooms.map(\.isRegistered) == [true, true, true, false, false])
    #expect(building.rooms.map { $0.address == nil } == [true, true, false, false, false])
    #expect(building.rooms[0].settings == [.minor: .integer(1)])
    #expect(Set(building.rooms[1].settings.keys) == [.uuid, .major, .minor])
    #expect(building.rooms[0].timeouts.search == .seconds(40))
    #expect(building.rooms[1].timeouts.search == .seconds(60))
    #expect(!building.needsConfirmation)
  }

  @Test("rooms with Fireflies take shared settings and settings of their own")
  func fireflies() throws {
    let building = try building(
      """
      building: B
      defaults: { profile: firefly, range: 120, value: 255 }
      rooms:
        - { room: R, control: 0, address: C4:7C:8D:00:00:01 }
        - { room: S, control: 1, value: 0, near: hci0 }
        - { room: T, control: 0, address: C4:7C:8D:00:00:02 }
      """)
    #expect(
      building.rooms.map(\.settings) == [
        [.control: .integer(0), .value: .integer(255), .range: .integer(120)],
        [.control: .integer(1), .value: .integer(0), .range: .integer(120)],
        [.control: .integer(0), .value: .integer(255), .range: .integer(120)],
      ])
    #expect(building.rooms.allSatisfy { $0.timeouts == DeviceFamily.firefly.timeouts(for: [:]) })
  }

  @Test(
    "a room of a family without identity needs no minor",
    arguments: FamilyCatalogue.builtIn.all.filter { !$0.hasIdentity })
  func withoutIdentity(profile: DeviceFamily) throws {
    let settings = profile.givenSettings.filter { $0.isRequired && $0.name != .roomName }.compactMap(\.sample)
      .joined(separator: ", ")
    let rooms = ["R", "S"].map { "room: \($0), profile: \(profile.id), near: hci0, \(settings)" }
    let building = try building(beacons("", rooms).replacing("profile: iot-design-shop, ", with: ""))
    #expect(building.rooms.map(\.minor) == [nil, nil])
  }
}

extension SettingDescription {
  /// A key of a room with a value of this setting; nil for a part of another key.
  fileprivate var sample: String? {
    switch name {
    case .wifiSSID: "wifi: { ssid: G, password: correct horse }"
    case .wifiPassword: nil
    case .uuid: "uuid: \(uuid)"
    default: "\(name): \(isSecret ? "label-of-the-device" : "1")"
    }
  }
}

extension Wrong {
  fileprivate static func beacon(_ keys: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong(
      beacons("uuid: \(uuid), major: 1", ["room: R, minor: 1, \(keys)", "room: Z, minor: 9"]), message,
      advice: advice)
  }

  fileprivate static func firefly(_ keys: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong(
      "building: B\ndefaults: { profile: firefly, value: 1, range: 2 }\nrooms: [{ room: R, address: C4:7C:8D:00:00:01, \(keys) }]\n",
      message, advice: advice)
  }

  fileprivate static func shared(_ keys: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong(
      beacons(keys, ["room: R, minor: 1", "room: S, minor: 2", "room: T, minor: 3, profile: robo-sensor"]),
      message, advice: advice)
  }

  fileprivate static func registered(_ keys: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong(
      beacons(
        "uuid: \(uuid), major: 1", ["room: R, minor: 1, \(keys)", "room: Z, minor: 9"],
        top: "wifi: { guests: { ssid: G } }"),
      message, advice: advice)
  }
}

@Suite("Findings about rooms of several device families")
struct FamilyFindingTests {
  @Test(
    "an error in a room or in `defaults` is reported once, at its place, with advice",
    arguments: [
      .beacon("uuid: 1️⃣12345678", "`uuid` is not a UUID", advice: "`uuidgen`"),
      .beacon("uuid: 1️⃣180F", "`uuid` is not a UUID"),
      .beacon(
        "uuid: 1️⃣2F234454-CF6D-4A0F-ADF2-F4911BA9FFAO", "`uuid` is not a UUID",
        advice: "character 36 is the letter O, not the digit 0"),
      .beacon("uuid: 1️⃣2F234454CF6D4A0FADF2F4911BA9FFA6", "`uuid` is not a UUID", advice: "groups of 8, 4, 4"),
      .beacon("uuid: 1️⃣''", "`uuid` is not a UUID"),
      .beacon("uuid: 1️⃣~", "`uuid` has no value"),
      .beacon(
        "uuid: 1️⃣2173e519-9155-4862-ab64-7953ab146156", "`uuid` is a reserved UUID",
        advice: "the factory's"),
      .beacon("uuid: 1️⃣00000000-0000-0000-0000-000000000000", "`uuid` is a reserved UUID"),
      .beacon("major: 1️⃣65536", "`major` is 65536, outside of 0…65535"),
      .beacon("major: 1️⃣0x10", "`major` is not a whole number"),
      .beacon("power: 1️⃣loud", "`power` is none", advice: "low (-23 dBm), medium (-6 dBm), high (0 dBm)"),
      .beacon("power: 1️⃣0", "`power` is none", advice: "high (0 dBm)"),
      .beacon("power: 1️⃣on", "`power` is none"),
      .beacon("power: 1️⃣[high]", "`power` takes a single value"),
      .beacon("interval: 1️⃣20ms", "`interval` is outside of 100ms…40955ms"),
      .beacon("interval: 1️⃣41s", "`interval` is outside of 100ms…40955ms"),
      .beacon("interval: 1️⃣-1s", "`interval` is outside of"),
      .beacon("interval: 1️⃣101ms", "`interval` is 101ms, which", advice: "100ms and 105ms"),
      .beacon("interval: 1️⃣0.5s", "`interval` is not a duration", advice: "500ms"),
      .beacon("interval: 1️⃣500", "`interval` is not a duration", advice: "its unit"),
      .beacon("1️⃣intervall: 1s", "unknown key in a room", advice: "did you mean `interval`?"),
      .beacon("wifi: 1️⃣{ ssid: G }", "an IoT Design Shop beacon takes no WiFi"),
      .beacon(
        "timeouts: { 1️⃣save: 10s }", "an IoT Design Shop beacon has no stage `save`",
        advice: "search, connect, discover, read, write, verify"),
      .beacon(
        "profile: robo-sensor, 1️⃣power: high", "a Robo Sensor takes no `power`",
        advice: "an IoT Design Shop beacon does"),
      .beacon("profile: robo-sensor, timeouts: { 1️⃣read: 1s }", "a Robo Sensor has no stage `read`"),
      .beacon("1️⃣match: any", "`match` cannot be in a room", advice: "at the top"),
      .firefly("control: 1️⃣256", "`control` is 256, outside of 0…255"),
      .firefly("control: 1️⃣-1", "`control` is -1, outside of 0…255"),
      .firefly("control: 1️⃣on", "`control` is not a whole number"),
      .firefly("control: 1, 1️⃣minor: 5", "a Firefly takes no `minor`", advice: "a Robo Sensor or an IoT"),
      .firefly("control: 1, wifi: 1️⃣{ ssid: G }", "a Firefly takes no WiFi"),
      .firefly("control: 1, timeouts: { 1️⃣verify: 5s }", "a Firefly has no stage `verify`"),
      .firefly(
        "control: 1, register: 1️⃣true", "a Firefly cannot be registered", advice: "leave `register` out"),
      // An error in a default is reported once for all its rooms.
      .shared("uuid: 1️⃣12345678, major: 1", "`uuid` is not a UUID"),
      .shared("uuid: \(uuid), major: 1️⃣-1", "`major` is -1"),
      .shared("uuid: \(uuid), major: 1, power: 1️⃣high!", "`power` is none"),
      .shared("uuid: \(uuid), major: 1, interval: 1️⃣20ms", "`interval` is outside of"),
      .shared(
        "uuid: \(uuid), major: 1, 1️⃣minor: 5", "`minor` cannot be under `defaults`", advice: "each room"),
      .shared("uuid: \(uuid), major: 1, 1️⃣register: true", "`register` cannot be under `defaults`"),
      Wrong(
        "building: B\n1️⃣power: high\nmatch: any\nrooms: [{ room: R, minor: 1 }]\n",
        "`power` cannot be at the top", advice: "under `defaults`"),
      Wrong(
        "building: B\n1️⃣minor: 1\nmatch: any\nrooms: [{ room: R, minor: 1 }]\n",
        "`minor` cannot be at the top", advice: "each room"),
      // Missing values.
      Wrong(
        beacons("major: 1", ["1️⃣room: R, minor: 1"]), "a room without `uuid`", advice: "under `defaults`"),
      Wrong(beacons("uuid: \(uuid)", ["1️⃣room: R, minor: 1"]), "a room without `major`"),
      Wrong(beacons("uuid: \(uuid), major: 1", ["1️⃣room: R"]), "a room without `minor`"),
      Wrong(
        "building: B\nrooms: [{ 1️⃣room: R, profile: improv-wifi, address: C4:7C:8D:00:00:01 }]\n",
        "a room without `wifi`", advice: "under `defaults`"),
      Wrong(
        "building: B\nrooms: [{ room: R, profile: esp-idf, pop: x, wifi: 1️⃣none, address: C4:7C:8D:00:00:01 }]\n",
        "a room without `wifi`"),
      // A network that cannot be used is not also missing.
      Wrong(
        "building: B\nrooms: [{ room: R, profile: improv-wifi, wifi: 1️⃣gests, address: C4:7C:8D:00:00:01 }]\n",
        "no network under `wifi`"),
      Wrong(
        "building: B\ndefaults: { profile: improv-wifi, wifi: 1️⃣gests }\nrooms: [{ room: R, address: C4:7C:8D:00:00:01 }]\n",
        "no network under `wifi`"),
      Wrong(
        beacons("uuid: \(uuid), major: 1", ["1️⃣room: R, register: true"]), "a room without `minor`"),
      Wrong(
        beacons("major: 1", ["1️⃣room: R, minor: 1, register: true"]), "a room without `uuid`"),
      // Duplicates.
      Wrong(
        beacons(
          "uuid: \(uuid), major: 1",
          ["room: R, minor: 5", "room: S, minor: 5, major: 2", "room: T, minor: 1️⃣5, major: 1"]),
        "another room has the same uuid, major, minor, on line 6", noteLine: 6),
      Wrong(
        beacons("uuid: \(uuid), major: 1", ["room: R, minor: 5", "room: S, minor: 1️⃣5, register: true"]),
        "another room has the same uuid, major, minor, on line 6", noteLine: 6),
      // Keys that a registered room does not take.
      .registered(
        "register: true, 1️⃣power: high", "a registered room takes no `power`", advice: "leave `power` out"),
      .registered("register: true, 1️⃣interval: 1s", "a registered room takes no `interval`"),
      .registered("register: true, 1️⃣retries: 3", "a registered room takes no `retries`"),
      .registered(
        "register: true, timeouts: { 1️⃣connect: 1s }", "a registered room has no stage `connect`",
        advice: "its stages: search"),
      .registered("register: true, profile: robo-sensor, 1️⃣wifi: guests", "a registered room takes no `wifi`"),
      .registered(
        "register: 1️⃣yes", "`register` is neither `true` nor `false`", advice: "did you mean `true`?"),
      .registered("register: 1️⃣on", "`register` is neither", advice: "did you mean `true`?"),
      .registered("register: 1️⃣True", "`register` is neither", advice: "did you mean `true`?"),
      .registered("register: 1️⃣off", "`register` is neither", advice: "did you mean `false`?"),
      .registered("register: 1️⃣1", "`register` is neither", advice: "configured elsewhere"),
      .registered("register: 1️⃣null", "`register` has no value"),
    ] as [Wrong])
  func refused(_ wrong: Wrong) throws {
    try expect(wrong)
  }

  @Test("a room of a family without identity cannot be registered", arguments: FamilyCatalogue.builtIn.all)
  func registration(profile: DeviceFamily) throws {
    let settings = profile.givenSettings.filter { $0.isRequired && $0.name != .roomName }.compactMap(\.sample)
      .joined(separator: ", ")
    let text =
      "building: B\nmatch: any\nrooms:\n  - { room: R, profile: \(profile.id), \(settings.isEmpty ? "" : settings + ", ")register: true, address: C4:7C:8D:00:00:01 }\n"
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect((reading.building != nil) == profile.hasIdentity, "\(reading.rendered)")
    #expect(reading.diagnostics.allSatisfy { $0.message.hasSuffix("cannot be registered") })
  }

  @Test("a default that no room can take is a warning at its key")
  func unused() throws {
    let (_, ofBeacons, place) = try warnings(
      """
      building: B
      wifi: { guests: { ssid: G } }
      defaults:
        profile: iot-design-shop
        1️⃣wifi: guests
        uuid: \(uuid)
        major: 1
        timeouts: { connect: 20s, 2️⃣save: 5s }
      match: any
      rooms: [{ room: R, minor: 1 }]
      """)
    #expect(ofBeacons.map(\.message) == ["no room here takes `wifi`", "no room here has a stage `save`"])
    #expect(ofBeacons.map(\.range.start) == [place[1], place[2]])
    let takers = "a Robo Sensor, an Improv WiFi device, an ESP-IDF device or a Shelly does"
    #expect(ofBeacons[0].advice?.contains(takers) == true)

    let (_, sensors, _) = try warnings(
      """
      building: B
      defaults: { uuid: \(uuid), power: low, retries: 1 }
      match: any
      rooms: [{ room: R, minor: 1 }]
      """)
    #expect(sensors.map(\.message) == ["no room here takes `uuid`", "no room here takes `power`"])

    let (_, fireflies, place2) = try warnings(
      """
      building: B
      defaults: { profile: firefly, 1️⃣proof: own_address, 2️⃣wifi_check: true }
      rooms: [{ room: R, control: 1, value: 1, range: 1, address: C4:7C:8D:00:00:01 }]
      """)
    #expect(fireflies.map(\.message) == ["no room here takes `proof`", "no room here takes `wifi_check`"])
    #expect(fireflies.map(\.range.start) == [place2[1], place2[2]])

    let (building, unnamed, place3) = try warnings(
      """
      building: B
      match: any
      wifi: { plant: { ssid: Plant } }
      defaults: { profile: firefly, value: 1, range: 1 }
      rooms:
        - { 1️⃣room: R, control: 1 }
        - { room: V, profile: esp-idf, wifi: plant, pop: "", device: PROV_1 }
        - { room: S, control: 2, near: hci0 }
        - { room: T, control: 3, address: C4:7C:8D:00:00:01 }
        - { room: U, profile: robo-sensor, minor: 1, address: C4:7C:8D:00:00:02 }
      """)
    #expect(unnamed.map(\.message) == ["`match: any` never takes a Firefly"])
    #expect(unnamed.map(\.range.start) == [place3[1]])
    #expect(building.needsConfirmation, "a room near an adapter needs a confirmation")
    let (named, _, _) = try warnings(
      """
      building: B
      match: any
      defaults: { profile: firefly, value: 1, range: 1 }
      rooms:
        - { room: R, control: 1 }
        - { room: T, control: 3, address: C4:7C:8D:00:00:01 }
      """)
    #expect(!named.needsConfirmation, "no device is proposed for these rooms")

    let (_, registered, _) = try warnings(
      beacons(
        "uuid: \(uuid), major: 1, power: low",
        ["room: R, minor: 1, register: true, address: C4:7C:8D:00:00:01"]))
    #expect(registered.map(\.message) == ["no room here takes `power`"])
  }

  @Test("a default that a room takes or overrides is not a warning")
  func used() throws {
    let (_, findings, _) = try warnings(
      beacons(
        "uuid: \(uuid), major: 1, power: low, wifi: none, timeouts: { ready: 5s }",
        ["room: R, minor: 1, power: high", "room: S, minor: 2, profile: robo-sensor"]))
    #expect(findings.isEmpty)
    let (_, inGroup, _) = try warnings(
      """
      building: B
      match: any
      defaults: { uuid: \(uuid), major: 1, power: low }
      rooms: [{ room: S, minor: 2 }]
      groups: [{ group: g, profile: iot-design-shop, rooms: [{ room: R, minor: 1 }] }]

      """)
    #expect(inGroup.isEmpty, "a room of a group takes it")
  }

  @Test("a room of a family without identity may wait for its address")
  func addressLater() throws {
    let (_, findings, _) = try warnings(
      """
      building: B
      match: later
      defaults: { profile: firefly, value: 1, range: 1 }
      rooms: [{ room: R, control: 1 }]

      """)
    #expect(findings.isEmpty)
  }

  @Test("an unknown profile suppresses findings about keys that it may not take")
  func unknownProfile() {
    let keys = "wifi: { ssid: G }, proof: own_address, wifi_check: true, timeouts: { save: 5s }"
    let text = beacons("power: low", ["room: R, minor: 1, profile: firefli, \(keys)"])
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.diagnostics.map(\.message) == ["unknown profile"])
  }

  @Test("an interval above the recommended maximum is reported once as a warning")
  func caution() throws {
    let (building, findings, place) = try warnings(
      beacons("uuid: \(uuid), major: 1, interval: 1️⃣15s", ["room: R, minor: 1", "room: S, minor: 2"]))
    #expect(findings.map(\.range.start) == [place[1]])
    #expect(findings.first?.message.contains("10.24 s") == true)
    #expect(building.rooms.map(\.settings[.interval]) == [.duration(.seconds(15)), .duration(.seconds(15))])
    for (interval, codes) in [("3800ms", []), ("3805ms", [.slowDevice])] as [(String, [DiagnosticCode])] {
      let text = beacons("uuid: \(uuid), major: 1, interval: \(interval)", ["room: R, minor: 1"])
      #expect(try warnings(text).1.map(\.code) == codes)
    }
  }

  @Test("a timeout that is too short for the interval is reported once as a warning, at its place")
  func tooShort() throws {
    let (building, findings, place) = try warnings(
      beacons(
        "uuid: \(uuid), major: 1, interval: 10s, timeouts: { connect: 1️⃣15s, verify: 60s }",
        [
          "room: R, minor: 1", "room: S, minor: 2", "room: T, minor: 3, timeouts: { search: 2️⃣5s }",
          "room: U, minor: 4, interval: 9s",
        ]))
    let short = findings.filter { $0.message.contains("with its interval") }
    #expect(short.map(\.range.start) == [place[1], place[2]])
    #expect(building.rooms.allSatisfy { $0.timeouts.connect == .seconds(15) })
  }
}
