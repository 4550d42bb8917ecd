import Foundation
import Manifest
import Model
import Reporting
import Testing
import YAML

@testable import Application

@Suite("the shipped building of described families is provisioned", .timeLimit(.minutes(60)))
struct DescribedBuildingTests {
  /// Copies the shipped manifest, its family files and its scenario to a site.
  private static func copy(to site: Site) throws {
    let manifests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests")
    func text(_ path: String) throws -> String {
      try String(contentsOf: manifests.appending(path: path), encoding: .utf8)
    }
    try site.write(
      "building.yaml",
      text("described-building.yaml").replacing(
        "\nid: described-building\n", with: "\nid: \(Site.building)\n"
      )
      .replacing("families/", with: ""))
    for family in ["battery-tag", "lamp-controller"] {
      try site.write("\(family).yaml", text("families/\(family).yaml"))
    }
    try site.write("scenario.yaml", text("described-scenario.yaml"))
  }

  @Test("a rehearsal works at once, in a building without faults")
  func healthy() async throws {
    try await Site.use { site in
      try Self.copy(to: site)
      try await site.run(["apply", "building.yaml", "--simulate"]).expect(0)
      let rooms = try site.rehearsal.report["rooms"].items
      #expect(rooms.count == 5 && rooms.allSatisfy { $0["outcome"].text == "provisioned" })
      #expect(
        rooms.map { $0["evidence"]["grade"].text } == [
          "fresh_beacon", "fresh_beacon", "device_status", "device_status", "fresh_beacon",
        ])
    }
  }

  @Test("devices that demand pairing are paired as their files say, and no passkey is shown")
  func paired() async throws {
    try await Site.use { site in
      try Self.copy(to: site)
      func change(_ file: String, _ old: String, _ new: String) throws {
        let text = try String(contentsOf: site.directory.appending(path: file), encoding: .utf8)
        try #require(text.contains(old))
        try site.write(file, text.replacing(old, with: new))
      }
      try change("battery-tag.yaml", "\naccess: ", "\npairing: passkey\naccess: ")
      try change("lamp-controller.yaml", "\naccess: ", "\npairing: just_works\naccess: ")
      try await site.run(["validate", "building.yaml"]).expect(65, errors: "passkey")
      try change("building.yaml", "  zone: 3\n", "  zone: 3\n  passkey: \"042042\"\n")
      let outcome = try await site.run(["apply", "building.yaml", "--simulate"])
      outcome.expect(0)
      let rooms = try site.rehearsal.report["rooms"].items
      #expect(rooms.count == 5 && rooms.allSatisfy { $0["outcome"].text == "provisioned" })
      let journal = try site.rehearsal.text(of: "journal.jsonl")
      for kind in ["bond_intended", "bond_removed"] {
        #expect(journal.components(separatedBy: "\"\(kind)\"").count == 5, "four rooms have one \(kind)")
      }
      for text in [journal, outcome.output, outcome.errors, try site.rehearsal.text(of: "report.json")] {
        #expect(!text.contains("042042"))
      }
    }
  }

  @Test("a building of valves is rehearsed without its PIN, and no output has a PIN")
  func valves() async throws {
    try await Site.use { site in
      let manifests = URL(filePath: #filePath).appending(path: "../../../manifests").standardizedFileURL
      for (name, path) in [
        ("building.yaml", "valve-building.yaml"), ("valve.yaml", "families/valve.yaml"),
      ] {
        let text = try String(contentsOf: manifests.appending(path: path), encoding: .utf8)
        try site.write(
          name,
          text.replacing("building: Valves\n", with: "building: Valves\nid: \(Site.building)\n")
            .replacing("families: families/", with: "families: "))
      }
      try await site.run(["validate", "building.yaml"]).expect(0)
      try await site.run(["apply", "building.yaml", "--simulate"]).expect(0)
      let text = try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      try site.write("building.yaml", text.replacing("{ env: VALVE_PIN }", with: "987654"))
      let outcome = try await site.run(["apply", "building.yaml", "--simulate"])
      outcome.expect(0)
      let rooms = try site.rehearsal.report["rooms"].items
      #expect(rooms.map { $0["evidence"]["grade"].text } == ["settings_read_back", "settings_read_back"])
      let journal = try site.rehearsal.text(of: "journal.jsonl")
      for text in [journal, outcome.output, outcome.errors, try site.rehearsal.text(of: "report.json")] {
        #expect(!text.contains("987654"))
      }
      try site.write("building.yaml", text.replacing("{ env: VALVE_PIN }", with: "9876543"))
      let wrong = try await site.run(["validate", "building.yaml"])
      wrong.expect(65, errors: "pin")
      #expect(!(wrong.output + wrong.errors).contains("9876543"))
    }
  }

  @Test("a scenario has devices of described families, with their faults")
  func faults() async throws {
    try await Site.use { site in
      try Self.copy(to: site)
      try await site.run(
        ["apply", "building.yaml", "--simulate", "--scenario", "scenario.yaml"]).expect(100)
      let rooms = try site.rehearsal.report["rooms"].items
      #expect(
        rooms.map { $0["outcome"].text } == [
          "provisioned", "provisioned_after_retry", "provisioned", "unconfirmed", "provisioned",
        ], "\(rooms.map { $0["reason_code"].text })")
    }
  }

  @Test("`inspect` and the schema of manifests know the families of a manifest")
  func known() async throws {
    try await Site.use { site in
      try Self.copy(to: site)
      func inspect(_ device: String, _ options: [String]) async throws -> Invocation.Outcome {
        let virtual = ["building.yaml", "--simulate", "--scenario", "scenario.yaml"]
        return try await site.run(["inspect", device] + virtual + options)
      }
      let tag = try await inspect("C4:7C:8D:6C:00:01", [])
      #expect(tag.status == 0 && tag.output.contains("C4:7C:8D:6C:00:01: Battery tag, waits"), "\(tag)")
      #expect(tag.output.contains("Service 5A3B0000-1D2C-4E6F-8A9B-0C1D2E3F4A5B (Battery tag)"), "\(tag)")
      let lamp = try await inspect(
        "C4:7C:8D:6C:01:01", ["--set", "fixture=11", "--set", "mode=cold", "--output", "json"])
      let room = try lamp.json["rooms"][0]
      #expect(lamp.status == 0 && room["outcome"].text == "provisioned", "\(lamp)")
      try await site.run(["schema", "manifest"]).expect(notOutput: "\"fixture\"")
      try await site.run(["schema", "manifest", "building.yaml"]).expect(0, output: "\"fixture\"")
      try await site.run(["schema", "report", "building.yaml"]).expect(
        64, errors: "only `roboprov schema manifest`")
    }
  }

  @Test("`validate` reports an error of a family file, with its place there")
  func invalid() async throws {
    try await Site.use { site in
      try Self.copy(to: site)
      try await site.run(["validate", "building.yaml"]).expect(0)
      let text = try String(contentsOf: site.directory.appending(path: "battery-tag.yaml"), encoding: .utf8)
      try site.write("battery-tag.yaml", text.replacing("range: 1..65535", with: "range: 1..65536"))
      try await site.run(["validate", "building.yaml"]).expect(65, errors: "battery-tag.yaml:")
    }
  }

  @Test("`schema family` prints the schema of family files")
  func schema() async throws {
    try await Site.use { site in
      let outcome = try await site.run(["schema", "family"])
      #expect(outcome.status == 0 && outcome.output == FamilySchema.document.pretty)
    }
  }

  @Test("the schema accepts and refuses the same family files as the parser")
  func sameVerdict() async throws {
    let checkout = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    func text(_ path: String) throws -> String {
      try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
    }
    let tag = try text("manifests/families/battery-tag.yaml")
    var texts = [
      tag, try text("manifests/families/lamp-controller.yaml"), try text("manifests/families/valve.yaml"),
      try text("manifests/families/zephyr-wifi.yaml"), try text("manifests/families/eddystone-url.yaml"),
      try text("Tests/DescribedFamilies/iot-design-shop.yaml"),
      try text("Tests/DescribedFamilies/robo-sensor.yaml"),
    ]
    for (right, wrong) in [
      ("access: provisioning_mode", "acess: provisioning_mode"), ("proof: beacon", "proof: luck"),
      ("proof: beacon", ""), ("range: 1..65535", "range: 7"), ("zone: uint8", "zone: uint32"),
      ("state: waiting", "state: asleep"), ("type: text", "type: string"), ("write: STORE", "write:"),
      ("manufacturer: 0x0B0B", "manufacturer: 2827"), ("trailing: 1", "trailing: 17"),
      ("proof: beacon", "proof: beacon\npairing: just_works"),
      ("proof: beacon", "proof: beacon\npairing: passkey"),
      ("proof: beacon", "proof: beacon\npairing: maybe"),
      (
        "holds: { room_name: utf8 }", "holds: [ '0xA5', { length: uint8, room_name: utf8, check: crc32_le } ]"
      ),
      ("holds: { room_name: utf8 }", "json: { name: $room_name }, answer: { a: 1 }"),
      ("holds: { room_name: utf8 }", "text: NAME $room_name"), ("holds: { room_name: utf8 }", "json: [ 1 ]"),
      ("holds: { room_name: utf8 }", "holds: { room_name: utf8 }, text: x"),
      ("holds: { room_name: utf8 }", "response: true"),
      ("holds: { room_name: utf8 }", "holds: { room_name: utf8, check: crc7 }"),
      ("holds: { room_name: utf8 }", "service: 180A, holds: { room_name: utf8_20 }"),
      ("saved: stored", "saved: [ storing, stored ]"), ("saved: stored", "saved: { state: stored }"),
      ("bytes: 1..20", "bytes: 1..20\n    secret: maybe"),
    ] {
      try #require(tag.contains(right))
      texts.append(tag.replacing(right, with: wrong))
    }
    let lines = try texts.map { text -> String in
      let node = try #require(try YAMLParser.parse(Array(text.utf8)))
      let reading = ManifestReader.family(Array(text.utf8), file: "f", beside: FamilyCatalogue())
      let json: JSONValue = [
        "manifest": MutableManifest(node).json, "accepted": .bool(reading.family != nil),
        "partly_unread": false, "codes": .strings(reading.diagnostics.map(\.code.rawValue)),
      ]
      return json.pretty.split(separator: "\n").joined()
    }
    try await Site.use { site in
      try site.write("family.schema.json", FamilySchema.document.pretty)
      try site.write("verdicts.jsonl", lines.joined(separator: "\n") + "\n")
      let outcome = try await site.runTool([
        checkout.appending(path: ".build-interop/venv/bin/python3").path,
        checkout.appending(path: "Tests/Interop/check_manifests.py").path, "family.schema.json",
        "verdicts.jsonl",
      ])
      let result = try outcome.json
      #expect(result["manifests"].integer == texts.count && result["count"].integer == 0, "\(outcome)")
    }
  }
}
