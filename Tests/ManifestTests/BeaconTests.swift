import Bluetooth
import Families
import Manifest
import MarkedText
import Model
import Source
import Testing

@Suite("`beacon`, the expected advertisement") struct BeaconTests {
  private static let uuid: BluetoothUUID = "6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B"

  private static func read(_ text: String) -> ManifestReading {
    readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
  }

  /// UUID and major that each room expects.
  private static func expected(_ text: String) throws -> [String] {
    let reading = read(text)
    #expect(reading.rendered == "")
    return try #require(reading.building, "\(reading.rendered)").rooms.map { room in
      [room.settings[.beaconUUID]?.shown, room.settings[.beaconMajor]?.shown].map { $0 ?? "-" }
        .joined(separator: " ")
    }
  }

  @Test(
    "`beacon` is read at the top, under `defaults`, in a floor and in a room, and the innermost value wins for each key"
  )
  func places() throws {
    let rooms = """
      rooms:
        - { room: A, minor: 1, address: C4:7C:8D:00:00:01 }
        - { room: B, minor: 2, address: C4:7C:8D:00:00:02, beacon: { major: 9 } }
        - { room: C, minor: 3, register: true, address: C4:7C:8D:00:00:03 }
        - { room: D, profile: firefly, control: 1, value: 1, range: 1, address: C4:7C:8D:00:00:04 }
      """
    #expect(
      try Self.expected("building: B\nbeacon: { uuid: \(Self.uuid), major: 7 }\n\(rooms)\n")
        == ["\(Self.uuid) 7", "\(Self.uuid) 9", "\(Self.uuid) 7", "- -"])
    let floor = rooms.split(separator: "\n").joined(separator: "\n    ")
    #expect(
      try Self.expected(
        """
        building: B
        beacon: { uuid: \(Self.uuid), major: 7 }
        floors:
          - floor: 1
            beacon: { major: 8 }
            \(floor)

        """)
        == ["\(Self.uuid) 8", "\(Self.uuid) 9", "\(Self.uuid) 8", "- -"])
    #expect(
      try Self.expected("building: B\ndefaults: { beacon: { uuid: \(Self.uuid) } }\n\(rooms)\n")
        == ["\(Self.uuid) -", "\(Self.uuid) 9", "\(Self.uuid) -", "- -"])
    #expect(try Self.expected("building: B\n\(rooms)\n") == ["- -", "- 9", "- -", "- -"])
  }

  @Test("two rooms may share a minor only if their expected beacons differ")
  func identities() throws {
    let rooms = """
      building: B
      rooms:
        - { room: A, minor: 1, address: C4:7C:8D:00:00:01 }
        - { room: B, minor: 1, address: C4:7C:8D:00:00:02, beacon: { major: MAJOR } }
      """
    #expect(try Self.expected(rooms.replacing("MAJOR", with: "2")) == ["- -", "- 2"])
    // The factory's major is 1.
    let same = Self.read(rooms.replacing("MAJOR", with: "1"))
    #expect(same.diagnostics.map(\.message) == ["another room has the minor 1, on line 3"])
  }

  @Test(
    "an invalid `beacon` is an error at its place",
    arguments: [
      ("beacon: 1️⃣\(Self.uuid)", "`beacon` is a mapping of keys and values"),
      ("beacon: 1️⃣{}", "`beacon` is empty"),
      ("beacon: { uuid: 1️⃣1234 }", "`uuid` is not a UUID"),
      ("beacon: { uuid: 1️⃣180F }", "`uuid` is not a UUID"),
      (
        "beacon: { uuid: 1️⃣00000000-0000-0000-0000-000000000000 }",
        "`uuid` is a reserved UUID"
      ),
      ("beacon: { major: 1️⃣65536 }", "`major` is 65536, outside of 0…65535"),
      ("beacon: { major: 7, 1️⃣minor: 1 }", "unknown key in `beacon`"),
    ])
  func errors(_ marked: String, _ message: String) throws {
    let rooms = "rooms: [{ room: A, minor: 1, address: C4:7C:8D:00:00:01 }]\n"
    let place = MarkedText("building: B\n\(marked)\n\(rooms)")
    let findings = Self.read(place.text).diagnostics
    #expect(findings.map(\.message) == [message])
    #expect(findings.map(\.range.start) == [place[1]])
    let inRoom = "building: B\nrooms: [{ room: A, minor: 1, address: C4:7C:8D:00:00:01, \(marked) }]\n"
    #expect(Self.read(MarkedText(inRoom).text).diagnostics.map(\.message) == [message])
  }

  @Test("a family without a firmware beacon refuses `beacon` and says why")
  func otherFamilies() throws {
    let place = MarkedText(
      """
      building: B
      rooms:
        - { room: A, profile: firefly, control: 1, value: 1, range: 1, address: C4:7C:8D:00:00:01, 1️⃣beacon: { major: 1 } }
        - { room: B, profile: iot-design-shop, uuid: \(Self.uuid), major: 1, minor: 1, register: true, address: C4:7C:8D:00:00:02, 2️⃣beacon: { major: 1 } }

      """)
    let findings = Self.read(place.text).diagnostics
    #expect(
      findings.map(\.message) == [
        "a Firefly takes no `beacon`", "an IoT Design Shop beacon takes no `beacon`",
      ])
    #expect(findings.map(\.range.start) == [place[1], place[2]])
    #expect(findings[1].advice == "roboprov writes its beacon: give `uuid` and `major`")
  }

  @Test(
    "a `beacon` that no room takes is a warning, at the top and under `defaults`",
    arguments: [
      "profile: firefly\n1️⃣beacon: { major: 7 }", "defaults: { profile: firefly, 1️⃣beacon: { major: 7 } }",
    ])
  func unused(keys: String) throws {
    let place = MarkedText(
      """
      building: B
      \(keys)
      rooms: [{ room: A, control: 1, value: 1, range: 1, address: C4:7C:8D:00:00:01 }]

      """)
    let reading = Self.read(place.text)
    #expect(reading.building != nil)
    #expect(reading.diagnostics.map(\.message) == ["no room here takes `beacon`"])
    #expect(reading.diagnostics.map(\.range.start) == [place[1]])
    #expect(
      reading.diagnostics.allSatisfy {
        $0.severity == .warning && $0.advice?.contains("a Robo Sensor does") == true
      })
  }
}
