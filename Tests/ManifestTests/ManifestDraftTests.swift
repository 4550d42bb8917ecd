import Families
import Manifest
import Model
import SampleFacts
import Testing

@Suite("A new manifest from `init`")
struct ManifestDraftTests {
  @Test("a new manifest with any names is valid and has the given rooms and settings")
  func validates() throws {
    for name in [
      "Harbour House", "yes", "2026-11-22", "Haus: \"Zur Post\" #1", "007", "null", "— {a}", "Ärzte\\haus",
    ] {
      let draft = ManifestDraft(
        name: name, profile: "robo-sensor",
        networks: [
          .init(name: "guests", ssid: "no", password: .prompt),
          .init(name: "1e3", ssid: "Plant: 1", password: .environment("WIFI_PLANT")),
          .init(name: "open", ssid: "'", password: .none),
        ], match: .later,
        rooms: .entries([
          [.init("room", "Room {301..332}"), .init("minor", "301")],
          [.init("room", "on"), .init("minor", "1"), .init("wifi", "1e3")],
        ]))
      let reading = Files(files: [:]).read(draft.text)
      let building = try #require(reading.building, "\(reading.rendered)\n\(draft.text)")
      #expect(reading.diagnostics.isEmpty, "\(reading.rendered)")
      #expect(building.name == name)
      #expect(building.rooms.count == 33)
      #expect(building.rooms[31].minor == 332)
      #expect(building.rooms[0].settings[.wifiSSID] == .text("no"))
      #expect(building.rooms[32].settings[.wifiSSID] == .text("Plant: 1"))
    }
  }

  @Test("a new manifest maps the columns of a table")
  func table() throws {
    let table = "Zimmer;Beacon-Nr.;MAC;Etage;Bemerkung\n301;301;C47C8D000001;3;x\n"
      .replacing("C47C8D000001", with: "C4:7C:8D:00:00:01")
    let columns = TableColumns(
      headers: ["Zimmer", "Beacon-Nr.", "MAC", "Etage", "Bemerkung"], families: .builtIn)
    let draft = ManifestDraft(
      name: "B", profile: "robo-sensor", match: .address,
      rooms: .table(file: "r.csv", columns: columns.mapped, ignored: columns.ignored))
    let reading = Files(files: ["r.csv": table]).read(draft.text)
    #expect(reading.diagnostics.isEmpty, "\(reading.rendered)")
    let room = try #require(reading.building?.rooms.first)
    #expect(room.name == "301" && room.minor == 301 && room.floor == "3")
    let usual = ManifestDraft(
      name: "B", profile: "robo-sensor", match: .address,
      rooms: .table(file: "r.csv", columns: [], ignored: []))
    #expect(!usual.text.contains("columns:") && !usual.text.contains("ignore:"))
  }

  @Test(
    "the key of a column is guessed from its header",
    arguments: [
      (["Zimmer", "Minor", "MAC-Adresse"], ["room", "minor", "address"]),
      (["Room", "Beacon", "Address"], ["room", "minor", "address"]),
      (["ROOM", "name", "Minor ID", "Notes"], ["room", nil, "minor", nil]),
      (["Name", "Raum", "minor"], ["room", nil, "minor"]),
      (["Floor", "Etage", "WLAN", "Tags", "id"], ["floor", nil, "wifi", "tags", "id"]),
      (["Beacon-Nr.", "Minor"], [nil, "minor"]),
      (["", "room"], ["room"]),
    ] as [([String], [String?])])
  func columns(headers: [String], keys: [String?]) {
    #expect(TableColumns(headers: headers, families: .builtIn).columns.map(\.key) == keys)
  }

  @Test("a key that a person sets replaces the guess")
  func corrected() {
    var columns = TableColumns(headers: ["Zimmer", "Beacon", "Nr", "Notes"], families: .builtIn)
    #expect(columns.set("minor", of: "Nr") == true)
    #expect(columns.columns.map(\.key) == ["room", nil, "minor", nil])
    #expect(columns.set("minor", of: "Number") == false)
    #expect(columns.set("colour", of: "Nr") == false)
    #expect(columns.set(nil, of: "Zimmer") == true)
    #expect(columns.mapped == [.init("minor", "Nr")])
    #expect(columns.ignored == ["Zimmer", "Beacon", "Notes"])
    #expect(columns.columns.map(\.isNamedSo) == [false, false, false, false])
    var named = TableColumns(headers: ["Room", "Zimmer"], families: .builtIn)
    #expect(named.set("room", of: "Zimmer") == true)
    #expect(named.columns.map(\.key) == [nil, "room"])
    #expect(named.columns.map(\.isNamedSo) == [false, false])
    #expect(named.set("room", of: "Room") == true)
    #expect(named.columns.map(\.key) == ["room", nil])
    #expect(named.columns.map(\.isNamedSo) == [true, false])
  }

  @Test(
    "two numbers with a hyphen are a range, unless they can be a room's own number",
    arguments: [
      ("101-140", "{101..140}"), ("1 – 40", "{1..40}"), ("Room 101-140", "Room {101..140}"),
      ("Room 301..332", "Room {301..332}"), ("Room 3-12", "Room 3-12"), ("Room 140-101", "Room 140-101"),
      ("Room 1-2", "Room 1-2"), ("0-1", "{0..1}"), ("7-7", "7-7"), ("1-999999999", "{1..999999999}"),
      ("1-1000000000", "1-1000000000"), ("Room {301..332}", "Room {301..332}"), ("Lobby", "Lobby"),
    ])
  func roomNames(text: String, name: String) {
    #expect(ManifestDraft.roomName(text) == name)
  }
}
