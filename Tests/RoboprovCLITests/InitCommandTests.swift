import Foundation
import Testing
import VirtualBuilding

@Suite("`init` writes a manifest", .timeLimit(.minutes(60)))
struct InitCommandTests {
  private static func text(_ site: Site, _ name: String = "building.yaml") throws -> String {
    try String(contentsOf: site.directory.appending(path: name), encoding: .utf8)
  }

  @Test("`init` writes a valid manifest with owner-only access and never overwrites one")
  func plain() async throws {
    try await Site.use { site in
      try await site.run([
        "init", "--name", "Harbour House", "--network", "guests=Harbour Guests", "--password", "env",
        "--rooms",
        "Room {301..332}", "--rooms", "Suite 7",
      ]).expect(0)
      let path = site.directory.appending(path: "building.yaml").path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      #expect(try Self.text(site).contains("{ ssid: Harbour Guests, password: { env: WIFI_GUESTS } }"))
      let validated = try await site.run(["validate", "building.yaml"])
      #expect(validated.status == 0 && validated.errors.isEmpty, "\(validated)")
      let before = try Self.text(site)
      try await site.run(["init", "--name", "Other"]).expect(64, errors: "exists and was not changed")
      #expect(try Self.text(site) == before)
    }
  }

  @Test("the printed commands lead a new user to a provisioned virtual building, with Enter alone")
  func newUser() async throws {
    try await Site.use { site in
      let overview = try await site.run([]).expect(0)
      let examples = overview.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { $0.hasPrefix("roboprov ") }.map { $0.split(separator: " ").dropFirst().map(String.init) }
      #expect(examples.prefix(2).map(\.first) == ["init", "apply"], "\(overview)")
      let made = try site.startAtTerminal(try #require(examples.first))
      for question in ["Name of the building", "Family of the devices", "SSID of the WiFi", "Rooms: a range"]
      {
        try await made.prints(question, thenType: "\r")
      }
      #expect(try await made.ended().status == 0)
      try await site.run(try #require(examples.dropFirst().first)).expect(
        0, output: "10 of 10 rooms done", errors: "Rehearsal: made-up labels for 10 rooms")
      #expect(try !Self.text(site).contains("address:"), "the manifest is unchanged")
    }
  }

  @Test("`init --output json` prints the findings of `validate`")
  func json() async throws {
    try await Site.use { site in
      let made = try await site.run([
        "init", "new.yaml", "--name", "House", "--rooms", "Room 1", "--network", "a=B", "--password", "env",
        "--output", "json",
      ])
      #expect(made.status == 0 && site.has("new.yaml"), "\(made)")
      let validated = try await site.run(["validate", "new.yaml", "--output", "json"])
      #expect(validated.status == 0 && made.output == validated.output, "\(made)")
      let again = try await site.run(["init", "new.yaml", "--output", "json"])
      #expect(again.status == 64 && again.errors.hasPrefix("{"), "\(again)")
    }
  }

  @Test("`init`, `validate` and `plan` turn a hotel's spreadsheet into a plan")
  func hotel() async throws {
    try await Site.use { site in
      let rows = (1...300).map { number -> String in
        let address = "C4:7C:8D:70:0\(number / 100):\(number % 100 < 10 ? "0" : "")\(number % 100)"
        return "\(number / 60 + 1);\(1000 + number);\(number);\(number == 300 ? "" : address);two beds"
      }
      try site.write(
        "rooms.csv",
        "\u{FEFF}Etage;Zimmer;Beacon-Nr.;Sensor;Notes\r\n" + rows.joined(separator: "\r\n") + "\r\n")
      try await site.run([
        "init", "--name", "Grand Hotel", "--from", "rooms.csv", "--column", "address=Sensor",
      ]).expect(
        0, errors: "“Zimmer”: room", "“Beacon-Nr.”: minor", "“Etage”: floor", "“Notes”: ignored",
        "1 room has no address")
      #expect(try await site.run(["validate", "building.yaml"]).status == 0)
      try await site.run(
        ["capture", "building.yaml", "--offline"], through: ["sh", "-c", "echo C47C8D700399 | \"$@\"", "sh"]
      ).expect(0)
      #expect(try Self.text(site, "rooms.csv").contains("\r\n6;1300;300;C4:7C:8D:70:03:99;two beds\r\n"))
      try await site.run([
        "plan", "building.yaml", "--only", "floor:6", "--simulate", "--scan-time", "2",
      ]).expect(0)
    }
  }

  @Test("`init` reports an unknown column and an invalid table, and writes nothing")
  func refused() async throws {
    try await Site.use { site in
      try site.write("rooms.csv", "room,minor\nA,1\nB,1\n")
      try await site.run([
        "init", "--name", "House", "--from", "rooms.csv", "--column", "minor=Nr",
      ]).expect(64, errors: "The columns: room, minor")
      try await site.run(["init", "--name", "House", "--from", "rooms.csv"]).expect(65, errors: "rooms.csv:3")
      #expect(!site.has("building.yaml"))
    }
  }

  @Test("`init` turns the sensors of a scan into rooms, in order of RSSI")
  func scanned() async throws {
    try await Site.use { site in
      let sensors = [
        SensorScenario(address: ServedBuilding.address(1), signal: .init(base: -80)),
        SensorScenario(address: ServedBuilding.address(2), signal: .init(base: -50)),
      ]
      try await site.serve(sensors) { building in
        try await site.run(
          ["init", "--name", "House", "--from-scan", "--scan-time", "2"], on: building
        ).expect(0)
        let text = try Self.text(site)
        let entries = [(1, 2), (2, 1)].map {
          "  - { room: Room \($0.0), minor: \($0.0), address: \"\(ServedBuilding.address($0.1))\" }\n"
        }
        #expect(text.contains(entries.joined()), "\(text)")
        #expect(try await site.run(["validate", "building.yaml"]).status == 0)
      }
    }
  }

  @Test("`init` at a terminal asks for what no option gives")
  func prompts() async throws {
    try await Site.use { site in
      let run = try site.startAtTerminal(["init", "house.yaml"])
      for (question, answer) in [
        ("Name of the building", "Harbour House"), ("Family of the devices", ""),
        ("SSID of the WiFi", "Harbour Guests"), ("the input is not shown", "2"),
        ("SSID of another WiFi", ""), ("Rooms:", "1-3"),
      ] {
        try await run.prints(question, thenType: answer + "\n")
      }
      let outcome = try await run.ended().expect(0)
      let text = try Self.text(site, "house.yaml")
      #expect(text.contains("guests: { ssid: Harbour Guests, password: { env: WIFI_GUESTS } }"), "\(text)")
      #expect(text.contains("- { room: \"{1..3}\", minor: 1 }"), "\(text)")
      #expect(
        (outcome.output + outcome.errors).contains("the environment variable WIFI_GUESTS"), "\(outcome)")
    }
  }

