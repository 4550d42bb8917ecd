import Bluetooth
import Families
import Foundation
import Manifest
import MarkedText
import Model
import RecordedText
import Source
import Testing

/// A change of a valid family file, and the finding that it causes; `1️⃣` marks its place.
private struct WrongFamily: Sendable, CustomTestStringConvertible {
  let line: String
  let wrong: String
  let code: DiagnosticCode
  let message: String
  /// A further change.
  let other: (line: String, new: String)?

  init(
    _ line: String, _ wrong: String, _ code: DiagnosticCode, _ message: String,
    with other: (line: String, new: String)? = nil
  ) {
    (self.line, self.wrong, self.code, self.message) = (line, wrong, code, message)
    self.other = other
  }

  var testDescription: String { "\(message): \(wrong)" }
}

@Suite("Family files")
struct FamilyFileTests {
  private static let tag = """
    family: tag
    title: Tag
    service: 5A3B0000-1D2C-4E6F-8A9B-0C1D2E3F4A5B
    access: provisioning_mode
    recognise:
      - { state: configured, manufacturer: 0x0B0B, starts: "5401", identity: any }
      - { state: waiting, name: Tag }
    identity: { manufacturer: 0x0B0B, starts: "5401", parts: { zone: uint8, number: uint16_be } }
    settings:
      zone: { type: integer, range: 0..255, shared: true }
      number: { type: integer, range: 1..65535 }
      fade: { type: duration, range: 100ms..10s, step: 100ms, optional: true }
      mode: { type: choice, values: { dark: 0, bright: 1 } }
    characteristics:
      - { uuid: 5A3B0001-1D2C-4E6F-8A9B-0C1D2E3F4A5B, holds: { zone: uint8, number: uint16_be } }
      - { uuid: 5A3B0002-1D2C-4E6F-8A9B-0C1D2E3F4A5B, holds: { fade: uint8 } }
      - { uuid: 5A3B0003-1D2C-4E6F-8A9B-0C1D2E3F4A5B, holds: { mode: uint8 } }
    status: { characteristic: 5A3B0004-1D2C-4E6F-8A9B-0C1D2E3F4A5B, ready: ready, saved: stored, refused: "fail:" }
    save: { characteristic: 5A3B0005-1D2C-4E6F-8A9B-0C1D2E3F4A5B, write: STORE }
    proof: beacon

    """
  private static let manifest = """
    building: B
    families: tag.yaml
    match: later
    defaults: { zone: 3 }
    rooms:
      - { room: Lobby, minor: 1 }
      - { room: Store, profile: tag, number: 7, mode: bright }

    """

  private func read(_ families: [String: String], _ manifest: String = Self.manifest) -> ManifestReading {
    Files(files: families).read(manifest)
  }

