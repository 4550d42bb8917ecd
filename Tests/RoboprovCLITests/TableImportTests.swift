import Bluetooth
import Application
import Foundation
import Manifest
import Model
import RecordedText
import SampleFacts
import Testing

/// The tables are in Tests/Tables; make_tables.py there writes them.
@Suite("`init --from` reads the tables of customers", .timeLimit(.minutes(60)))
struct TableImportTests {
  struct Table: CustomTestStringConvertible, Sendable {
    var file: String
    /// The options that the command proposes; nil if the table is read without a question, empty if it must be corrected.
    var options: String?
    /// The rooms that it gives, each with its number and the end of its address.
    var rooms: [String]

    var testDescription: String { file }
  }

  private static func rooms(_ name: String, _ numbers: ClosedRange<Int>, first: Int = 1, digits: Int = 0)
    -> [String]
  {
    numbers.map { number in
      let digits = String(repeating: "0", count: max(0, digits - String(number).count)) + String(number)
      return "\(name.replacing("#", with: digits)) \(number) 6B:00:0\(number - numbers.lowerBound + first)"
    }
  }

  /// Rooms without addresses.
  private static func numbered(_ name: String, _ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { "\(name)\($0) \($0) -" }
  }

  static let tables: [Table] = [
    Table(file: "excel-de.xlsx", rooms: rooms("#", 101...106)),
    Table(file: "excel-de.csv", rooms: rooms("Küche #", 101...106)),
    Table(file: "excel-en.tsv", rooms: rooms("Room #", 101...106)),
    Table(
      file: "excel-fr.xlsx", options: "--column minor=Balise",
      rooms: (1...6).map { "\(100 + $0) \($0) 6B:00:0\($0)" }),
    Table(file: "excel-es.csv", rooms: rooms("#", 101...106)),
    Table(file: "excel-de-dates.csv", options: "", rooms: []),
    Table(file: "excel-en-names.xlsx", options: "--minors names", rooms: numbered("Room ", 101...106)),
    Table(file: "libreoffice-de.ods", rooms: rooms("#", 7...12, digits: 3)),
    Table(file: "libreoffice-it.ods", rooms: ["Lobby 1 6B:00:07"] + rooms("Camera #", 101...105)),
    Table(file: "libreoffice-en.csv", options: "--thousands", rooms: rooms("R #", 1101...1106)),
    Table(file: "libreoffice-nl.csv", rooms: rooms("Kamer #", 101...106)),
    Table(
      file: "libreoffice-de-bare.csv", options: "--column room=A --column minor=B",
      rooms: rooms("Büro #", 101...106)),
    Table(file: "numbers-en.xlsx", rooms: rooms("Room #", 101...106)),
    Table(file: "numbers-ja.csv", rooms: rooms("#号室", 101...106)),
    Table(file: "sheets-en.xlsx", rooms: rooms("Suite #", 101...106)),
    Table(file: "sheets-fr.csv", rooms: rooms("#", 101...106)),
    Table(file: "sheets-es.tsv", rooms: rooms("Sala #", 101...106)),
    Table(
      file: "fm-de.csv", options: "--count 6", rooms: rooms("#", 101...103) + rooms("#", 204...206, first: 4)),
    Table(
      file: "fm-en.xlsx", options: "--column 'room=Room number'", rooms: rooms("#", 101...106)),
    Table(
      file: "fm-de-ranges.csv", options: "--count 13",
      rooms: numbered("", 101...105) + numbered("", 201...204) + numbered("Saal ", 1...4)),
  ]

  /// The rooms of the written manifest.
  private static func rooms(at site: Site) throws -> [String] {
    let path = site.directory.appending(path: "building.yaml").path
    let reading = ManifestReader.read(
      Array(try Data(contentsOf: URL(fileURLWithPath: path))), file: path, families: BuiltIn.families,
      files: .relative(to: path))
    let building = try #require(reading.building, "\(reading.rendered)")
    return building.rooms.map { room in
      "\(room.name) \(room.minor.map { "\($0)" } ?? "-") \(room.address.map { String($0.description.suffix(8)) } ?? "-")"
    }
  }

  @Test("a table becomes its rooms, at once or by the line that the command prints", arguments: tables)
  func imports(table: Table) async throws {
    try await Site.use { site in
      let file = projectFile("Tests/Tables/\(table.file)")
      try FileManager.default.copyItem(at: file, to: site.directory.appending(path: table.file))
      let first = try await site.run([
        "init", "--name", "House", "--profile", "robo-sensor", "--from", table.file,
      ])
      guard let options = table.options else {
        #expect(first.status == 0, "\(first)")
        #expect(try Self.rooms(at: site) == table.rooms)
        return
      }
      #expect(first.status == 65 && !site.has("building.yaml"), "\(first)")
      guard !options.isEmpty else { return }
      let line = try #require(
        first.errors.firstMatch(of: #/If it is meant so: roboprov ([^\n]*)/#), "\(first)"
      ).output.1
      #expect(line.hasSuffix(" " + options), "\(first)")
      let second = try await site.runTool(["sh", "-c", "\(Invocation.program.path) \(line)"])
      #expect(second.status == 0, "\(second)")
      #expect(try Self.rooms(at: site) == table.rooms)
    }
  }