  @Test("`init` without a terminal needs a name, and writes nothing without one")
  func nameless() async throws {
    try await Site.use { site in
      try await site.run(["init", "--rooms", "Room 1"]).expect(64, errors: "--name 'Harbour House'")
      #expect(!site.has("building.yaml"))
    }
  }

  @Test("`init` reads a German table, and asks about two spellings of a network")
  func spellings() async throws {
    try await Site.use { site in
      let table = Array("Zimmer;Beacon-Nr.;WLAN\r\nK".utf8) + [0xFC] + Array("che;1;Gaeste\r\n".utf8)
      try Data(table + Array("Bar;2;GAESTE\r\n".utf8)).write(to: site.directory.appending(path: "rooms.csv"))
      let run = try site.startAtTerminal([
        "init", "--name", "House", "--profile", "robo-sensor", "--network", "gaeste=Gasthaus", "--from",
        "rooms.csv",
      ])
      for question in [
        "Enter if this is right", "Are “gaeste” and “GAESTE” the same network",
        "Are “gaeste” and “Gaeste” the",
      ] {
        try await run.prints(question, thenType: "\n")
      }
      let outcome = try await run.ended().expect(0)
      let screen = outcome.output + outcome.errors
      #expect(screen.contains("rooms.csv is not UTF-8: it is read as Windows-1252"), "\(outcome)")
      for line in ["“Zimmer”: room", "“Beacon-Nr.”: minor", "“WLAN”: wifi", "2 rooms: Küche … Bar"] {
        #expect(screen.contains(line), "\(outcome)")
      }
      let text = try Self.text(site)
      #expect(text.contains("- { room: Küche, minor: 1, wifi: gaeste }"), "\(text)")
      #expect(text.contains("- { room: Bar, minor: 2, wifi: gaeste }"), "\(text)")
    }
  }

