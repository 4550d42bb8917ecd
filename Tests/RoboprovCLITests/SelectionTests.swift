import Foundation
import Testing

@Suite("rooms and adapters are selected by their names in the manifest", .timeLimit(.minutes(60)))
struct SelectionTests {
  private static let manifest = """
    building: House
    adapters: { east: { address: "00:1A:7D:DA:71:13", place: by the lift } }
    floors:
      - floor: ground
        rooms: [{ room: Lobby, minor: 1, address: "C4:7C:8D:00:00:01", tags: [public] }]
      - floor: 1
        groups:
          - group: suite
            rooms_from: suites.csv
        rooms: [{ room: "Room {101..103}", minor: 101 }]
    rooms_from: labels.csv

    """

  @Test(
    "names in the manifest select the rooms of a command",
    arguments: [
      (["--only", "floor:1"], ["Suite A", "Suite B", "Room 101", "Room 102", "Room 103"]),
      (["--only", "tag:suite", "tag:public"], ["Lobby", "Suite A", "Suite B"]),
      (["--only", "minor:102-200"], ["Room 102", "Room 103"]),
      (["--only", "Room 10*", "--skip", "Room 102"], ["Room 101", "Room 103"]),
      (["--skip", "floor:1"], ["Lobby"]), (["--only", "FLOOR:Ground"], ["Lobby"]),
    ])
  func selected(arguments: [String], names: [String]) async throws {
    try await Site.use { site in
      try Self.write(to: site)
      let outcome = try await site.run(
        ["plan", "building.yaml", "--simulate", "--scan-time", "1", "--output", "json"] + arguments
      ).expect(0)
      let rooms = try outcome.json["rooms"].items
      let chosen = rooms.filter { $0["exclusion"]["cause"].text == nil }.compactMap { $0["name"].text }
      #expect(chosen == names, "\(outcome)")
    }
  }

  @Test(
    "each command with a manifest accepts an adapter's name from it",
    arguments: ["plan", "verify"])
  func alias(command: String) async throws {
    try await Premises.serve(1) { premises in
      let file = premises.site.directory.appending(path: "building.yaml")
      let manifest = try String(contentsOf: file, encoding: .utf8).replacing(
        "rooms:", with: "adapters: { east: { address: \"00:1A:7D:DA:71:13\", place: by the lift } }\nrooms:")
      try premises.site.write("building.yaml", manifest)
      let more = ["plan": ["--scan-time", "1"], "verify": ["--for", "1"]][command] ?? []
      let known = try await premises.run(
        [command, "building.yaml", "--adapter", "east", "--adapter-wait", "1"] + more)
      #expect(known.status != 69 && !known.errors.contains("no adapter"), "\(known)")
      try await premises.run(
        [command, "building.yaml", "--adapter", "west", "--adapter-wait", "1"] + more
      ).expect(69)
    }
  }

  private static func write(to site: Site) throws {
    try site.write("building.yaml", manifest)
    try site.write(
      "suites.csv", "room;minor;address\nSuite A;201;C4:7C:8D:00:02:01\nSuite B;202;C4:7C:8D:00:02:02\n")
    let labels = (1...3).map { "Room 10\($0);C4:7C:8D:00:01:0\($0)\n" }.joined()
    try site.write("labels.csv", "room;address\n\(labels)")
  }
}
