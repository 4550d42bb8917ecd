import Bluetooth
import Families
import Manifest
import Model
import SampleFacts
import Source
import Testing

/// Reads manifests of several files in memory.
struct Files {
  var files: [String: String]

  func read(_ manifest: String) -> ManifestReading {
    readManifest(
      Array(manifest.utf8), file: "b.yaml", families: .builtIn,
      files: ManifestFiles { [files] path, _ in
        guard let text = files[path] else { return .failure(.missing) }
        return .success(.init(name: path, bytes: Array(text.utf8)))
      })
  }
}

@Suite("Rooms of a manifest")
struct LanguageTests {
  private func building(_ manifest: String, _ files: [String: String] = [:]) throws -> Building {
    let reading = Files(files: files).read(manifest)
    #expect(reading.rendered == "")
    return try #require(reading.building)
  }

  @Test("a range gives its rooms with increasing minors, and a later entry overrides only its own keys")
  func ranges() throws {
    let building = try building(
      """
      building: B
      match: later
      wifi: { guests: { ssid: Guests } }
      defaults: { wifi: guests }
      rooms:
        - { room: "Room {301..304}", minor: 301, retries: 5 }
        - { room: Room 303, minor: 999, wifi: none }
        - { room: Bar, minor: 1 }
      """)
    #expect(building.rooms.map(\.name) == ["Room 301", "Room 302", "Room 303", "Room 304", "Bar"])
    #expect(building.rooms.map(\.id) == ["room-301", "room-302", "room-303", "room-304", "bar"])
    #expect(building.rooms.map(\.minor) == [301, 302, 999, 304, 1])
    #expect(building.rooms.map(\.retries) == [5, 5, 5, 5, 2])
    #expect(building.rooms.map { $0.settings[.wifiSSID] != nil } == [true, true, false, true, true])
    #expect(building.assignment == .later)
  }

  @Test("the minors of a range may be a range")
  func rangeOfMinors() throws {
    let building = try building(
      """
      building: B
      match: any
      rooms:
        - { room: "{North,South}", minor: "{7,9}" }
        - { room: "Room {101..105..2}", minor: 1 }
        - { room: "Hall {9}", minor: 20, id: hall, near: hci0 }
        - { room: "{08..09}", minor: 30 }
      """)
    #expect(building.rooms.map(\.minor) == [7, 9, 1, 3, 5, 20, 30, 31])
  }

  @Test("a later range overrides an earlier one, and a second entry of a room is another room")
  func overlapping() {
    let reading = Files(files: [:]).read(
      """
      building: B
      match: any
      rooms:
        - { room: "Room {1..3}", minor: 1 }
        - { room: "Room {2..3}", minor: 12 }
        - { room: Room 3, minor: 99 }
        - { room: Room 3, minor: 98, id: other }

      """)
    #expect(reading.building?.rooms.map(\.minor) == [1, 12, 99, 98])
    #expect(reading.diagnostics.map(\.code) == [.duplicateRoom])
  }

  @Test("a building has at most 200,000 rooms")
  func most() {
    let ranges = ["A {1..65536}", "B {1..65536}", "C {1..65536}", "D {1..3392}", "E"]
    let rooms = ranges.map { "  - { room: \"\($0)\", minor: 0 }\n" }
    let reading = Files(files: [:]).read("building: B\nmatch: any\nrooms:\n\(rooms.joined())")
    #expect(reading.diagnostics.map(\.code) == [.tooManyRooms])
    #expect(reading.diagnostics.map(\.range.start.line) == [8])
  }