  /// An accepted wrong answer would end the command after the last question, and lose all answers.
  @Test("`init` asks again after an answer that is not valid")
  func wrongAnswers() async throws {
    try await Site.use { site in
      let run = try site.startAtTerminal(["init", "house.yaml"])
      var asked: [String: Int] = [:]
      for (question, answer, problem) in [
        ("Name of the building", "", nil), ("Family of the devices", "robo", "there is no family robo"),
        ("Family of the devices", "robo-sensor", nil),
        ("SSID of the WiFi", "A network name of 33 bytes or more", "1…32 are possible"),
        ("SSID of the WiFi", "Hotel Wifi", "calls it wifi."),
        ("the input is not shown", "correct-horse", "not the password"),
        ("the input is not shown", "none", nil),
        // `none` means no WiFi.
        ("SSID of another WiFi", "None", "calls it wifi1."), ("the input is not shown", "2", nil),
        ("SSID of another WiFi", "", nil),
        ("Rooms:", "Room {9..1}", "counts down"), ("Rooms:", "rooms.csv", "there is no file rooms.csv"),
        ("Rooms:", "Room {1..3}", nil),
      ] {
        let number = asked[question, default: 0] + 1
        asked[question] = number
        try await run.until("question \(number): “\(question)”") {
          (run.outputSoFar + run.errorsSoFar).components(separatedBy: question).count > number
        }
        try run.type(answer + "\n")
        if let problem { try await run.prints(problem) }
      }
      let outcome = try await run.ended().expect(0)
      let text = try Self.text(site, "house.yaml")
      #expect(!(outcome.output + outcome.errors).contains("correct-horse"), "\(outcome)")
      #expect(text.contains("  wifi: { ssid: Hotel Wifi }"), "\(text)")
      #expect(text.contains("  wifi1: { ssid: None, password: { env: WIFI_WIFI1 } }"), "\(text)")
      #expect(text.contains("- { room: \"Room {1..3}\", minor: 1 }"), "\(text)")
    }
  }

  @Test("a list of rooms is counted, and one that can be read in two ways is asked about")
  func counted() async throws {
    try await Site.use { site in
      let list = ["init", "--name", "House", "--profile", "robo-sensor", "--rooms", "Room 1-40"]
      try await site.run(list).expect(
        64, errors: "can be 40 rooms: Room 1 … Room 40, or one room", "--count 40")
      try await site.run(list + ["--count", "39"]).expect(64, errors: "40 rooms")
      #expect(!site.has("building.yaml"))
      try await site.run(list + ["--count", "1"]).expect(0, output: "1 room")
      try FileManager.default.removeItem(at: site.directory.appending(path: "building.yaml"))
      try await site.run(list + ["--count", "40"]).expect(0, output: "40 rooms")
      // Also a list that can mean nothing else is one name, if a person says so.
      try await site.run([
        "init", "one.yaml", "--name", "House", "--profile", "robo-sensor", "--rooms", "Room 101-110",
        "--count", "1",
      ]).expect(0, output: "1 room")
      #expect(try Self.text(site, "one.yaml").contains("- { room: Room 101-110, minor: 101 }"))
      let run = try site.startAtTerminal([
        "init", "other.yaml", "--name", "House", "--rooms", "101-110, 201-220",
      ])
      for question in ["Family of the devices", "SSID of the WiFi", "30 rooms: 101 … 220"] {
        try await run.prints(question, thenType: "\n")
      }
      try await run.ended().expect(0)
      #expect(try Self.text(site, "other.yaml").contains("- { room: \"{201..220}\", minor: 201 }"))
    }
  }

  @Test("at a terminal `init --from` asks what the table leaves open, and takes corrections")
  func dialog() async throws {
    try await Site.use { site in
      try site.write("rooms.csv", "Raum;Raumname;Anzahl\n101;Lobby;1\n102;Bar;2\n")
      let run = try site.startAtTerminal([
        "init", "--name", "House", "--profile", "robo-sensor", "--network", "a=A", "--password", "none",
        "--from",
        "rooms.csv",
      ])
      for (question, answer) in [
        ("The column of the `room`", "Raumname"), ("The column of the `minor`", ""),
        ("Enter if this is right", "minor=Anzahl"), ("Column “Anzahl”: minor", ""),
      ] {
        try await run.prints(question, thenType: answer + "\n")
      }
      try await run.ended().expect(0)
      #expect(try Self.text(site).contains("columns: { room: Raumname, minor: Anzahl }"))
    }
  }
}
