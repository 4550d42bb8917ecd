import Foundation
import Testing

@Suite(
  "an invalid manifest is refused with its place, and no sensor is written",
  .timeLimit(.minutes(60)))
struct BadManifestTests {
  /// A manifest and the messages that it must produce.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The bytes of the file; nil if there is no file.
    var bytes: [UInt8]?
    /// Texts that the message must contain.
    var says: [String]
    /// Texts that the message must not contain.
    var hides: [String] = []

    init(_ name: String, _ text: String, says: [String], hides: [String] = []) {
      self.init(name, bytes: Array(text.utf8), says: says, hides: hides)
    }

    init(_ name: String, bytes: [UInt8]?, says: [String], hides: [String] = []) {
      testDescription = name
      self.bytes = bytes
      self.says = says
      self.hides = hides
    }
  }

  private static func building(
    wifi: String = "{ ssid: Guests, password: correct-horse }",
    rooms: [String] = [#"{ room: A, minor: 1, address: "C4:7C:8D:00:00:01" }"#]
  ) -> String {
    """
    building: Harbour House
    wifi:
      guests: \(wifi)
    rooms:
    \(rooms.map { "  - " + $0 }.joined(separator: "\n"))

    """
  }

  static let cases = [
    Case("missing", bytes: nil, says: ["there is no file building.yaml"]),
    Case("empty", "", says: ["building.yaml:1:1: error:"]),
    Case("a comment only", "# nothing yet\n", says: ["building.yaml:", "error:"]),
    Case("not YAML", "rooms: [\n  - {", says: ["building.yaml:2:", "error:", "^"]),
    Case(
      "not UTF-8", bytes: Array("building: Caf".utf8) + [0xE9] + Array("\nrooms: []\n".utf8),
      says: ["building.yaml:1:14: error:", "UTF-8"]),
    Case(
      "duplicate minor",
      building(rooms: [
        #"{ room: A, minor: 7, address: "C4:7C:8D:00:00:01" }"#,
        #"{ room: B, minor: 7, address: "C4:7C:8D:00:00:02" }"#,
      ]), says: ["building.yaml:6:23: error:", "minor: 7", "                      ^"]),
    Case(
      "duplicate address",
      building(rooms: [
        #"{ room: A, minor: 1, address: "C4:7C:8D:00:00:01" }"#,
        #"{ room: B, minor: 2, address: "C4:7C:8D:00:00:01" }"#,
      ]), says: ["building.yaml:6:35: error:", "C4:7C:8D:00:00:01"]),
    Case(
      "minor too large",
      building(rooms: [#"{ room: A, minor: 65536, address: "C4:7C:8D:00:00:01" }"#]),
      says: ["building.yaml:5:23: error:", "65535", "^"]),
    Case(
      "minor negative", building(rooms: [#"{ room: A, minor: -1, address: "C4:7C:8D:00:00:01" }"#]),
      says: ["building.yaml:5:23: error:", "^"]),
    Case(
      "SSID of 33 bytes in 17 characters",
      building(wifi: "{ ssid: \(String(repeating: "ü", count: 16))x, password: correct-horse }"),
      says: ["building.yaml:3:19: error:", "33 bytes", "^"], hides: ["correct-horse"]),
    Case(
      "password of 7 bytes", building(wifi: "{ ssid: Guests, password: zq-7-zq }"),
      says: ["building.yaml:3:37: error:", "8", "63"], hides: ["zq-7-zq"]),
    Case(
      "password of 64 bytes",
      building(wifi: "{ ssid: Guests, password: \(String(repeating: "zqxw", count: 16)) }"),
      says: ["building.yaml:3:37: error:", "63"], hides: ["zqxw"]),
    Case(
      "password on the SSID's line by a lost line break",
      "building: H\nwifi:\n  guests:\n    ssid: Guests password: zqxw-zqxw\nrooms: []\n",
      says: ["building.yaml:4:", "error:"], hides: ["zqxw"]),
  ]

  @Test(
    "an invalid manifest ends the command with 65 and its error, shows no password and creates no report",
    arguments: cases, ["validate", "apply"])
  func refused(_ bad: Case, _ command: String) async throws {
    try await Site.use { site in
      if let bytes = bad.bytes {
        try Data(bytes).write(to: site.directory.appending(path: "building.yaml"))
      }
      let outcome = try await site.run([command, "building.yaml"]).expect(65)
      for text in bad.says { #expect(outcome.errors.contains(text), "“\(text)” is missing\n\(outcome)") }
      for text in bad.hides { #expect(!"\(outcome)".contains(text), "“\(text)” is shown\n\(outcome)") }
      #expect(!site.has("reports"))
    }
  }

  @Test("a directory is refused as a manifest", arguments: ["validate", "apply"])
  func directory(_ command: String) async throws {
    try await Site.use { site in
      _ = try await site.run([command, "."]).expect(65, errors: "is a directory")
    }
  }

  @Test("findings are JSON on stdout, with the same places, with `--output json`")
  func json() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.building(wifi: "{ ssid: Guests, password: zq-7-zq }"))
      let outcome = try await site.run(["validate", "building.yaml", "--output", "json"]).expect(65)
      let answer = try outcome.json
      #expect(answer["schema"].text == "roboprov/validate/1")
      #expect(answer["valid"].flag == false)
      let finding = answer["findings"][0]
      #expect(finding["severity"].text == "error")
      #expect(finding["range"]["line"].integer == 3)
      #expect(finding["range"]["column"].integer == 37)
      #expect(!"\(outcome)".contains("zq-7-zq"))
    }
  }

  @Test("a valid manifest is summarised")
  func valid() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.building())
      try await site.run(["validate", "building.yaml"]).expect(0, output: "1 room")
      let machine = try await site.run(["validate", "building.yaml", "--output", "json"])
      let answer = try machine.json
      #expect(answer["valid"].flag == true)
      #expect(answer["findings"].count == 0)
      #expect(machine.errors.isEmpty)
    }
  }
}
