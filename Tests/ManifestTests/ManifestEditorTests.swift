import Bluetooth
import Families
import Manifest
import Model
import Synchronization
import Testing

@Suite("Writing an address or a name into a manifest")
struct ManifestEditorTests {
  static let address: BluetoothAddress = BluetoothAddress(rawValue: 0xC47C_8D00_00FF)
  static let head = "building: B\nmatch: later\n"

  /// A manifest before and after the address of room `R` is set.
  struct Layout: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var before: String
    var after: String
    var room: RoomID = "r"

    init(_ name: String, _ before: String, _ after: String, room: RoomID = "r") {
      (testDescription, self.before, self.after, self.room) = (name, before, after, room)
    }
  }

  private static func manifestFiles(_ files: [String: String]) -> ManifestFiles {
    ManifestFiles { path, _ in
      guard let text = files[path] else { return .failure(.missing) }
      return .success(.init(name: path, bytes: Array(text.utf8)))
    }
  }

  private func edit(
    _ manifest: String, _ files: [String: String] = [:], room: RoomID = "r",
    device: DeviceReference = .address(Self.address)
  ) throws -> ManifestEditor.Edit? {
    try editor(manifest, files).setting(device, of: room)
  }

  private func editor(_ manifest: String, _ files: [String: String] = [:]) throws -> ManifestEditor {
    try ManifestEditor(
      Array(manifest.utf8), file: "b.yaml", families: .builtIn, files: Self.manifestFiles(files))
  }

  static let layouts: [Layout] = [
    Layout(
      "a value in double quotes", "rooms:\n- { room: R, address: \"C4:7C:8D:00:00:01\", minor: 1 } # R\n",
      "rooms:\n- { room: R, address: \"C4:7C:8D:00:00:FF\", minor: 1 } # R\n"),
    Layout(
      "a value in single quotes, with hyphens",
      "rooms:\n  - room: R\n    address:   'c4-7c-8d-00-00-01' # label\n    minor: 1\n",
      "rooms:\n  - room: R\n    address:   'C4:7C:8D:00:00:FF' # label\n    minor: 1\n"),
    Layout(
      "a value without quotes", "rooms:\n- room: R\n  address: C4:7C:8D:00:00:01\n  minor: 1",
      "rooms:\n- room: R\n  address: C4:7C:8D:00:00:FF\n  minor: 1"),
    Layout(
      "a value on a line of its own", "rooms:\n- room: R\n  address:\n    C4:7C:8D:00:00:01\n  minor: 1\n",
      "rooms:\n- room: R\n  address:\n    C4:7C:8D:00:00:FF\n  minor: 1\n"),
    Layout(
      "a folded value", "rooms:\n- room: R\n  address: >-\n    C4:7C:8D:00:00:01\n\n  minor: 1\n",
      "rooms:\n- room: R\n  address: \"C4:7C:8D:00:00:FF\"\n\n  minor: 1\n"),
    Layout(
      "an entry in braces without an address", "rooms:\n- {room: R, minor: 1}\n",
      "rooms:\n- {room: R, minor: 1, address: \"C4:7C:8D:00:00:FF\"}\n"),
    Layout(
      "a neighbour without quotes, below another one",
      "rooms:\n- { room: B, minor: 3, address: 'C4:7C:8D:00:00:03' }\n- { room: A, minor: 2, address: C4:7C:8D:00:00:02 }\n- { room: R, minor: 1 }\n",
      "rooms:\n- { room: B, minor: 3, address: 'C4:7C:8D:00:00:03' }\n- { room: A, minor: 2, address: C4:7C:8D:00:00:02 }\n- { room: R, minor: 1, address: C4:7C:8D:00:00:FF }\n"
    ),
    Layout(
      "a neighbour in single quotes, above another one",
      "rooms:\n- { room: R, minor: 1 }\n- { room: A, minor: 2, address: 'C4:7C:8D:00:00:02' }\n- { room: B, minor: 3, address: C4:7C:8D:00:00:03 }\n",
      "rooms:\n- { room: R, minor: 1, address: 'C4:7C:8D:00:00:FF' }\n- { room: A, minor: 2, address: 'C4:7C:8D:00:00:02' }\n- { room: B, minor: 3, address: C4:7C:8D:00:00:03 }\n"
    ),
    Layout(
      "braces over several lines", "rooms:\n- {\n    room: R, # here\n    minor: 1, # there }\n  }\n",
      "rooms:\n- {\n    room: R, # here\n    minor: 1, address: \"C4:7C:8D:00:00:FF\", # there }\n  }\n"),
    Layout(
      "JSON", #"{"rooms":[{"room":"R","minor":"1"},{"room":"A","minor":"2"}]}"#,
      #"{"rooms":[{"room":"R","minor":"1", "address": "C4:7C:8D:00:00:FF"},{"room":"A","minor":"2"}]}"#),
    Layout(
      "an entry of lines",
      "rooms:\n  - room: R # the one\n    minor: 1 # its minor\n    # more\n    retries: 1\n\n# end\n",
      "rooms:\n  - room: R # the one\n    minor: 1 # its minor\n    address: \"C4:7C:8D:00:00:FF\"\n    # more\n    retries: 1\n\n# end\n"
    ),
    Layout(
      "the last line, not ended", "rooms:\n  -  minor: 1\n     room: R",
      "rooms:\n  -  minor: 1\n     address: \"C4:7C:8D:00:00:FF\"\n     room: R"),
    Layout(
      "keys in quotes", "rooms:\n- \"room\": R\n  \"minor\": 1\n",
      "rooms:\n- \"room\": R\n  \"minor\": 1\n  \"address\": \"C4:7C:8D:00:00:FF\"\n"),
    Layout(
      "the first key in quotes", "rooms:\n- { \"room\": R, minor: 1 }\n",
      "rooms:\n- { \"room\": R, minor: 1, \"address\": \"C4:7C:8D:00:00:FF\" }\n"),
    Layout(
      "a dash on a line of its own", "rooms:\n-\n  room: R\n  minor: 1\n- room: A\n  minor: 2\n",
      "rooms:\n-\n  room: R\n  minor: 1\n  address: \"C4:7C:8D:00:00:FF\"\n- room: A\n  minor: 2\n"),
    Layout(
      "an anchor", "rooms:\n- &r\n  room: R\n  minor: 1\n- &a { room: A, minor: 2 }\n",
      "rooms:\n- &r\n  room: R\n  minor: 1\n  address: \"C4:7C:8D:00:00:FF\"\n- &a { room: A, minor: 2 }\n"),
    Layout(
      "an anchor and braces", "rooms:\n- &r { room: R, minor: 1 }\n",
      "rooms:\n- &r { room: R, minor: 1, address: \"C4:7C:8D:00:00:FF\" }\n"),
    Layout(
      "values of several lines only", "rooms:\n- room: >-\n    R\n  minor: |-\n    1\n",
      "rooms:\n- room: >-\n    R\n  minor: |-\n    1\n  address: \"C4:7C:8D:00:00:FF\"\n"),
    Layout(
      "a number on a line of its own", "rooms:\n- minor:\n    1 # its minor\n  room: R\n",
      "rooms:\n- minor:\n    1 # its minor\n  address: \"C4:7C:8D:00:00:FF\"\n  room: R\n"),
    Layout(
      "Windows", "rooms:\r\n- room: R\r\n  minor: 1\r\n# end\r\n",
      "rooms:\r\n- room: R\r\n  minor: 1\r\n  address: \"C4:7C:8D:00:00:FF\"\r\n# end\r\n"),
    Layout(
      "an old Macintosh", "rooms:\r- room: R\r  minor: 1\r- { room: A, minor: 2 }\r",
      "rooms:\r- room: R\r  minor: 1\r  address: \"C4:7C:8D:00:00:FF\"\r- { room: A, minor: 2 }\r"),
    Layout(
      "one of a range", "rooms:\n  - { room: \"Room {1..3}\", minor: 1 }  # all\n  - { room: A, minor: 9 }\n",
      "rooms:\n  - { room: \"Room {1..3}\", minor: 1 }  # all\n  - { room: Room 2, address: \"C4:7C:8D:00:00:FF\" }\n  - { room: A, minor: 9 }\n",
      room: "room-2"),
    Layout(
      "one of a range of which others have an entry",
      "rooms:\n- room: \"{1..5}\"\n  minor: 1\n- { room: 1, address: C4:7C:8D:00:00:01 }\n- { room: 2, retries: 1 }\n- { room: 4, address: C4:7C:8D:00:00:04 }\n",
      "rooms:\n- room: \"{1..5}\"\n  minor: 1\n- { room: 1, address: C4:7C:8D:00:00:01 }\n- { room: 2, retries: 1 }\n- { room: 3, address: C4:7C:8D:00:00:FF }\n- { room: 4, address: C4:7C:8D:00:00:04 }\n",
      room: "3"),
    Layout(
      "an entry of lines for one of a range",
      "rooms:\n- room: \"R{1..3}\"\n  minor: 1\n- room: R2\n  retries: 1\n",
      "rooms:\n- room: \"R{1..3}\"\n  minor: 1\n- room: R2\n  address: \"C4:7C:8D:00:00:FF\"\n  retries: 1\n",
      room: "r2"),
    Layout(
      "one of a range of which another range changes others",
      "rooms:\n- { room: \"R{1..9}\", minor: 1 }\n- { room: \"R{2..3}\", retries: 1 }\n",
      "rooms:\n- { room: \"R{1..9}\", minor: 1 }\n- { room: R4, address: \"C4:7C:8D:00:00:FF\" }\n- { room: \"R{2..3}\", retries: 1 }\n",
      room: "r4"),
    Layout(
      "one of a range, on a floor",
      "floors:\n  - floor: 3\n    rooms:\n      - room: \"R{1..2}\"\n        minor: 1\n  - { floor: 4, rooms: [{ room: A, minor: 9 }] }",
      "floors:\n  - floor: 3\n    rooms:\n      - room: \"R{1..2}\"\n        minor: 1\n      - { room: R2, address: \"C4:7C:8D:00:00:FF\" }\n  - { floor: 4, rooms: [{ room: A, minor: 9 }] }",
      room: "r2"),
    Layout(
      "one of a range between brackets", "rooms: [ { room: \"R{1..2}\", minor: 1 } , { room: A, minor: 9 } ]",
      "rooms: [ { room: \"R{1..2}\", minor: 1 }, { room: R1, address: \"C4:7C:8D:00:00:FF\" } , { room: A, minor: 9 } ]",
      room: "r1"),
    Layout(
      "one of a range whose name needs quotes",
      "rooms:\n- { room: \"a: {1..2}\", minor: 1 }\n- { room: \"{on,off}\", minor: 7 }\n",
      "rooms:\n- { room: \"a: {1..2}\", minor: 1 }\n- { room: \"a: 2\", address: \"C4:7C:8D:00:00:FF\" }\n- { room: \"{on,off}\", minor: 7 }\n",
      room: "a-2"),
    Layout(
      "one of a range that other readers take for something else",
      "rooms:\n- { room: \"{on,off}\", minor: 7 }",
      "rooms:\n- { room: \"{on,off}\", minor: 7 }\n- { room: \"off\", address: \"C4:7C:8D:00:00:FF\" }",
      room: "off"),
    Layout(
      "one of two ranges", "rooms:\n- { room: \"R{1..9}\", minor: 1 }\n- { room: \"R{2..3}\", retries: 1 }\n",
      "rooms:\n- { room: \"R{1..9}\", minor: 1 }\n- { room: \"R{2..3}\", retries: 1 }\n- { room: R3, address: \"C4:7C:8D:00:00:FF\" }\n",
      room: "r3"),
  ]

  @Test("an address changes one line and no other byte", arguments: layouts)
  func layout(_ layout: Layout) throws {
    for mark in ["", "\u{FEFF}"] {
      let isJSON = layout.before.hasPrefix("{")
      let lineEnd = layout.before.contains("\r\n") ? "\r\n" : layout.before.contains("\r") ? "\r" : "\n"
      let head =
        isJSON ? "" : mark + Self.head.replacing("\n", with: lineEnd)
      func whole(_ text: String) -> String {
        isJSON ? mark + #"{"building": B, "match": later, "# + text.dropFirst() : head + text
      }
      let (before, after) = (whole(layout.before), whole(layout.after))
      let edit = try #require(try edit(before, room: layout.room))
      #expect(edit.file == "b.yaml")
      #expect(String(decoding: edit.bytes, as: UTF8.self) == after)
      #expect(edit.line == zip(Self.lines(before), Self.lines(after)).prefix { $0 == $1 }.count + 1)
    }
  }

  @Test("an address of digits only is quoted even if the others are not")
  func digits() throws {
    let digits = try #require(BluetoothAddress("10:20:30:40:50:55"))
    let before =
      Self.head + "rooms:\n- { room: R, minor: 1, address: C4:7C:8D:00:00:01 }\n- { room: A, minor: 2 }\n"
    let first = try #require(try edit(before, room: "r", device: .address(digits)))
    #expect(
      String(decoding: first.bytes, as: UTF8.self).contains("minor: 1, address: \"10:20:30:40:50:55\" }"))
    let second = try #require(try edit(before, room: "a", device: .address(digits)))
    #expect(
      String(decoding: second.bytes, as: UTF8.self).contains("minor: 2, address: \"10:20:30:40:50:55\" }"))
  }

  @Test(
    "an address in a table changes the cell of its row",
    arguments: [
      ("room;minor;address\nA;2;\nR;1;\n", "room;minor;address\nA;2;\nR;1;C4:7C:8D:00:00:FF\n"),
      ("room,address,minor\r\nR, ,1\r\n", "room,address,minor\r\nR, C4:7C:8D:00:00:FF,1\r\n"),
      ("\u{FEFF}room\taddress\tminor\nR\t\t1", "\u{FEFF}room\taddress\tminor\nR\tC4:7C:8D:00:00:FF\t1"),
      ("room,minor,retries,address\nR,1\nA,2\n", "room,minor,retries,address\nR,1,,C4:7C:8D:00:00:FF\nA,2\n"),
      ("room;minor;address\nR;1;\"\"\n", "room;minor;address\nR;1;\"C4:7C:8D:00:00:FF\"\n"),
      (
        "room;minor;address\n\"A;A\";2;\"C4:7C:8D:00:00:02\"\nR;1;\n",
        "room;minor;address\n\"A;A\";2;\"C4:7C:8D:00:00:02\"\nR;1;\"C4:7C:8D:00:00:FF\"\n"
      ),
      ("room;minor;address\nR;1;c4-7c-8d-00-00-01\n", "room;minor;address\nR;1;C4:7C:8D:00:00:FF\n"),
      ("sep=;\nroom;minor;Address\n\nR;1\n", "sep=;\nroom;minor;Address\n\nR;1;C4:7C:8D:00:00:FF\n"),
      (
        "room;minor;address\nR;1;\nA;2;\"C4:7C:8D:00:00:02\"\nB;3;C4:7C:8D:00:00:03\n",
        "room;minor;address\nR;1;\"C4:7C:8D:00:00:FF\"\nA;2;\"C4:7C:8D:00:00:02\"\nB;3;C4:7C:8D:00:00:03\n"
      ),
      (
        "room;minor;address\nA;2;\"C4:7C:8D:00:00:02\"\nB;3;C4:7C:8D:00:00:03\nR;1;\n",
        "room;minor;address\nA;2;\"C4:7C:8D:00:00:02\"\nB;3;C4:7C:8D:00:00:03\nR;1;C4:7C:8D:00:00:FF\n"
      ),
    ])
  func table(before: String, after: String) throws {
    let edit = try #require(
      try edit(Self.head + "rooms_from: [r.csv, s.csv]\n", ["r.csv": before, "s.csv": "room,minor\nZ,99\n"]))
    #expect(edit.file == "r.csv")
    #expect(String(decoding: edit.bytes, as: UTF8.self) == after)
  }

  @Test("an address in a table goes into the mapped column, also in a row that overrides a room of a range")
  func mapped() throws {
    let manifest =
      Self.head
      + "rooms: [{ room: \"{1..3}\", minor: 1 }]\nrooms_from: { file: r.csv, columns: { address: MAC } }\n"
    let edit = try #require(try edit(manifest, ["r.csv": "room,MAC\n2,\n"], room: "2"))
    #expect(edit.file == "r.csv" && edit.line == 2)
    #expect(String(decoding: edit.bytes, as: UTF8.self) == "room,MAC\n2,C4:7C:8D:00:00:FF\n")
  }

  @Test("an address that cannot be written by changing one line is refused with the reason")
  func refusals() throws {
    func refusal(_ manifest: String, _ files: [String: String] = [:], room: RoomID = "r")
      -> ManifestEditError?
    {
      #expect(throws: ManifestEditError.self) { try edit(Self.head + manifest, files, room: room) }
    }
    #expect(refusal("rooms: [{ room: R }]") == .notValid)
    #expect(refusal("rooms: [{ room: R, minor: 1 }]", room: "s") == .unknownRoom)
    #expect(
      refusal("rooms: [{ room: R, minor: 1 }, { room: A, minor: 2, address: \"C4:7C:8D:00:00:FF\" }]")
        == .taken(by: "a"))
    #expect(
      refusal("rooms_from: r.csv", ["r.csv": "room,minor\nR,1\n"]) == .noColumn(file: "r.csv", of: "address"))
    #expect(
      refusal("rooms_from: r.csv", ["r.csv": "room,minor\nR{1..2},1\n"], room: "r1")
        == .rangeInTable(file: "r.csv", line: 2))
    #expect(
      refusal("rooms_from: r.csv", ["r.csv": "room;minor;address;device\nR;1;;PROV_1\n"])
        == .unsafe(file: "r.csv", line: 2))
    // Replacing the address would remove the anchor.
    #expect(
      refusal("rooms: [{ room: R, minor: 1, address: &a \"C4:7C:8D:00:00:01\", tags: [*a] }]")
        == .unsafe(file: "b.yaml", line: 3))
  }

  @Test(
    "a name is written as an address is, quoted where it must be, and replaces an address",
    arguments: [
      ("- { room: R, minor: 1 }", "PROV_A1B2C3", "- { room: R, minor: 1, device: PROV_A1B2C3 }"),
      ("- { room: R, minor: 1 }", "12345", "- { room: R, minor: 1, device: \"12345\" }"),
      ("- { room: R, minor: 1 }", "a\"\\, b}", "- { room: R, minor: 1, device: \"a\\\"\\\\, b}\" }"),
      ("- { room: R, device: PROV_1, minor: 1 }", "PROV_2", "- { room: R, device: PROV_2, minor: 1 }"),
      ("- { room: R, device: 'PROV_1', minor: 1 }", "it's", "- { room: R, device: 'it''s', minor: 1 }"),
      ("- { room: R, device: PROV_1, minor: 1 }", "null", "- { room: R, device: \"null\", minor: 1 }"),
      ("- room: R\n  minor: 1", "PROV_2", "- room: R\n  minor: 1\n  device: PROV_2"),
      (
        "- room: R\n  address: C4:7C:8D:00:00:01 # label\n  minor: 1", "PROV_2",
        "- room: R\n  device: PROV_2 # label\n  minor: 1"
      ),
      (
        "- {\"room\": \"R\", \"minor\": 1}", "PROV_2",
        "- {\"room\": \"R\", \"minor\": 1, \"device\": \"PROV_2\"}"
      ),
      (
        "- { room: \"{R,S}\", minor: 1 }", "PROV_2",
        "- { room: \"{R,S}\", minor: 1 }\n- { room: R, device: PROV_2 }"
      ),
    ])
  func named(before: String, name: String, after: String) throws {
    let edit = try #require(try edit(Self.head + "rooms:\n" + before + "\n", device: .name(name)))
    #expect(String(decoding: edit.bytes, as: UTF8.self) == Self.head + "rooms:\n" + after + "\n")
  }

  @Test("an address replaces a name")
  func addressForName() throws {
    let edit = try #require(try edit(Self.head + "rooms: [{ room: R, minor: 1, device: PROV_1 }]"))
    #expect(
      String(decoding: edit.bytes, as: UTF8.self) == Self.head
        + "rooms: [{ room: R, minor: 1, address: \"C4:7C:8D:00:00:FF\" }]")
  }

  @Test(
    "a name goes into the column for names, and not into that for addresses",
    arguments: [
      ("room;minor;device\nR;1;\n", "room;minor;device\nR;1;PROV_2\n"),
      ("room;minor;device\nR;1;PROV_1\n", "room;minor;device\nR;1;PROV_2\n"),
      ("room,device,minor\nA,\"PROV_1\",2\nR,,1\n", "room,device,minor\nA,\"PROV_1\",2\nR,\"PROV_2\",1\n"),
      ("room;minor;address\nR;1;\n", nil), ("room;minor;address;device\nR;1;C4:7C:8D:00:00:01;\n", nil),
    ])
  func namedInTable(before: String, after: String?) throws {
    let manifest = Self.head + "rooms_from: r.csv\n"
    guard let after else {
      #expect(throws: ManifestEditError.self) {
        try self.edit(manifest, ["r.csv": before], device: .name("PROV_2"))
      }
      return
    }
    let edit = try #require(try self.edit(manifest, ["r.csv": before], device: .name("PROV_2")))
    #expect(String(decoding: edit.bytes, as: UTF8.self) == after)
  }

  // MARK: Names of rooms

  @Test(
    "another name leaves the room its id, which gets a key of its own if the new name would make another one",
    arguments: [
      ("- { room: R, minor: 1 } # R", "New", "- { room: New, minor: 1, id: r } # R"),
      ("- { minor: 1, room: R }", "New", "- { minor: 1, room: New, id: r }"),
      ("- room: R # the one\n  minor: 1", "On", "- room: \"On\" # the one\n  minor: 1\n  id: r"),
      ("- room: R # the one\n  minor: 1\n  id: r", "New", "- room: New # the one\n  minor: 1\n  id: r"),
      ("- room: 'R'\n  minor: 1", "it's", "- room: 'it''s'\n  minor: 1\n  id: r"),
      ("- { \"room\": \"R\", \"minor\": 1 }", "N", "- { \"room\": \"N\", \"minor\": 1, \"id\": \"r\" }"),
      ("- { room: R, minor: 1 }", "r", "- { room: r, minor: 1 }"),
      ("- room: R\n  id: >-\n    r\n  minor: 1", "New", "- room: New\n  id: >-\n    r\n  minor: 1"),
      (
        "- { room: R, minor: 1, address: \"C4:7C:8D:00:00:01\" }", "New",
        "- { room: New, minor: 1, address: \"C4:7C:8D:00:00:01\", id: r }"
      ),
      ("- { room: R, minor: 1 }", "Küche: 2", "- { room: \"Küche: 2\", minor: 1, id: r }"),
    ])
  func renamed(before: String, name: String, after: String) throws {
    let manifest = Self.head + "rooms:\n" + before + "\n"
    let edit = try #require(try editor(manifest).renaming("r", to: name))
    #expect(String(decoding: edit.bytes, as: UTF8.self) == Self.head + "rooms:\n" + after + "\n")
    let building = try #require(readManifest(edit.bytes, file: "b.yaml", families: .builtIn).building)
    #expect(building.rooms.map(\.id) == ["r"] && building.rooms.map(\.name) == [name])
    #expect(building.rooms[0].settings[.roomName] == .text(name))
  }

  @Test(
    "another name in a table changes two cells of the room's row",
    arguments: [
      ("id;room;minor\n;R;1\n", "New", "id;room;minor\nr;New;1\n"),
      ("room,minor,id\nR,1\n", "a, \"b\"", "room,minor,id\n\"a, \"\"b\"\"\",1,r\n"),
      ("room,minor,id\nR,1,r\n", "New", "room,minor,id\nNew,1,r\n"),
    ])
  func renamedInTable(before: String, name: String, after: String) throws {
    let editor = try editor(Self.head + "rooms_from: r.csv\n", ["r.csv": before])
    let edit = try #require(try editor.renaming("r", to: name))
    #expect(edit.file == "r.csv" && String(decoding: edit.bytes, as: UTF8.self) == after)
  }

  @Test("a room whose device does not take its name gets another name in the manifest alone")
  func renamedWithoutSetting() throws {
    let room = "rooms: [{ room: R, id: r, profile: firefly, control: 1, value: 1, range: 1, near: hci0 }]"
    let edit = try #require(try editor(Self.head + room).renaming("r", to: "New"))
    #expect(
      String(decoding: edit.bytes, as: UTF8.self) == Self.head + room.replacing("room: R", with: "room: New"))
  }

  @Test("a name that a room cannot get in its own entry is refused with the reason")
  func notRenamed() throws {
    func refusal(_ manifest: String, _ name: String = "New", _ files: [String: String] = [:])
      -> ManifestEditError?
    {
      #expect(throws: ManifestEditError.self) {
        try editor(Self.head + manifest, files).renaming("r", to: name)
      }
    }
    let room = "rooms: [{ room: R, minor: 1 }]"
    #expect(try editor(Self.head + room).renaming("r", to: "R") == nil)
    for name in ["", "a\nb", "R{1..2}", String(repeating: "x", count: 65)] {
      guard case .badName? = refusal(room, name) else {
        Issue.record("\(name)")
        continue
      }
    }
    #expect(refusal("rooms: [{ room: S, minor: 1 }]") == .unknownRoom)
    for own in ["", ", { room: R, minor: 7 }"] {
      #expect(
        refusal("rooms: [{ room: \"{R,S}\", minor: 1 }\(own)]") == .ofRange(file: "b.yaml", line: 3))
    }
    #expect(
      refusal("rooms_from: r.csv", "New", ["r.csv": "room,minor\nR,1\n"])
        == .noColumn(file: "r.csv", of: "id"))
    // Replacing the name would remove the anchor.
    #expect(
      refusal("rooms: [{ room: &a R, minor: 1, tags: [*a] }]") == .unsafe(file: "b.yaml", line: 3))
  }

  @Test("an added line may move references to secrets, and names the device of those on its label")
  func references() throws {
    let room = "- room: R\n  profile: esp-idf\n"
    let rest = "  pop: { labels: ./l.json }\n  wifi: { ssid: S, password: { prompt: true } }\n"
    let edit = try #require(try edit(Self.head + "rooms:\n" + room + rest, device: .name("PROV_2")))
    let after = String(decoding: edit.bytes, as: UTF8.self)
    #expect(after == Self.head + "rooms:\n- room: R\n  device: PROV_2\n  profile: esp-idf\n" + rest)
    let read = try #require(readManifest(edit.bytes, file: "b.yaml", families: .builtIn).building)
    #expect(
      read.rooms[0].secrets.contains {
        $0.reference?.source == .labels("./l.json", device: "PROV_2", setting: "pop")
      })
  }

  @Test("the address that the room already has gives no edit")
  func same() throws {
    let edit = try edit(Self.head + "rooms: [{ room: R, minor: 1, address: c4-7c-8d-00-00-ff }]")
    #expect(edit == nil)
  }

  @Test("a table that changes during the edit is not overwritten")
  func meanwhile() throws {
    let reads = Reads(["room,minor,address\nR,1,\n", "room,minor,address\nR,2,\n"])
    let files = ManifestFiles { path, _ in .success(.init(name: path, bytes: Array(reads.next().utf8))) }
    let editor = try ManifestEditor(
      Array((Self.head + "rooms: [{ room: A, minor: 9 }]\nrooms_from: r.csv").utf8), file: "b.yaml",
      families: .builtIn,
      files: files)
    #expect(throws: ManifestEditError.unsafe(file: "b.yaml", line: 3)) {
      try editor.setting(.address(Self.address), of: "a")
    }
  }

  // MARK: Random manifests

  @Test("a random manifest changes in one line and one address", arguments: 0..<50)
  func random(seed: UInt64) throws {
    var chance = Chance(state: seed)
    var (manifest, table) = Self.manifest(&chance)
    let building = try #require(
      Files(files: ["r.csv": table]).read(manifest).building, "\(manifest)\n\(table)")
    var expected = building
    for (number, index) in building.rooms.indices.shuffled(using: &chance).enumerated() {
      let address = BluetoothAddress(rawValue: 0xC47C_8D10_0000 + UInt64(number))
      let edit = try #require(
        try edit(manifest, ["r.csv": table], room: building.rooms[index].id, device: .address(address)),
        "\(manifest)\n\(table)"
      )
      let text = String(decoding: edit.bytes, as: UTF8.self)
      Self.expectOneLine(edit.file == "r.csv" ? table : manifest, text)
      if edit.file == "r.csv" { table = text } else { manifest = text }
      expected.rooms[index].address = address
      #expect(Files(files: ["r.csv": table]).read(manifest).building == expected)
    }
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  /// Whether at most one line is replaced, by one or two lines.
  private static func expectOneLine(_ before: String, _ after: String) {
    var (old, new) = (lines(before)[...], lines(after)[...])
    while let line = old.first, line == new.first { (old, new) = (old.dropFirst(), new.dropFirst()) }
    while let line = old.last, line == new.last { (old, new) = (old.dropLast(), new.dropLast()) }
    #expect(old.count <= 1 && new.count <= 1 + old.count && !new.isEmpty, "\(before)\n---\n\(after)")
  }

  /// A random manifest with every kind of list and entry, and its table.
  private static func manifest(_ chance: inout Chance) -> (String, String) {
    var minor = 0
    let indentation = String(repeating: " ", count: Int.random(in: 0...3, using: &chance))
    var addresses = (1...99).map { "C4:7C:8D:00:00:\($0 < 10 ? "0" : "")\($0)" }
    func address() -> String? { Bool.random(using: &chance) ? addresses.popLast() : nil }
    func comment() -> String { ["", "", "  # it's here", " #"].randomElement(using: &chance) ?? "" }
    func quoted(_ text: String) -> String {
      ["\"\(text)\"", "'\(text)'", text].randomElement(using: &chance) ?? text
    }

    /// Writes entries as a list, each with its lines below the dash.
    func entry(_ name: String) -> [String] {
      minor += 10
      var keys = ["minor: \(quoted("\(minor)"))"]
      let isRange = Int.random(in: 0..<3, using: &chance) == 0
      keys.append(isRange ? "room: \"\(name) {1..4}\"" : "room: \(quoted(name))")
      if !isRange, let address = address() { keys.append("address: \(quoted(address))") }
      if Bool.random(using: &chance) { keys.append("tags: [x, \"y\"]") }
      keys.shuffle(using: &chance)
      switch Int.random(in: 0..<3, using: &chance) {
      case 0: return ["{ " + keys.joined(separator: ", ") + " }" + comment()]
      case 1: return ["{"] + keys.map { "  \($0),\(comment())" } + ["}\(comment())"]
      default: return keys.map { $0 + comment() }
      }
    }
    func list(_ names: [String], _ margin: String) -> [String] {
      let dash = "-" + String(repeating: " ", count: Int.random(in: 1...3, using: &chance))
      return names.flatMap { name -> [String] in
        let gap = Int.random(in: 0..<4, using: &chance) == 0 ? ["", margin + "# \(name)"] : []
        let below = margin + String(repeating: " ", count: dash.utf8.count)
        return gap + entry(name).enumerated().map { ($0 == 0 ? margin + dash : below) + $1 }
      }
    }

    var lines = ["# A house", "building: B", "match: later"]
    lines += ["floors:", "- floor: 1", "  rooms:"] + list(["North", "South"], "  " + indentation)
    lines += ["rooms:"] + list(["Alpha", "Beta", "Gamma"], indentation)
    lines += [
      "groups: [{ group: g, rooms: [{ room: \"Suite {A..C}\", minor: 900 }, { room: Bar, minor: 910 }] }]"
    ]
    lines += ["rooms_from: r.csv" + comment()]
    let end = ["\n", "\r\n"].randomElement(using: &chance) ?? "\n"
    let delimiter = [";", ",", "\t"].randomElement(using: &chance) ?? ";"
    let columns = ["room", "minor", "address", "tags"].shuffled(using: &chance)
    let rows = (1...3).map { number -> String in
      var cells = columns.map { column -> String in
        switch column {
        case "room": return "Row \(number)"
        case "minor": return "\(950 + number)"
        case "address": return address() ?? ["", "\"\""].randomElement(using: &chance) ?? ""
        default: return ["", "z", "\"a, b\""].randomElement(using: &chance) ?? ""
        }
      }
      while cells.last == "", Bool.random(using: &chance) { cells.removeLast() }
      return cells.joined(separator: delimiter)
    }
    let mark = Bool.random(using: &chance) ? "\u{FEFF}" : ""
    let last = Bool.random(using: &chance) ? end : ""
    return (
      mark + lines.joined(separator: end) + last,
      mark + ([columns.joined(separator: delimiter)] + rows).joined(separator: end) + last
    )
  }
}

/// Gives the texts in turn, then the last one repeatedly.
private final class Reads: Sendable {
  private let texts: [String]
  private let count = Mutex(0)

  init(_ texts: [String]) { self.texts = texts }

  func next() -> String {
    count.withLock { count in
      defer { count += 1 }
      return texts[min(count, texts.count - 1)]
    }
  }
}
