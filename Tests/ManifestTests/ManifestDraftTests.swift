import CSV
import Families
import Manifest
import Model
import SampleFacts
import Source
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

  private static func columns(
    of text: String, needed: [String] = [], given: [ManifestDraft.Pair] = []
  ) throws -> TableColumns {
    TableColumns(
      try CSVReader.read(SourceText(Array(text.utf8))), families: .builtIn, needed: needed, given: given)
  }

  @Test("a new manifest maps the columns of a table")
  func table() throws {
    let table = "Zimmer;Beacon-Nr.;MAC;Etage;Bemerkung\n301;301;C47C8D000001;3;x\n"
      .replacing("C47C8D000001", with: "C4:7C:8D:00:00:01")
    let columns = try Self.columns(of: table)
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
    "the key of a column is known from its header; an exact one wins, and of two others none is taken",
    arguments: [
      ("Zimmer;Minor;MAC-Adresse", ["room", "minor", "address"], []),
      ("Room;Beacon;Address", ["room", "minor", "address"], []),
      ("ROOM;name;Minor ID;Notes", ["room", nil, "minor", nil], []),
      ("Name;Raum;minor", [nil, nil, "minor"], ["room"]),
      ("Floor;Etage;WLAN;Tags;id", ["floor", nil, "wifi", "tags", "id"], []),
      ("Beacon-Nr.;Minor", [nil, "minor"], []), (";room", ["room"], []),
      ("Raum / Room;Minor (0-65535)", ["room", "minor"], []),
      ("部屋番号;階;MACアドレス", ["room", "floor", "address"], []),
    ] as [(String, [String?], [String])])
  func columns(headers: String, keys: [String?], asked: [String]) throws {
    let columns = try Self.columns(of: headers)
    #expect(columns.columns.map(\.key) == keys)
    #expect(columns.questions.map(\.key) == asked)
  }

  @Test("the column of addresses is known by what is in it; for another key, content only gives candidates")
  func content() throws {
    let table = "Nr;Text;Adresse;Etikett\n1;A;Seeweg 1;C4:7C:8D:00:00:01\n2;B;Seeweg 2;C4:7C:8D:00:00:02\n"
    let columns = try Self.columns(of: table, needed: ["room", "minor"])
    #expect(columns.columns.map(\.key) == [nil, nil, nil, "address"])
    #expect(columns.column(of: "address")?.reason == .content)
    #expect(columns.questions.map(\.key) == ["room", "minor"])
    #expect(columns.questions.map(\.candidates) == [["Text", "Adresse", "Nr"], ["Nr"]])
    #expect(columns.questions.allSatisfy { !$0.isByWord })
    let two = table.replacing("Text", with: "LAN").replacing(";A;", with: ";C4:7C:8D:00:01:01;")
    #expect(try Self.columns(of: two).questions.map(\.candidates) == [["LAN", "Etikett"]])
  }

  @Test("the header is below titles, and above the first address if no word is known")
  func header() throws {
    #expect(try Self.columns(of: "Haus A;;\n;;\nZimmer;Minor;MAC\n1;2;\n").header == 1)
    #expect(try Self.columns(of: "Lista;\nPokój;Etykieta\nA;C4:7C:8D:00:00:01\n").header == 1)
    let bare = try Self.columns(of: "A1;C4:7C:8D:00:00:01\nA2;C4:7C:8D:00:00:02\n")
    #expect(bare.header == nil && bare.columns.map(\.header) == ["A", "B"] && bare.rows.count == 2)
  }

  @Test("a key that a person gives replaces what the headers say")
  func corrected() throws {
    let table = "Zimmer;Beacon;Nr;Notes\n1;2;3;4\n"
    let columns = try Self.columns(of: table, given: [.init("minor", "Nr"), .init("", "Zimmer")])
    #expect(columns.columns.map(\.key) == [nil, nil, "minor", nil])
    #expect(columns.mapped == [.init("minor", "Nr")])
    #expect(columns.ignored == ["Zimmer", "Beacon", "Notes"])
    for unknown in [ManifestDraft.Pair("minor", "Number"), .init("colour", "Nr")] {
      #expect(try Self.columns(of: table, given: [unknown]).unknown == [unknown])
    }
  }

  @Test("a secret in a table is no key of a room")
  func secret() throws {
    let columns = try Self.columns(of: "Room;pop;minor\nA;abcd1234;1\n", needed: ["room", "minor"])
    #expect(columns.columns.map(\.key) == ["room", nil, "minor"])
    #expect(columns.columns.map(\.secret) == [nil, "pop", nil])
    #expect(columns.questions.isEmpty)
  }

  @Test(
    "commas separate rooms, and two numbers with a hyphen are a range",
    arguments: [
      ("101-140", ["{101..140}"], true), ("1 – 40", ["{1..40}"], true),
      ("Room 101-140", ["Room {101..140}"], true),
      ("Room 301..332", ["Room {301..332}"], true), ("Room 3-12", ["Room {3..12}"], false),
      ("Room 1-40", ["Room {1..40}"], false), ("Room 140-101", ["Room 140-101"], true),
      ("Room 1-2", ["Room {1..2}"], false), ("0-1", ["{0..1}"], true), ("7-7", ["7-7"], true),
      ("1-1000000000", ["1-1000000000"], true), ("Room {301..332}", ["Room {301..332}"], true),
      ("Lobby", ["Lobby"], true), ("101-110, 201-220", ["{101..110}", "{201..220}"], false),
      (
        "Lobby, Room 101-110, 201-220, 305", ["Lobby", "Room {101..110}", "Room {201..220}", "Room 305"],
        false
      ),
      ("Bar, 1-3", ["Bar", "{1..3}"], false),
    ])
  func roomNames(text: String, entries: [String], isCertain: Bool) {
    #expect(ListedRooms(text).entries == entries)
    #expect(ListedRooms(text).isCertain == isCertain)
  }

  @Test("the rooms of a range are counted, with the first and the last")
  func summary() {
    #expect(ListedRooms.summary(ListedRooms("Room 1-40").names) == "40 rooms: Room 1 … Room 40")
    #expect(ListedRooms.summary(ListedRooms("101-110, 201-220").names) == "30 rooms: 101 … 220")
    #expect(ListedRooms.summary(["Lobby"]) == "1 room: Lobby")
  }
}