  @Test("a described family is one of the building, and its settings are keys of rooms")
  func valid() throws {
    let reading = read(["tag.yaml": Self.tag])
    #expect(reading.rendered == "")
    let building = try #require(reading.building)
    let family = try #require(building.families["tag"])
    #expect(building.families.all.map(\.id).prefix(3) == FamilyCatalogue.builtIn.all.map(\.id).prefix(3))
    #expect(
      building.rooms[1].family == family && building.rooms[1].identity?.description == "zone 3, number 7")
    #expect(building.rooms[1].settings["mode"] == .text("bright"))
    #expect(family.procedure?.save?.value == Array("STORE".utf8))
    #expect(family.procedure?.status?.refusals == [.bytes(Array("fail:".utf8))])
    #expect(family.stages == [.search, .connect, .discover, .ready, .write, .save, .verify])
    #expect(family.countedSetting?.name == "number")
  }

  @Test("a family that is paired with a passkey has one in each room, six digits and secret")
  func passkey() throws {
    let tag = Self.tag + "pairing: passkey\n"
    func read(_ passkey: String) -> ManifestReading {
      self.read(
        ["tag.yaml": tag],
        Self.manifest.replacing("mode: bright }", with: "mode: bright\(passkey) }"))
    }
    let reading = read(", passkey: \"012345\"")
    #expect(reading.rendered == "")
    let room = try #require(reading.building).rooms[1]
    #expect(room.pairing == .passkey(try #require(Passkey("012345"))))
    #expect(room.settings[.passkey] == nil && room.secrets.contains(Secret("012345")))
    #expect(!String(decoding: reading.content, as: UTF8.self).contains("012345"))
    #expect(read("").building == nil)
    for wrong in ["12345", "12345a", "1234567"] {
      let reading = read(", passkey: \"\(wrong)\"")
      #expect(reading.diagnostics.map(\.code) == [.badPassword])
      #expect(!reading.rendered.contains(wrong))
    }
    let justWorks = self.read(["tag.yaml": Self.tag + "pairing: just_works\n"])
    #expect(justWorks.building?.rooms[1].pairing == .justWorks)
    #expect(justWorks.building?.rooms[1].family.keepsBond == false)
    let keeping = self.read(["tag.yaml": Self.tag + "pairing: just_works\nkeeps_bond: true\n"])
    #expect(keeping.building?.rooms[1].family.keepsBond == true)
    #expect(justWorks.diagnostics.map(\.code) == [.unprotectedPairing])
    let ifAsked = self.read(["tag.yaml": Self.tag + "pairing: if_asked\n"])
    #expect(ifAsked.building?.rooms[1].pairsIfAsked == true)
    #expect(ifAsked.diagnostics.map(\.code) == [.unprotectedPairing])
  }

  @Test(
    "a passkey can come from the label that has the name or the address of its device",
    arguments: [
      ("", nil), (", device: Tag 7", "Tag 7"), (", address: \"c4:7c:8d:00:00:07\"", "C4:7C:8D:00:00:07"),
    ] as [(String, String?)])
  func passkeyOnLabel(_ key: String, _ device: String?) throws {
    let reading = read(
      ["tag.yaml": Self.tag + "pairing: passkey\n"],
      Self.manifest.replacing("zone: 3 }", with: "zone: 3, passkey: { labels: ./labels.json } }")
        .replacing("mode: bright }", with: "mode: bright\(key) }"))
    #expect(reading.rendered == "")
    let room = try #require(reading.building).rooms[1]
    guard case .secret(let secret)? = room.access[.passkey] else { throw NoSecret() }
    #expect(secret.reference?.source == .labels("./labels.json", device: device, setting: .passkey))
    #expect(room.awaitsLabel == (device == nil))
  }

  private struct NoSecret: Error {}

  @Test("what a device is read for first is the factory's value of each setting that is written")
  func factory() throws {
    let site = "6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B"
    let beacons = Self.tag.replacing("access: provisioning_mode", with: "access: any_time")
      .replacing(
        "identity: { manufacturer: 0x0B0B, starts: \"5401\", parts: { zone: uint8, number: uint16_be } }",
        with: "identity: { ibeacon: { uuid: beacon_uuid, major: beacon_major, minor: number } }"
      )
      .replacing(
        "zone: { type: integer, range: 0..255, shared: true }",
        with: """
          zone: { type: integer, range: 0..255, shared: true, factory: 5 }
            beacon_uuid: { type: uuid, written: false, factory: \(site) }
            beacon_major: { type: integer, range: 0..65535, written: false, factory: 9 }
          """)
    let reading = read(["tag.yaml": beacons + "read_first: true\n"])
    #expect(reading.rendered == "")
    #expect(reading.building?.families["tag"]?.procedure?.factory == ["zone": .integer(5)])
  }

  @Test("the digest follows the content, not comments and layout, and is the family's alone")
  func digest() throws {
    func digest(_ text: String, _ manifest: String = Self.manifest) throws -> String {
      let building = try #require(read(["tag.yaml": text], manifest).building)
      return try #require(building.families["tag"]?.digest)
    }
    let first = try digest(Self.tag)
    #expect(first.hasPrefix("content:") && first.utf8.count == 72)
    #expect(try digest("# A comment\n" + Self.tag) == first)
    #expect(try digest(Self.tag, Self.manifest.replacing("building: B", with: "building: C")) == first)
    #expect(try digest(Self.tag.replacing("STORE", with: "KEEP")) != first)
  }

  @Test("a room's value is checked against the description")
  func roomValues() {
    for (wrong, code) in [
      ("number: 0", DiagnosticCode.outOfRange), ("number: 7, mode: dim", .unknownValue),
      ("number: 7, mode: dark, fade: 150ms", .betweenSteps), ("mode: dark", .missingSetting),
      ("number: 7, mode: dark, minor: 3", .unsupportedKey),
    ] {
      let reading = read(
        ["tag.yaml": Self.tag], Self.manifest.replacing("number: 7, mode: bright", with: wrong))
      #expect(reading.diagnostics.contains { $0.code == code }, "\(wrong): \(reading.rendered)")
    }
    let reading = read(["tag.yaml": Self.tag], Self.manifest.replacing("minor: 1", with: "beacon_nr: 1"))
    #expect(reading.diagnostics.map(\.advice) == ["write `minor`"], "\(reading.rendered)")
  }

  @Test(
    "an error is reported at its place",
    arguments: [
      WrongFamily("family: tag", "1️⃣famly: tag", .unknownKey, "unknown key in a family file"),
      WrongFamily("family: tag", "family: 1️⃣Tag!", .badIdentifier, "`family` has other characters"),
      WrongFamily(
        "family: tag", "family: 1️⃣firefly", .duplicateFamily, "a family with this id exists already"),
      WrongFamily("access: provisioning_mode", "access: 1️⃣sometimes", .unknownValue, "`access` is none"),
      WrongFamily(
        "access: provisioning_mode", "access: provisioning_mode\n1️⃣keeps_bond: true", .badFamily,
        "`keeps_bond` without `pairing`"),
      WrongFamily(
        "access: provisioning_mode", "access: provisioning_mode\npairing: 1️⃣maybe", .unknownValue,
        "`pairing` is none"),
      WrongFamily(
        "service: 5A3B0000-1D2C-4E6F-8A9B-0C1D2E3F4A5B", "service: 1️⃣5A3", .notAUUID, "`service` is not a UUID"
      ),
      WrongFamily(
        "service: 5A3B0000-1D2C-4E6F-8A9B-0C1D2E3F4A5B", "service: 1️⃣5A3B0000", .notAUUID, "not a UUID"),
      WrongFamily("service: 5A3B0000-1D2C-4E6F-8A9B-0C1D2E3F4A5B", "service: 1️⃣+5A3", .notAUUID, "not a UUID"),
      WrongFamily(
        "manufacturer: 0x0B0B, starts: \"5401\", identity", "manufacturer: 1️⃣2827, starts: \"5401\", identity",
        .notANumber, "not the number of a company"),
      WrongFamily(
        "manufacturer: 0x0B0B, starts: \"5401\", identity",
        "manufacturer: 1️⃣0x+4C, starts: \"5401\", identity",
        .notANumber, "not the number of a company"),
      WrongFamily(
        "manufacturer: 0x0B0B, starts: \"5401\", identity",
        "manufacturer: 1️⃣0x-0, starts: \"5401\", identity",
        .notANumber, "not the number of a company"),
      WrongFamily(
        "starts: \"5401\", identity", "starts: 1️⃣\"\", identity", .unknownValue, "`starts` is not bytes"),
      WrongFamily(
        "starts: \"5401\", identity", "starts: 1️⃣\"\(String(repeating: "00", count: 33))\", identity",
        .unknownValue, "`starts` is not bytes"),
      WrongFamily(
        "title: Tag", "title: Tag\nwords: { noun: 1️⃣\(String(repeating: "x", count: 501)) }", .wrongLength,
        "`noun` has 501 bytes"),
      WrongFamily("write: STORE", "write: 1️⃣''", .wrongLength, "`write` has 0 bytes"),
      WrongFamily(
        "write: STORE", "write: 1️⃣\(String(repeating: "x", count: 101))", .wrongLength, "`write` has 101 bytes"
      ),
      WrongFamily("write: STORE", "write: 1️⃣\"0x\"", .unknownValue, "neither text nor bytes"),
      WrongFamily(
        "write: STORE", "write: 1️⃣\"0x\(String(repeating: "00", count: 101))\"", .unknownValue,
        "neither text nor bytes"),
      WrongFamily("identity: { manufacturer: 0x0B0B, ", "identity: { 1️⃣", .missingKey, "exactly one of"),
      WrongFamily(
        "number: uint16_be } }\nsettings", "number: uint16_be }, trailing: 1️⃣17 }\nsettings", .outOfRange,
        ", outside of 0…16"),
      WrongFamily(
        "number: uint16_be } }\nsettings", "1️⃣numbre: uint16_be } }\nsettings", .unknownValue,
        "no setting of this name"),
      WrongFamily("name: Tag }", "name: Tag, 1️⃣starts: \"54\" }", .misplacedKey, "`starts` says how"),
      WrongFamily("identity: any", "identity: 1️⃣expected", .badFamily, "no part of the identity has a value"),
      WrongFamily(
        "identity: any", "identity: 1️⃣factory", .badFamily, "the first part of the identity has no value"),
      WrongFamily(
        ", identity: any", "", .badFamily, "a device without `identity` cannot be proved by its beacon",
        with: (
          "identity: { manufacturer: 0x0B0B, starts: \"5401\", parts: { zone: uint8, number: uint16_be } }",
          ""
        )),
      WrongFamily(
        "saved: stored, ", "", .badFamily, "whose `status` has no `saved` cannot be proved by it",
        with: ("proof: beacon", "proof: 1️⃣status")),
      WrongFamily(
        "mode: { type: choice, values: { dark: 0, bright: 1 } }", "wifi_ssid: { type: text, bytes: 1..32 }",
        .badFamily, "only possible together", with: ("mode: uint8", "wifi_ssid: utf8")),
      WrongFamily(
        "characteristics:",
        "  1️⃣wifi_ssid: { type: text, bytes: 1..32 }\n  wifi_password: { type: password }\ncharacteristics:",
        .badFamily, "no characteristic holds this setting"),
      WrongFamily(
        "characteristics:",
        """
          1️⃣wifi_ssid: { type: text, bytes: 1..20 }
          wifi_password: { type: password }
        characteristics:
          - { uuid: 5A3B0006-1D2C-4E6F-8A9B-0C1D2E3F4A5B, holds: { wifi_ssid: utf8 } }
          - { uuid: 5A3B0007-1D2C-4E6F-8A9B-0C1D2E3F4A5B, holds: { wifi_password: utf8 } }
        """, .conflictingSetting, "has a setting of this name with other values"),
      WrongFamily(
        "- { state: configured, manufacturer: 0x0B0B, starts: \"5401\", identity: any }\n  - { state: waiting, name: Tag }",
        "1️⃣[]", .wrongStructure, "`recognise` is a list of rules"),
      WrongFamily(", write: STORE", "", .missingKey, "`save` without `write`"),
      WrongFamily(
        "status: { characteristic: 5A3B0004-1D2C-4E6F-8A9B-0C1D2E3F4A5B, ", "status: { ", .missingKey,
        "`status` without `characteristic`"),
      WrongFamily(
        "proof: beacon", "slow_by: { 1️⃣verify: 2 }\nproof: beacon", .missingKey, "`slow_by` without `setting`"),
      WrongFamily(
        "proof: beacon", "slow_by: { setting: 1️⃣fode }\nproof: beacon", .unknownValue,
        "no setting of this name"),
      WrongFamily(
        "number: uint16_be } }\nsettings", "number: uint16_be, wifi_password: utf8 } }\nsettings", .badFamily,
        "a secret cannot be on air",
        with: ("characteristics:", "  wifi_password: { type: password }\ncharacteristics:")),
      WrongFamily(
        "parts: { zone: uint8, number", "parts: { zone: uint8, 1️⃣beacon_major: uint16_be, number", .badFamily,
        "needs the factory's value",
        with: (
          "characteristics:",
          "  beacon_major: { type: integer, range: 0..65535, written: false }\ncharacteristics:"
        )),
      WrongFamily(
        "mode: { type: choice, values: { dark: 0, bright: 1 } }",
        "beacon_major: { type: integer, range: 0..65535, written: false, factory: 1 }", .badFamily,
        "this setting has `written: false`", with: ("mode: uint8", "1️⃣beacon_major: uint16_be")),
      WrongFamily(
        "identity: { manufacturer: 0x0B0B, starts",
        "identity: { ibeacon: { uuid: zone, major: zone, minor: number }, 1️⃣starts", .misplacedKey,
        "`ibeacon` decides `starts`"),
      WrongFamily(
        "type: choice, values: { dark: 0, bright: 1 }", "type: text, bytes: 1..5", .unencodableSetting,
        "text can only be the last part", with: ("{ mode: uint8 }", "{ 1️⃣mode: utf8, fade: uint8 }")),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }", "number: { type: text, bytes: 1..5 }",
        .unencodableSetting,
        "text can only be the last part",
        with: ("number: uint16_be } }\nsettings", "1️⃣number: utf8 }, trailing: 1 }\nsettings")),
      WrongFamily("mode: ", "wifi_ssid: ", .conflictingSetting, "must be of type `text`"),
      WrongFamily("mode: ", "wifi_password: ", .conflictingSetting, "must be of type `password`"),
      WrongFamily("mode: ", "beacon_uuid: ", .conflictingSetting, "must be of type `uuid`"),
      WrongFamily("mode: ", "beacon_major: ", .conflictingSetting, "must be of type `integer` with"),
      WrongFamily(
        "type: choice, values: { dark: 0, bright: 1 }", "type: password", .conflictingSetting,
        "must be called `wifi_password`; another secret"),
      WrongFamily("mode: ", "\(String(repeating: "m", count: 33)): ", .badIdentifier, "or more than 32"),
      WrongFamily("mode: ", "1m: ", .badIdentifier, "a setting's name has other characters"),
      WrongFamily("mode: ", "mö: ", .badIdentifier, "a setting's name has other characters"),
      WrongFamily(
        "type: choice, values: { dark: 0, bright: 1 }", "type: text, bytes: 1️⃣1..513", .outOfRange,
        "`bytes` is outside"),
      WrongFamily("bright: 1 }", "bright: 1️⃣9999999999999999999 }", .outOfRange, "outside of "),
      WrongFamily("bright: 1 }", "bright: { code: 1️⃣9999999999999999999 } }", .outOfRange, "outside of "),
      WrongFamily("range: 100ms..10s", "range: 1️⃣10s", .notADuration, "not a range of durations"),
      WrongFamily("range: 100ms..10s", "range: 1️⃣0ms..10s", .outOfRange, "must begin above 0"),
      WrongFamily("range: 100ms..10s", "range: 1️⃣100ms..61m", .outOfRange, "must begin above 0"),
      WrongFamily("step: 100ms", "step: 1️⃣0ms", .notADuration, "`step` is not a duration"),
      WrongFamily("step: 100ms", "step: 1️⃣20s", .notADuration, "`step` is not a duration"),
      WrongFamily("proof: beacon", "proof: 1️⃣read_back", .badFamily, "nothing is read back"),
      WrongFamily(
        "saved: stored, ", "saved: stored, needs_ready: 1️⃣perhaps, ", .unknownValue, "`needs_ready` is neither"
      ),
      WrongFamily(
        "ready: ready, saved: stored", "needs_ready: true, saved: stored", .badFamily,
        "`needs_ready` without `ready`"),
      WrongFamily(
        "proof: beacon", "slow_by: { setting: fade, verify: 1️⃣0 }\nproof: beacon", .outOfRange,
        ", outside of 1…20"),
      WrongFamily(
        "proof: beacon", "slow_by: { setting: fade, verify: 1️⃣21 }\nproof: beacon", .outOfRange,
        ", outside of 1…20"),
      WrongFamily(
        "proof: beacon", "slow_by: { setting: 1️⃣number, verify: 2 }\nproof: beacon", .badFamily,
        "a setting that is not a duration"),
      WrongFamily(
        "state: waiting", "state: present", .badFamily, "no rule recognises a device in provisioning mode"),
      WrongFamily("name: Tag }", "}", .badFamily, "recognises every device"),
      WrongFamily(
        "zone: { type: integer, range: 0..255,", "1️⃣room: { type: integer, range: 0..255,",
        .conflictingSetting, "a key of manifests"),
      WrongFamily(
        "0..255, shared: true", "0..255, shared: true, written: false", .conflictingSetting, "must be called"),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }",
        "number: { type: integer, range: 1️⃣1..1000000000000000000 }",
        .notANumber, "`range` is not a range"),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }",
        "number: { type: duration, range: 1️⃣-9223372036854775808s..1s, step: 1ms }", .outOfRange,
        "must begin above 0 and end at most at 60m"),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }", "number: { type: integer, range: 1️⃣9..1 }", .notANumber,
        "not a range"),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }",
        "number: { type: integer, range: 1..65535, 1️⃣step: 1ms }", .misplacedKey, "has no `step`"),
      WrongFamily(
        "holds: { zone: uint8, number: uint16_be }", "holds: { zone: uint8, 1️⃣number: uint8 }",
        .unencodableSetting, "does not hold every value"),
      WrongFamily(
        "range: 100ms..10s, step: 100ms", "range: 100ms..60m, step: 100ms", .unencodableSetting,
        "does not hold every value"),
      WrongFamily(
        "{ dark: 0, bright: 1 }", "{ dark: 0, bright: 300 }", .unencodableSetting, "does not hold every value"
      ),
      WrongFamily(
        "holds: { mode: uint8 }", "holds: { mode: utf8 }", .unencodableSetting, "does not hold every value"),
      WrongFamily("holds: { mode: uint8 }", "holds: { mode: 1️⃣uint32 }", .unknownValue, "`mode` is none"),
      WrongFamily(
        "holds: { mode: uint8 }", "holds: { 1️⃣mood: uint8 }", .unknownValue, "no setting of this name"),
      WrongFamily(
        "holds: { fade: uint8 }", "holds: { fade: uint8, mode: uint8 }", .badFamily,
        "two characteristics hold `mode`"),
      WrongFamily("uuid: 5A3B0002-", "uuid: 1️⃣5A3B0001-", .badFamily, "described twice"),
      WrongFamily("uuid: 5A3B0002-", "uuid: 1️⃣5A3B0004-", .badFamily, "also that of `save` or `status`"),
      WrongFamily(
        "proof: beacon", "read_back: 1️⃣true\nproof: beacon", .badFamily,
        "does not show which settings the device keeps"),
      WrongFamily(
        "proof: beacon", "1️⃣read_first: true\nproof: beacon", .badFamily, "`read_first` is for devices"),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }",
        "number: { type: integer, range: 1..65535, optional: true }", .badFamily, "must not be optional"),
      WrongFamily(
        "number: { type: integer, range: 1..65535 }",
        "number: { type: integer, range: 1..65535, shared: true }", .badFamily, "tells the rooms apart"),
      WrongFamily("mode: ", "power: ", .conflictingSetting, "has a setting of this name with other values"),
      WrongFamily(
        "- { state: waiting, name: Tag }",
        "- { state: waiting, name: Robo Sensor, service: 5A3B }\n  - { state: present, name: Robo Sensor }",
        .ambiguousFamily, "is also recognised by"),
      WrongFamily("family: tag", "family: &a [1️⃣*a]", .badAlias, "an alias inside its own anchor"),
      WrongFamily("title: Tag", "title: &a { b: 1️⃣*a }", .badAlias, "an alias inside its own anchor"),
    ] as [WrongFamily])
  fileprivate func findings(_ wrong: WrongFamily) throws {
    try #require(Self.tag.contains(wrong.line))
    var text = Self.tag.replacing(wrong.line, with: wrong.wrong)
    if let other = wrong.other {
      try #require(text.contains(other.line))
      text = text.replacing(other.line, with: other.new)
    }
    let marked = MarkedText(text)
    let reading = read(["tag.yaml": marked.text])
    #expect(reading.building == nil)
    let finding = try #require(
      reading.diagnostics.first { $0.code == wrong.code && $0.message.contains(wrong.message) },
      "\(reading.rendered)")
    #expect(finding.severity == .error && finding.range.text == 1)
    if let mark = marked[1] { #expect(finding.range.start.offset == mark.offset, "\(reading.rendered)") }
  }

  @Test(
    "the least and the most that a family file can say is valid",
    arguments: [
      ("title: Tag", "title: Tag\nwords: { noun: x }"),
      ("title: Tag", "title: Tag\nwords: { noun: \(String(repeating: "x", count: 500)) }"),
      ("write: STORE", "write: S"), ("write: STORE", "write: \(String(repeating: "x", count: 100))"),
      ("write: STORE", "write: \"0x\(String(repeating: "00", count: 100))\""),
      ("\"5401\"", "\"54\""), ("\"5401\"", "\"\(String(repeating: "54", count: 32))\""),
      ("proof: beacon", "slow_by: { setting: fade, verify: 1 }\nproof: beacon"),
      ("proof: beacon", "slow_by: { setting: fade, verify: 20 }\nproof: beacon"),
      ("range: 100ms..10s, step: 100ms", "range: 1s..1s, step: 1s"),
      ("range: 1..65535", "range: 7..7"), ("title: Tag", "title: Tag\nwords: {}"),
      ("manufacturer: 0x0B0B, starts: \"5401\", identity", "service_data: 5A3B, starts: \"5401\", identity"),
      ("identity: { manufacturer: 0x0B0B", "identity: { service_data: 5A3B"),
    ])
  func bounds(line: String, new: String) throws {
    try #require(Self.tag.contains(line))
    #expect(read(["tag.yaml": Self.tag.replacing(line, with: new)]).rendered == "")
  }

  @Test(
    "a setting may have any other name, also that of a setting of a built-in family with another range",
    arguments: [
      ("number", "minor"), ("mode: ", "m: "), ("mode: ", "\(String(repeating: "m", count: 32)): "),
      ("mode: ", "m_1: "),
    ])
  func names(old: String, new: String) throws {
    #expect(
      read(
        ["tag.yaml": Self.tag.replacing(old, with: new)], Self.manifest.replacing(old, with: new)
      ).rendered == "")
  }

  @Test("a family file without a family is an error at its name in the manifest")
  func empty() throws {
    let finding = try #require(
      read(["tag.yaml": "# none\n"]).diagnostics.first { $0.message == "the family file is empty" })
    #expect(finding.severity == .error && finding.range.text == 0 && finding.range.start.line == 2)
  }

  @Test("two files with one id, and two that recognise the same devices, are refused with both places")
  func twoFiles() throws {
    let manifest = Self.manifest.replacing("tag.yaml", with: "[tag.yaml, other.yaml]")
    let same = read(["tag.yaml": Self.tag, "other.yaml": Self.tag], manifest)
    let duplicate = try #require(same.diagnostics.first { $0.code == .duplicateFamily }, "\(same.rendered)")
    #expect(duplicate.range.text == 2 && duplicate.notes.map(\.range.text) == [1])
    let other = Self.tag.replacing("family: tag", with: "family: other")
    let both = read(["tag.yaml": Self.tag, "other.yaml": other], manifest)
    let ambiguous = try #require(both.diagnostics.first { $0.code == .ambiguousFamily }, "\(both.rendered)")
    #expect(ambiguous.range.text == 2 && ambiguous.notes.map(\.range.text) == [1])
  }

  @Test("a file with an error of its YAML describes no family")
  func errorOfYAML() {
    let reading = readFamily(
      Array((Self.tag + "\ntitle: Twice\n").utf8), file: "tag.yaml", beside: FamilyCatalogue())
    #expect(
      reading.diagnostics.map(\.code) == [.duplicateKey] && reading.family == nil, "\(reading.rendered)")
  }

  @Test("a family file in place of a manifest is named as such")
  func inPlaceOfManifest() {
    let reading = Files(files: [:]).read(Self.tag + "family: again\n")
    let finding = reading.diagnostics.first { $0.message.contains("this file is a family file") }
    #expect(finding?.range.start.line == 1)
  }

  @Test(
    "the example families are valid beside the built-in ones",
    arguments: ["battery-tag", "lamp-controller", "valve", "zephyr-wifi", "eddystone-url"])
  func examples(name: String) throws {
    let reading = try Self.alone("manifests/families/\(name).yaml", beside: .builtIn)
    #expect(reading.family?.id.rawValue == name && reading.rendered == "", "\(reading.rendered)")
  }

  /// So the tests of the built-in families are also those of the files.
  @Test(
    "built-in families that files describe are the same values",
    arguments: ["iot-design-shop", "robo-sensor"])
  func builtIn(name: String) throws {
    let reading = try Self.alone("Tests/DescribedFamilies/\(name).yaml", beside: FamilyCatalogue())
    let described = try #require(reading.family, "\(reading.rendered)")
    let builtIn = try #require(FamilyCatalogue.builtIn[FamilyID(rawValue: name)])
    #expect(described.procedure == builtIn.procedure)
    #expect(described.recognition == builtIn.recognition && described.identity == builtIn.identity)
    #expect(described.lifecycle == builtIn.lifecycle && described.proof == builtIn.proof)
    #expect(described.stages == builtIn.stages && described.timeouts == builtIn.timeouts)
    #expect(described.written == builtIn.written && described.service == builtIn.service)
    #expect(described.settings.map(\.essence) == builtIn.settings.map(\.essence))
  }

  private static func alone(_ path: String, beside families: FamilyCatalogue) throws -> FamilyReading {
    readFamily(Array(try Data(contentsOf: projectFile(path))), file: path, beside: families)
  }
}

extension SettingDescription {
  /// All of it, except for its documentation and its caution.
  fileprivate var essence: SettingDescription {
    var copy = self
    (copy.documentation, copy.caution) = ("", nil)
    return copy
  }
}
