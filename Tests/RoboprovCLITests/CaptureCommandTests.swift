import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("`capture` reads labels into the manifest", .timeLimit(.minutes(60)))
struct CaptureCommandTests {
  private static let capture = ["capture", "building.yaml"]

  private static let manifest = """
    building: Harbour House  # by the sea
    id: harbour
    match: later
    rooms:
      - { room: "Room {101..104}", minor: 101 }
      - room: Lobby
        minor: 1  # by the door
        address: C4:7C:8D:00:00:99

    """

  /// The manifest with these rooms after the room range.
  private static func manifest(with labels: [(room: Int, number: Int)]) -> String {
    let entries = labels.map {
      "  - { room: Room \($0.room), address: \(ServedBuilding.address($0.number)) }\n"
    }
    return manifest.replacing(
      "minor: 101 }\n", with: "minor: 101 }\n" + entries.joined())
  }

  @Test("without input it ends", arguments: ["</dev/null", "<&-", "</dev/zero", "<building.yaml"])
  func noInput(input: String) async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let program = Invocation.program.path
      try await site.runTool([
        "sh", "-c", "timeout 60 \(program) capture building.yaml --offline \(input)",
      ]).expect(100)
    }
  }

  @Test("rooms need neither an address nor `match: later`; other commands say what to do")
  func addressesMissing() async throws {
    try await Site.use { site in
      let manifest = Self.manifest.replacing("match: later\n", with: "")
      try site.write("building.yaml", manifest)
      let refused = try await site.run(["plan", "building.yaml"])
      #expect(refused.status == 65 && refused.errors.contains("roboprov capture"), "\(refused)")
      let labels = (1...4).map { "\(ServedBuilding.address($0))\n" }
      let first = try await site.run(
        Self.capture + ["--offline"], through: Self.through(Array(labels.prefix(2))))
      #expect(first.status == 100 && first.output.contains("Without label: Room 103, Room 104"), "\(first)")
      let second = try await site.run(
        Self.capture + ["--offline"], through: Self.through(Array(labels.dropFirst(2))))
      #expect(
        second.status == 0 && second.output.hasSuffix("Next: roboprov plan building.yaml\n"), "\(second)")
      _ = try await site.run(["validate", "building.yaml"]).expect(0)
    }
  }

  private static func text(_ site: Site) throws -> String {
    try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
  }

  /// Enters and undoes the label of each sensor until `capture` reports that the sensor is on air.
  private static func waitUntilReceived(_ numbers: [Int], by run: Invocation) async throws {
    func count(_ text: String) -> Int { run.outputSoFar.components(separatedBy: text).count - 1 }
    var undone = 0
    for (index, number) in numbers.enumerated() {
      repeat {
        try run.type("\(ServedBuilding.address(number))\nu\n")
        undone += 1
        try await run.until("undone \(undone) times") { count("undone: Room 101") >= undone }
      } while count("on air, waits") <= index && undone < 1000
    }
  }

  /// Runs the command with these lines as its standard input.
  private static func through(_ lines: [String]) -> [String] {
    ["sh", "-c", "printf '%s' '\(lines.joined())' | \"$@\"", "sh"]
  }

  @Test("`capture` at a terminal asks room by room, compares with sightings, refuses, undoes and saves")
  func terminal() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let sensors = (1...3).map { ServedBuilding.sensor($0) }
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.startAtTerminal(Self.capture, bus: building.bus)
        try await run.prints("[1/4] Room 101")
        try await run.prints("label> ", thenType: "C4:7C:8D:00:00:99\n")
        try await run.prints("is already the device of Lobby")
        #expect(try Self.text(site) == Self.manifest)
        // Some scanners end a line with CR LF.
        try run.type("https://example.com/?mac=c47c8d000001\r\n")
        try await run.prints("C4:7C:8D:00:00:01 saved")
        try await run.prints("[2/4] Room 102")
        #expect(try Self.text(site) == Self.manifest(with: [(101, 1)]))
        try run.type("C47C8D000055\n")
        try await run.prints("C4:7C:8D:00:00:55 saved")
        try await run.prints("not received", thenType: "u\n")
        try await run.prints("undone: Room 102")
        #expect(try Self.text(site) == Self.manifest(with: [(101, 1)]))
        try run.type("C47C8D000002\ns\nC47C8D000003\n")
        try await run.prints("[4/4] Room 104")
        try await run.prints("C4:7C:8D:00:00:03 saved")
        try await run.ended().expect(100, output: "3 labels saved.", "Without label: Room 103")
        #expect(try Self.text(site) == Self.manifest(with: [(101, 1), (102, 2), (104, 3)]))
        try await site.run(["validate", "building.yaml"]).expect(0)
      }
    }
  }

  @Test("`capture` proposes the offset of labels that show the base address and applies it once accepted")
  func offset() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let sensors = [12, 22, 32, 42].map { ServedBuilding.sensor($0) }
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.startAtTerminal(Self.capture, bus: building.bus)
        try await run.prints("[1/4] Room 101")
        try await Self.waitUntilReceived([12, 22, 32, 42], by: run)
        for label in ["C47C8D00000A", "C47C8D000014", "C47C8D00001E"] { try run.type(label + "\n") }
        try await run.prints("Use label + 2")
        #expect(try Self.text(site) == Self.manifest(with: [(101, 10), (102, 20), (103, 30)]))
        try run.type("y\n")
        try await run.prints("Room 101: C4:7C:8D:00:00:0C saved (label + 2)")
        try await run.prints("[4/4] Room 104", thenType: "C47C8D000028\n")
        try await run.ended().expect(0)
        #expect(
          try Self.text(site) == Self.manifest(with: [(101, 12), (102, 22), (103, 32), (104, 42)]))
      }
    }
  }

  @Test("`capture` without an adapter fails and names --offline, which works without one")
  func offline() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try await site.run(Self.capture).expect(69, errors: "--offline")
      #expect(try Self.text(site) == Self.manifest)
      let labels = ["C47C8D000001\r\n", "C47C8D000002\r", "\n", "C47C8D000003\n", "C47C8D000004"]
      let captured = try await site.run(
        Self.capture + ["--offline", "--output", "json"], through: Self.through(labels)
      ).expect(0)
      try OutputPage.expectExample(of: captured.output)
      let answer = try captured.json
      #expect(answer["captured"].items.map { $0["room"].text } == (101...104).map { "room-\($0)" })
      #expect(answer["missing"].count == 0)
      #expect(try Self.text(site) == Self.manifest(with: (1...4).map { (100 + $0, $0) }))

      try await site.run(Self.capture).expect(0, errors: "Every room has its device")
      try await site.run(
        Self.capture + ["--offline", "--all", "--only", "Room 102"], through: Self.through(["C47C8D000007\n"])
      ).expect(0)
      #expect(
        try Self.text(site) == Self.manifest(with: [(101, 1), (102, 7), (103, 3), (104, 4)]))
    }
  }

  @Test(
    "a killed `capture` leaves a complete manifest with each label that was reported as saved")
  func killed() async throws {
    try await Site.use { site in
      let labels = (1...4).map { "C47C8D00000\($0)\n" }
      var kills = 0
      for call in 1...100 {
        try site.write("building.yaml", Self.manifest)
        let outcome = try await site.run(
          Self.capture + ["--offline"], environment: KillSwitch.at(call: call), through: Self.through(labels))
        let saved = (0...4).filter { count in
          (try? Self.text(site)) == Self.manifest(with: (0..<count).map { (101 + $0, 1 + $0) })
        }
        let said = outcome.errors.components(separatedBy: " saved").count - 1
        #expect(saved.count == 1 && [said, said + 1].contains(saved[0]), "call \(call): \(outcome)")
        if outcome.status == 0 { break }
        kills += 1
      }
      #expect(kills >= 4)
    }
  }

  @Test("`capture` keeps a concurrent change of the manifest and reports a manifest with errors")
  func meanwhile() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let run = try site.startAtTerminal(Self.capture + ["--offline"])
      try await run.prints("[1/4] Room 101")
      // Another program changes the entry of Room 101; the label is written into the changed file.
      let changed = Self.manifest.replacing("by the sea", with: "by the lake")
      try site.write("building.yaml", changed)
      try run.type("C47C8D000001\n")
      try await run.prints("C4:7C:8D:00:00:01 saved")
      try site.write("building.yaml", "building: [")
      try run.type("C47C8D000002\n")
      try await run.prints("not saved")
      try site.write("building.yaml", changed)
      try run.type("C47C8D000002\nu\n")
      try await run.prints("undone: Room 102", thenType: "q\n")
      try await run.ended().expect(100)
      #expect(try Self.text(site) == changed)
    }
  }
}