  @Test(
    "ranges are counted and confirmed, also if each row is one; names of house and room are none",
    arguments: [
      (["101-110, 201-220", "Room 1-40"], 70), (["Room 1-40", "Hall 1-20"], 60), (["Room 1-40"], 40),
      (["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"], nil), (["7 - 12", "Lobby"], 7),
    ] as [([String], Int?)])
  func ranges(names: [String], count: Int?) async throws {
    try await Site.use { site in
      try site.write("rooms.csv", "Room;Floor\n" + names.map { "\($0);1\n" }.joined())
      let made = try await site.run([
        "init", "--name", "House", "--profile", "robo-sensor", "--from", "rooms.csv", "--minors", "from", "1",
      ])
      guard let count else {
        #expect(made.status == 0 && made.errors.contains("\(names.count) rooms: "), "\(made)")
        return
      }
      #expect(made.status == 65 && !site.has("building.yaml"), "\(made)")
      #expect(made.errors.contains("\(count) rooms: ") && made.errors.contains("--count \(count)"), "\(made)")
    }
  }

  @Test("a range in braces counts with all its rooms, also where other names are taken as they are")
  func braces() async throws {
    try await Site.use { site in
      try site.write("rooms.csv", "Room;Floor\nA {1..3};1\nB 1-2;1\nC 5;1\n")
      let command = [
        "init", "--name", "House", "--profile", "robo-sensor", "--from", "rooms.csv", "--minors", "from", "7",
      ]
      try await site.run(command).expect(65, errors: "6 rooms: A 1 … C 5, or 5 rooms by the rows")
      try await site.run(command + ["--count", "5"]).expect(0)
      #expect(try Self.rooms(at: site) == ["A 1 7 -", "A 2 8 -", "A 3 9 -", "B 1-2 10 -", "C 5 11 -"])
    }
  }

  @Test("a cell of a secret that stands alone is not shown")
  func alone() async throws {
    try await Site.use { site in
      try site.write(
        "rooms.csv", "pop;Room;Minor;MAC\n;A;1;C4:7C:8D:6B:00:01\nabcd1234;;;\n;B;2;C4:7C:8D:6B:00:02\n")
      let made = try await site.run([
        "init", "--name", "House", "--profile", "robo-sensor", "--from", "rooms.csv",
      ])
      made.expect(
        0, errors: "line 3 has nothing in a column that is read", notOutput: "abcd1234", notErrors: "abcd1234"
      )
    }
  }

  @Test("secrets of labels in a table go into the file of labels, and are not shown")
  func labels() async throws {
    try await Site.use { site in
      try site.write(
        "rooms.csv", "Raum;device;pop;username\nA;PROV_A1;abcd1234;wifiprov\nB;PROV_A2;efgh5678;wifiprov\n")
      let made = try await site.run([
        "init", "--name", "House", "--profile", "esp-idf", "--network", "g=G", "--password", "env", "--from",
        "rooms.csv",
      ]).expect(0, errors: "“pop”: pop, into the file of labels")
      #expect(!"\(made)".contains("abcd1234") && !"\(made)".contains("wifiprov"), "\(made)")
      let labels = site.directory.appending(path: "labels.json")
      let written = try JSONDecoder().decode([String: [String: String]].self, from: Data(contentsOf: labels))
      #expect(
        written == [
          "PROV_A1": ["pop": "abcd1234", "username": "wifiprov"],
          "PROV_A2": ["pop": "efgh5678", "username": "wifiprov"],
        ])
      let rights =
        try FileManager.default.attributesOfItem(atPath: labels.path)[.posixPermissions] as? NSNumber
      #expect(rights?.intValue == 0o600)
      try await site.run(["validate", "building.yaml"]).expect(0)
    }
  }

  @Test("a manifest can name a workbook, which no command changes")
  func named() async throws {
    try await Site.use { site in
      let file = projectFile("Tests/Tables/excel-de.xlsx")
      let copy = site.directory.appending(path: "rooms.xlsx")
      try FileManager.default.copyItem(at: file, to: copy)
      try site.write(
        "building.yaml",
        """
        building: House
        wifi: { Gäste: { ssid: G } }
        rooms_from:
          file: rooms.xlsx
          columns: { room: Zimmer-Nr., floor: Etage, minor: Beacon Nr, address: MAC Adresse, wifi: WLAN }
          ignore: Bemerkung

        """)
      #expect(try Self.rooms(at: site) == Self.rooms("#", 101...106))
      try await site.run(
        ["capture", "building.yaml", "--offline", "--all", "--only", "101"],
        through: ["sh", "-c", "echo C47C8D6B0077 | \"$@\"", "sh"]
      ).expect(nil, errors: "rooms.xlsx is a workbook, which roboprov reads but does not write")
      #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
    }
  }
}