  @Test("floors and groups give defaults and tags to their rooms, and inner values win")
  func scopes() throws {
    let building = try building(
      """
      building: B
      match: any
      retries: 1
      wifi: { guests: { ssid: Guests }, staff: { ssid: Staff } }
      defaults: { wifi: guests }
      floors:
        - floor: ground
          retries: 3
          tags: low
          rooms: [{ room: Lobby, minor: 1, tags: [public, open] }]
          groups:
            - { group: kitchen, wifi: staff, rooms: [{ room: Stove, minor: 2, retries: 0 }, { room: Sink, minor: 3 }] }
        - { floor: 1, tags: guests, rooms: [{ room: "Room {101..102}", minor: 101 }] }
      groups:
        - { group: outside, tags: [wet], wifi: none, rooms: [{ room: Roof, minor: 9, floor: 2, tags: [wet, high] }] }
      rooms: [{ room: Cellar, minor: 10 }]
      """)
    let rooms = building.rooms
    #expect(rooms.map(\.name) == ["Lobby", "Stove", "Sink", "Room 101", "Room 102", "Roof", "Cellar"])
    #expect(rooms.map(\.floor) == ["ground", "ground", "ground", "1", "1", "2", nil])
    #expect(rooms.map(\.group) == [nil, "kitchen", "kitchen", nil, nil, "outside", nil])
    #expect(
      rooms.map(\.tags) == [
        ["low", "public", "open"], ["low", "kitchen"], ["low", "kitchen"], ["guests"], ["guests"],
        ["outside", "wet", "high"], [],
      ])
    #expect(rooms.map(\.retries) == [3, 0, 3, 1, 1, 1, 1])
    #expect(
      rooms.map { $0.settings[.wifiSSID]?.shown } == [
        "Guests", "Staff", "Staff", "Guests", "Guests", nil, "Guests",
      ])
  }

  @Test("a table gives rooms from named or mapped columns, with cells as written")
  func table() throws {
    let building = try building(
      """
      building: B
      wifi: { guests: { ssid: Guests }, no: { ssid: Norway } }
      floors:
        - floor: 3
          rooms_from:
            file: rooms.csv
            columns: { room: Zimmer, minor: Beacon-Nr. }
            ignore: [Bemerkung]
      """.replacing("no:", with: "\"no\":"),
      [
        "rooms.csv":
          "\u{FEFF}Zimmer;Beacon-Nr.;Address;WiFi;Tags;Bemerkung\r\n"
          + "007;7;C4:7C:8D:00:00:07;guests;\"east, , suite \";\"zwei\nZeilen\"\r\n"
          + ";;;;;\r\nyes;8;c4-7c-8d-00-00-08;no\r\n"
      ])
    #expect(building.rooms.map(\.name) == ["007", "yes"])
    #expect(building.rooms.map(\.minor) == [7, 8])
    #expect(building.rooms.map { $0.address?.description } == ["C4:7C:8D:00:00:07", "C4:7C:8D:00:00:08"])
    #expect(building.rooms.map(\.tags) == [["east", "suite"], []])
    #expect(building.rooms.map(\.floor) == ["3", "3"])
    #expect(building.rooms.map { $0.settings[.wifiSSID]?.shown } == ["Guests", "Norway"])
  }

  @Test("rows of a table override rooms of a range")
  func tableAndRange() throws {
    let building = try building(
      """
      building: B
      rooms: [{ room: "Room {1..3}", minor: 1 }]
      rooms_from: [addresses.csv]
      """,
      [
        "addresses.csv":
          "room,address\nRoom 1,C4:7C:8D:00:00:01\nRoom 2,C4:7C:8D:00:00:02\nRoom 3,C4:7C:8D:00:00:03\n"
      ])
    #expect(building.rooms.map(\.minor) == [1, 2, 3])
    #expect(
      building.rooms.map { $0.address?.rawValue } == [0xC47C_8D00_0001, 0xC47C_8D00_0002, 0xC47C_8D00_0003])
  }

  @Test("included files add networks")
  func include() throws {
    let building = try building(
      """
      building: B
      match: any
      include: [networks.yaml]
      wifi: { staff: { ssid: Staff } }
      rooms: [{ room: A, minor: 1, wifi: guests }, { room: B, minor: 2, wifi: staff }]
      """, ["networks.yaml": "wifi:\n  guests: { ssid: Guests }\n"])
    #expect(building.rooms.map { $0.settings[.wifiSSID]?.shown } == ["Guests", "Staff"])
  }

  @Test("adapters have aliases, places and slots")
  func adapters() throws {
    let building = try building(
      """
      building: B
      adapters:
        east: { address: 00-1a-7d-da-71-13, slots: 7, place: by the lift }
        hci1: { place: west }
      rooms: [{ room: A, minor: 1, near: east }, { room: B, minor: 2, near: hci1 }]
      """)
    #expect(
      building.adapters == [
        AdapterDescription("00:1A:7D:DA:71:13", alias: "east", slots: 7, place: "by the lift"),
        AdapterDescription("hci1", place: "west"),
      ])
    #expect(building.rooms.map(\.near) == ["00:1A:7D:DA:71:13", "hci1"])
  }

  @Test("the content of several files is a list with one item per file")
  func content() {
    let reading = Files(files: [
      "n.yaml": "wifi: { g: { ssid: G, password: hunter2345 } }", "r.csv": "room;minor\nA;01",
    ])
    .read("building: B\ninclude: n.yaml\nmatch: any\nrooms_from: r.csv\n")
    #expect(
      String(decoding: reading.content, as: UTF8.self)
        == #"[{"building":"B","include":"n.yaml","match":"any","rooms_from":"r.csv"},"#
        + #"{"wifi":{"g":{"ssid":"G","password":null}}},[["room","minor"],["A","01"]]]"#)
  }

  /// An exported table may have a column of passwords, which is ignored.
  @Test("the content of a table has no cell of a column that gives no key")
  func ignoredColumns() {
    func content(_ ignored: String, _ unnamed: String, room: String = "A") -> [UInt8] {
      Files(files: ["r.csv": "room;WLAN-Passwort;;minor\n\(room);\(ignored);\(unnamed);1"])
        .read("building: B\nmatch: any\nrooms_from: { file: r.csv, ignore: [WLAN-Passwort] }\n").content
    }
    #expect(
      String(decoding: content("hunter2345", "open-sesame"), as: UTF8.self).hasSuffix(
        #"[["room","WLAN-Passwort","","minor"],["A","","","1"]]]"#))
    #expect(content("hunter2345", "x") == content("another-one", "y"))
    #expect(content("x", "x") != content("x", "x", room: "B"))
    let twoNames = Files(files: ["r.csv": "Zimmer;Raum;minor\nA;B;1"])
      .read("building: B\nmatch: any\nrooms_from: r.csv\n")
    #expect(
      String(decoding: twoNames.content, as: UTF8.self).hasSuffix(
        #"[["Zimmer","Raum","minor"],["A","","1"]]]"#))
  }

  @Test(
    "a first row is a header if at least half of its cells are known",
    arguments: [
      ("room;minor;qx;qy", "", true), ("room;minor;qx;qy;qz", "", false), ("room;qx;qy", "", false),
      ("Ort;Nr;qx;qy", "columns: { room: Ort }, ignore: [Nr]", true),
      ("Ort;qx;qy;qz;qv", "columns: { room: Ort }", false),
    ])
  func header(row: String, mapping: String, isHeader: Bool) {
    let text = Files(files: ["r.csv": "\(row)\nA;1;2;3\n"])
      .read("building: B\nmatch: any\nrooms_from: { file: r.csv, \(mapping) }\n").rendered
    #expect(text.contains("not a key of a room") && text.contains("qx") == isHeader, "\(text)")
  }

  @Test("a table without a header shows none of its cells")
  func headless() {
    let reading = Files(files: ["r.csv": "Room 1;1;Guests;hunter2345\nRoom 2;2;Guests;hunter2345\n"])
      .read("building: B\nmatch: any\nrooms_from: r.csv\n")
    let text = reading.rendered(isColored: false)
    #expect(reading.building == nil && text.contains("not a key of a room"), "\(text)")
    #expect(!text.contains("hunter2345") && !text.contains("Room 1"), "\(text)")
  }

  @Test("an address is read in any usual form, with every digit, in manifest, table and adapters")
  func addresses() throws {
    let reading = Files(files: [
      "r.csv":
        "room;minor;address\nA;1;C47C8D000001\nB;2;c4-7c-8d-00-00-02\nC;3;C47C.8D00.0003\nD;4;001122334455\n"
    ]).read(
      """
      building: B
      adapters: { 001A7DDA7113: { slots: 7 }, lift: { address: 001122334466 } }
      rooms: [{ room: E, minor: 5, address: 001122334456 }, { room: F, minor: 6, address: 12E456789012 }]
      rooms_from: r.csv
      """)
    let building = try #require(reading.building, "\(reading.rendered)")
    #expect(
      building.rooms.map { $0.address?.description } == [
        "00:11:22:33:44:56", "12:E4:56:78:90:12", "C4:7C:8D:00:00:01", "C4:7C:8D:00:00:02",
        "C4:7C:8D:00:00:03", "00:11:22:33:44:55",
      ])
    #expect(building.adapters.map(\.reference) == ["00:1A:7D:DA:71:13", "00:11:22:33:44:66"])
    // Other YAML readers read numbers there.
    #expect(reading.diagnostics.map(\.code) == [.ambiguousText, .ambiguousText, .ambiguousText])
  }

  @Test("what a spreadsheet makes of addresses is named")
  func spoiltAddresses() {
    func advice(_ cell: String) -> String? {
      Files(files: ["r.csv": "room;minor;address\nA;1;\(cell)\n"]).read("building: B\nrooms_from: r.csv\n")
        .diagnostics.first?.advice
    }
    for cell in ["1,12233E+11", "1.12233E+11"] {
      #expect(advice(cell)?.contains("made a number of it") == true, "\(cell)")
    }
    #expect(advice("1122334455")?.contains("drops leading zeros") == true)
    #expect(advice("C47C8D00001")?.hasPrefix("it has 11 hex digits") == true)
    #expect(advice("C47C8D0000010")?.hasPrefix("it has 13 hex digits") == true)
    #expect(advice("7")?.hasPrefix("it has 1 hex digit:") == true)
    for cell in ["see label", "?"] { #expect(advice(cell)?.hasPrefix("write 12 hex digits") == true) }
  }

  @Test("a table in Windows-1252 is read with a warning, and gets an address without any other change")
  func windows() throws {
    func encoded(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
    let table = encoded("room;minor;address\r\nKüche;1;\r\nBüro;2;\r\n")
    let files = ManifestFiles { name, _ in .success(.init(name: name, bytes: table)) }
    let text = Array("building: B\nmatch: later\nrooms_from: r.csv\n".utf8)
    let reading = readManifest(text, file: "b.yaml", families: .builtIn, files: files)
    #expect(reading.building?.rooms.map(\.name) == ["Küche", "Büro"])
    #expect(
      reading.rendered == """
        r.csv:2:1: warning: the table is not UTF-8: it is read as Windows-1252 [assumed-encoding]
            2 | Küche;1;
              | ^~~~~
              = check that this cell is right, or export the table as “CSV UTF-8”

        """)
    let editor = try ManifestEditor(text, file: "b.yaml", families: .builtIn, files: files)
    let edit = try #require(
      try editor.setting(
        .address(BluetoothAddress(rawValue: 0xC47C_8D00_0001)), of: editor.building.rooms[0].id))
    #expect(edit.original == table)
    #expect(
      edit.bytes == encoded("room;minor;address\r\nKüche;1;C4:7C:8D:00:00:01\r\nBüro;2;\r\n"))
  }

  @Test("an EUI-64 in a table is converted only if a person says so, and only with FF:FE in its middle")
  func eui64() throws {
    let cells = ["C4:7C:8D:FF:FE:00:00:01", "C47C8DFFFE000002", "C4:7C:8D:FF:FF:00:00:03"]
    let table = "room,minor,address\n" + cells.enumerated().map { "Room \($0),\($0),\($1)\n" }.joined()
    let files = ManifestFiles { name, _ in .success(.init(name: name, bytes: Array(table.utf8))) }
    let text = Array("building: B\nrooms_from: r.csv\n".utf8)
    let reading = readManifest(text, file: "b.yaml", families: .builtIn, files: files)
    #expect(reading.building == nil && reading.fixed().isEmpty)
    #expect(reading.diagnostics.map { $0.fix?.question != nil } == [true, true, false])
    let fixed = try #require(reading.fixed(isAnswered: true).first)
    #expect(fixed.name == "r.csv" && fixed.count == 2)
    #expect(
      String(decoding: fixed.bytes, as: UTF8.self)
        == "room,minor,address\nRoom 0,0,C4:7C:8D:00:00:01\nRoom 1,1,C4:7C:8D:00:00:02\nRoom 2,2,\(cells[2])\n"
    )
  }

  @Test("unquoted text that other YAML readers read as another type is a warning with a fix")
  func ambiguous() throws {
    let reading = Files(files: [:]).read(
      """
      building: 2026-11-22
      match: any
      wifi: { no: { ssid: 1e3, password: 12345678 } }
      rooms: [{ room: on, minor: 1, wifi: no, floor: 3, tags: [0x10] }, { room: 301, minor: 2, floor: 01, tags: 07 }]
      """)
    let building = try #require(reading.building)
    #expect(building.rooms[0].settings[.wifiSSID] == .text("1e3"))
    #expect(building.rooms[0].settings[.wifiPassword] == .secret(Secret("12345678")))
    #expect(building.rooms.map(\.name) == ["on", "301"])
    #expect(building.rooms.map(\.floor) == ["3", "01"])
    #expect(reading.diagnostics.allSatisfy { $0.code == .ambiguousText && $0.fix != nil })
    #expect(reading.diagnostics.map(\.range.start.line) == [1, 3, 3, 3, 4, 4, 4, 4, 4])
    let fixed = try #require(reading.fixed().first)
    #expect(
      String(decoding: fixed.bytes, as: UTF8.self) == """
        building: "2026-11-22"
        match: any
        wifi: { "no": { ssid: "1e3", password: "12345678" } }
        rooms: [{ room: "on", minor: 1, wifi: "no", floor: 3, tags: ["0x10"] }, { room: 301, minor: 2, floor: "01", tags: "07" }]
        """)
  }

  @Test("the fix does not put quotes around an anchor and its text, nor around an alias")
  func ambiguousAlias() throws {
    let reading = Files(files: [:]).read(
      """
      building: B
      match: any
      rooms: [{ room: A, minor: 1, floor: &f 0x1, tags: &t [0x2] }, { room: C, minor: 2, floor: *f, tags: *t }]
      """)
    #expect(reading.diagnostics.map(\.code) == [.ambiguousText, .ambiguousText, .ambiguousText])
    let fixed = try #require(reading.fixed().first)
    #expect(fixed.count == 1)
    #expect(String(decoding: fixed.bytes, as: UTF8.self).contains("floor: &f 0x1, tags: &t [\"0x2\"] }"))
    #expect(String(decoding: fixed.bytes, as: UTF8.self).contains("floor: *f, tags: *t }"))
  }

  @Test(
    "the id of a room is made of the letters and digits of its name",
    arguments: [
      ("Cafe\u{301} 2", "cafe-2"), ("A ✓ B", "a-b"), ("A✓B", "a-b"), ("A\u{903}B", "a-b"),
      ("Straße", "strasse"),
    ])
  func slug(name: String, id: RoomID) throws {
    let building = try building("building: B\nmatch: any\nrooms: [{ room: \"\(name)\", minor: 1 }]\n")
    #expect(building.rooms.map(\.id) == [id])
  }

  @Test("names that differ only in Unicode normalization are duplicates")
  func unicodeForms() {
    let reading = Files(files: [:]).read(
      "building: B\nmatch: any\nrooms: [{ room: Caf\u{E9}, minor: 1 }, { room: Cafe\u{301}, minor: 2, id: other }]\n"
    )
    #expect(reading.diagnostics.map(\.code) == [.duplicateRoom])
  }

  @Test("a minor or address that differs from nearly all others is a warning")
  func suspicious() {
    let rooms = (1...12).map {
      "  - { room: Room \($0), minor: \($0), address: \"C4:7C:8D:00:00:\($0 + 10)\" }\n"
    }
    func findings(_ other: String) -> [Diagnostic] {
      Files(files: [:]).read("building: B\nrooms:\n\(rooms.joined())  - { \(other) }\n").diagnostics
    }
    #expect(findings("room: Room 13, minor: 13, address: \"C4:7C:8D:00:01:01\"") == [])
    #expect(findings("room: Lobby, minor: 99, address: \"C4:7C:8D:00:01:01\"") == [])
    let minor = findings("room: Room 13, minor: 31, address: \"C4:7C:8D:00:01:01\"")
    #expect(minor.map(\.code) == [.suspiciousNumber])
    #expect(minor.first?.range.start.line == 15)
    let address = findings("room: Room 13, minor: 13, address: \"C4:7C:D8:00:01:01\"")
    #expect(address.map(\.code) == [.suspiciousAddress])
    #expect(address.first?.advice?.contains("C4:7C:8D") == true)
    let range = "rooms: [{ room: \"Room {1..12}\", minor: 1 }, { room: Room 13, minor: 31 }]"
    #expect(Files(files: [:]).read("building: B\nmatch: any\n\(range)\n").diagnostics == [])
  }

  @Test(
    "a number is suspicious if it does not fit its room's name and nine of ten do; names with one number below a million count",
    arguments: [
      (["Room 0"], true), (["Room 999999"], true), (["Room 1000000"], false), (["Room 1 of 2"], false),
      (["Room 10", "Room 11"], false),
    ] as [([String], Bool)])
  func nearlyAll(names: [String], isSuspicious: Bool) {
    let usual = (1...9).map { "  - { room: Room \($0), minor: \($0) }\n" }
    let others = names.enumerated().map { number, name in
      "  - { room: \(name), minor: \(50 + 2 * number) }\n"
    }
    let rooms = (usual + others).joined()
    let codes = Files(files: [:]).read("building: B\nmatch: any\nrooms:\n\(rooms)").diagnostics.map(\.code)
    #expect(codes == (isSuspicious ? [.suspiciousNumber] : []))
  }

  @Test(
    "an error in a range, table or included file is reported at its place in its file",
    arguments: [
      ("rooms_from: none.csv", [:], "b.yaml", 3, DiagnosticCode.fileUnreadable),
      ("include: none.yaml\nrooms: [{ room: A, minor: 1 }]", [:], "b.yaml", 3, .fileUnreadable),
      ("rooms_from: r.csv", ["r.csv": ""], "b.yaml", 3, .badTable),
      ("rooms_from: r.csv", ["r.csv": "room;minor\nA;1;2;3"], "r.csv", 2, .badTable),
      ("rooms_from: r.csv", ["r.csv": "room;minor\nA;\"1"], "r.csv", 2, .badTable),
      ("rooms_from: r.csv", ["r.csv": "room;minor;adress\nA;1;"], "r.csv", 1, .unknownColumn),
      ("rooms_from: r.csv", ["r.csv": "room;minor;Minor\nA;1;"], "r.csv", 1, .duplicateColumn),
      (
        "rooms_from: { file: r.csv, columns: { minor: Nr } }", ["r.csv": "room;minor\nA;1"], "b.yaml", 3,
        .unknownColumn
      ),
      (
        "rooms_from: { file: r.csv, ignore: Nr }", ["r.csv": "room;minor\nA;1"], "b.yaml", 3, .unknownColumn
      ),
      (
        "rooms_from: { file: r.csv, ignore: [minr] }", ["r.csv": "room;minor\nA;1"], "b.yaml", 3,
        .unknownColumn
      ),
      ("rooms_from: r.csv", ["r.csv": "Zimmer;room;minor\nA;B;1"], "r.csv", 1, .unknownColumn),
      (
        "rooms_from: { file: r.csv, columns: { room: X } }", ["r.csv": "Zimmer;X;minor\nA;B;1"], "r.csv", 1,
        .unknownColumn
      ),
      ("rooms_from: { columns: {} }", [:], "b.yaml", 3, .missingKey),
      ("rooms_from: r.csv", ["r.csv": "room;minor\nA;007"], "r.csv", 2, .notANumber),
      ("rooms_from: r.csv", ["r.csv": "room;minor\nA;1\nB;1"], "r.csv", 3, .duplicateIdentity),
      ("rooms_from: r.csv", ["r.csv": "room;minor;power\nA;1;low"], "r.csv", 1, .unsupportedKey),
      ("rooms_from: r.csv", ["r.csv": "room;minor"], "b.yaml", 1, .noRooms),
      (
        "include: n.yaml\nrooms: [{ room: A, minor: 1 }]", ["n.yaml": "rooms: []\nwifi: {}"], "n.yaml", 1,
        .includedKey
      ),
      (
        "include: n.yaml\nrooms: [{ room: A, minor: 1 }]", ["n.yaml": "wifi:\n\t- a"], "n.yaml", 2,
        .tabIndentation
      ),
      (
        "include: n.yaml\nwifi: { g: { ssid: G } }\nrooms: [{ room: A, minor: 1 }]",
        ["n.yaml": "wifi: { g: { ssid: H } }"], "n.yaml", 1, .duplicateNetwork
      ),
      ("rooms: [{ room: \"Room {1..2\", minor: 1 }]", [:], "b.yaml", 3, .badRange),
      ("rooms: [{ room: \"Room {2-1}\", minor: 1 }]", [:], "b.yaml", 3, .badRange),
      ("rooms: [{ room: \"Room {5,1}\", minor: 1 }]", [:], "b.yaml", 3, .rangeValue),
      ("rooms: [{ room: \"Room {1..4}\", minor: 65534 }]", [:], "b.yaml", 3, .rangeValue),
      (
        "rooms: [{ room: \"Room {1..2}\", minor: 1, address: C4:7C:8D:00:00:01 }]", [:], "b.yaml", 3,
        .rangeValue
      ),
      ("rooms: [{ room: \"Room {1..2}\", minor: 65535 }]", [:], "b.yaml", 3, .rangeValue),
      ("rooms: [{ room: \"Room {1..2}\", minor: \"{1..3}\" }]", [:], "b.yaml", 3, .rangeValue),
      ("rooms: [{ room: \"Room {1..2}\", minor: x }]", [:], "b.yaml", 3, .notANumber),
      ("rooms: [{ room: \"Room {1..2}\", minor: 1, wifi: g }]", [:], "b.yaml", 3, .unknownNetwork),
      ("rooms: [{ room: A, minor: 1 }, { room: a, id: b, minor: 2 }]", [:], "b.yaml", 3, .similarRoom),
      ("floors: [{ floor: 1 }]", [:], "b.yaml", 3, .noRooms),
      ("floors: [{ rooms: [{ room: A, minor: 1 }] }]", [:], "b.yaml", 3, .missingKey),
      ("floors: [{ floor: 1, minor: 3, rooms: [{ room: A, minor: 1 }] }]", [:], "b.yaml", 3, .misplacedKey),
      (
        "groups: [{ group: g, power: low, rooms: [{ room: A, minor: 1 }] }]", [:], "b.yaml", 3, .unusedDefault
      ),
    ] as [(String, [String: String], String, Int, DiagnosticCode)])
  func places(manifest: String, files: [String: String], file: String, line: Int, code: DiagnosticCode) throws
  {
    let reading = Files(files: files).read("building: B\nmatch: any\n\(manifest)\n")
    #expect(reading.diagnostics.map(\.code) == [code], "\(reading.rendered)")
    let finding = try #require(reading.diagnostics.first)
    #expect(finding.range.start.line == line)
    #expect(reading.excerpts[finding.range.text].file == file)
    #expect(reading.rendered.hasPrefix("\(file):\(line):"))
  }

  @Test("a manifest from a pipe names no files, and any manifest names at most 100")
  func files() {
    let reading = readManifest(
      Array("building: B\nrooms_from: r.csv\n".utf8), file: "-", families: .builtIn)
    #expect(reading.diagnostics.map(\.code) == [.fileUnreadable])
    let many = Array(repeating: "r.csv", count: 101).joined(separator: ", ")
    let codes = Files(files: ["r.csv": "room\n"]).read("building: B\nrooms_from: [\(many)]\n").diagnostics
      .map(\.code)
    #expect(codes.contains(.documentTooLarge))
  }
}
