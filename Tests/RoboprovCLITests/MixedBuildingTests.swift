import Foundation
import Testing

@Suite("the shipped building of several device families is provisioned", .timeLimit(.minutes(60)))
struct MixedBuildingTests {
  /// The expected outcome of a room.
  private struct Expected {
    var outcome: String
    var reason: String?
    var evidence: String?

    init(_ outcome: String, _ reason: String? = nil, _ evidence: String? = nil) {
      self.outcome = outcome
      self.reason = reason
      self.evidence = evidence
    }
  }

  private static let expected: [String: Expected] = [
    "ticket-office": Expected("provisioned", nil, "fresh_beacon"),
    "cloakroom": Expected("provisioned_after_retry", nil, "fresh_beacon"),
    "whaling-hall": Expected("provisioned", nil, "fresh_beacon"),
    "map-room": Expected("provisioned", nil, "fresh_beacon"),
    "lighthouse-stairs": Expected("provisioned", nil, "fresh_beacon"),
    "harbour-cafe": Expected("action_required", "foreign_settings"),
    "knot-school": Expected("failed", "read_back_mismatch"),
    "fog-horn": Expected("provisioned", nil, "self_disconnect"),
    "ship-s-bell": Expected("unconfirmed", "no_self_disconnect"),
    "harbour-model": Expected("provisioned", nil, "device_status"),
    "diving-bell": Expected("failed", "wifi_refused"),
    "radio-cabin": Expected("action_required", "authorization_required"),
    "tide-gauge": Expected("provisioned", nil, "device_status"),
    "weather-mast": Expected("action_required", "credentials_refused"),
    "engine-model": Expected("provisioned", nil, "device_status"),
    "pier-lamp": Expected("action_required", "foreign_settings"),
    "entrance": Expected("already_provisioned", nil, "beacon_on_air"),
    "boat-shed": Expected("unreachable", "never_received"),
  ]

  private static let simulate = ["--simulate", "--scenario", "scenario.yaml"]

  /// Copies a shipped manifest and its scenario to a site.
  private static func copy(_ name: String, to site: Site) throws {
    let manifests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests")
    let building = try String(contentsOf: manifests.appending(path: "\(name)-building.yaml"), encoding: .utf8)
    try #require(building.contains("\nid: \(name)-building\n"))
    try site.write(
      "building.yaml", building.replacing("\nid: \(name)-building\n", with: "\nid: \(Site.building)\n"))
    let scenario = try String(contentsOf: manifests.appending(path: "\(name)-scenario.yaml"), encoding: .utf8)
    try site.write("scenario.yaml", scenario)
  }

  @Test(
    "each room has the outcome, reason, evidence and settings that the manifest's comments state")
  func apply() async throws {
    try await Site.use { site in
      try Self.copy("mixed", to: site)
      try await site.run(["apply", "building.yaml"] + Self.simulate).expect(100)
      let rehearsal = try site.rehearsal
      let rooms = try rehearsal.report["rooms"].items
      #expect(Set(rooms.compactMap { $0["id"].text }) == Set(Self.expected.keys))
      for room in rooms {
        let id = room["id"].text ?? ""
        let expected = try #require(Self.expected[id])
        let log = try rehearsal.text(of: room["log"].text ?? "")
        #expect(room["outcome"].text == expected.outcome, "\(id)\n\(log)")
        #expect(room["reason_code"].text == expected.reason, "\(id)\n\(log)")
        #expect(room["evidence"]["grade"].text == expected.evidence, "\(id)\n\(log)")
        #expect(room["registered"].flag == ["entrance", "boat-shed"].contains(id))
      }
      let stairs = try #require(rooms.first { $0["id"].text == "lighthouse-stairs" })["settings"].items
      #expect(
        stairs.map { "\($0["name"].text ?? "") \($0["value"].text ?? "") \($0["state"].text ?? "")" } == [
          "uuid 4B7F1D6E-9C0A-4E53-8D21-6A5C0E9F3B74 proved", "major 2 proved", "minor 1 proved",
          "power high proved", "interval 2s proved",
        ])
      let model = try #require(rooms.first { $0["id"].text == "harbour-model" })
      #expect(model["details"].items.contains { $0["value"].text == "http://192.168.7.31/" })
      for file in site.recordedFiles {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(!text.contains("sails-and-anchors"), "a password is in \(file.path)")
      }
    }
  }

  @Test("a beacon with another room's settings is written once the operator allows it")
  func overwrite() async throws {
    try await Site.use { site in
      try Self.copy("mixed", to: site)
      let only = ["apply", "building.yaml", "--only", "harbour-cafe", "--overwrite", "harbour-cafe"]
      let outcome = try await site.run(only + Self.simulate).expect(0)
      let room = try #require(
        try site.rehearsal.report["rooms"].items.first { $0["id"].text == "harbour-cafe" })
      #expect(room["outcome"].text == "provisioned", "\(outcome)")
    }
  }

  @Test("a plan shows the action for each device and the registered rooms")
  func plan() async throws {
    try await Site.use { site in
      try Self.copy("mixed", to: site)
      let outcome = try await site.run(["plan", "building.yaml"] + Self.simulate).expect(0)
      let rows = outcome.output.split(separator: "\n").map(String.init)
      for (room, words) in [
        ("Whaling Hall", "provision"), ("Fog Horn", "provision"), ("Harbour Café", "action required"),
        ("Entrance", "registered, on air with minor 9"),
        ("Boat Shed", "registered, not received yet"),
      ] {
        let row = try #require(rows.first { $0.hasPrefix(room) }, "\(outcome)")
        #expect(row.contains(words), "\(outcome)")
      }
    }
  }

  @Test("`scan` lists each writable device, whatever its settings, and no keyboard")
  func scan() async throws {
    try await Site.use { site in
      try Self.copy("mixed", to: site)
      let outcome = try await site.run(["scan", "--scan-time", "15", "--output", "json"] + Self.simulate)
        .expect(0)
      let devices = try outcome.json["devices"].items
      let found = devices.map {
        "\($0["profile"].text ?? "") \($0["state"].text ?? "") \($0["identity"].minor ?? -1)"
      }
      #expect(
        found.sorted() == [
          "esp-idf waiting -1", "esp-idf waiting -1",
          "firefly present -1", "firefly present -1", "improv-wifi waiting -1", "improv-wifi waiting -1",
          "iot-design-shop at_work 12", "iot-design-shop at_work 9", "iot-design-shop waiting -1",
          "iot-design-shop waiting -1", "iot-design-shop waiting -1", "iot-design-shop waiting -1",
          "robo-sensor waiting -1", "robo-sensor waiting -1", "shelly present -1", "shelly present -1",
        ], "\(outcome)")
      try await site.run(["scan", "--scan-time", "15"] + Self.simulate).expect(
        output: "at work: uuid 8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18, major 40, minor 12")
    }
  }

  @Test("`validate` counts families and registered rooms")
  func validate() async throws {
    try await Site.use { site in
      try Self.copy("mixed", to: site)
      let outcome = try await site.run(["validate", "building.yaml"]).expect(
        output:
          "18 rooms (2 robo-sensor, 7 iot-design-shop, 2 firefly, 3 improv-wifi, 2 esp-idf, 2 shelly), 16 with an address, 2 with a device's name, 2 registered, 9 with WiFi"
      )
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      let data = try #require(
        JSON(try await site.run(["validate", "building.yaml", "--output", "json"]).output))
      #expect(data["profiles"]["iot-design-shop"].integer == 7)
      #expect(data["registered"].integer == 2)
    }
  }
}
