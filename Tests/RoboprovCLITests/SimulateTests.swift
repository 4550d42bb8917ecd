import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a scenario file describes a virtual building", .timeLimit(.minutes(60)))
struct SimulateTests {
  private static func scenario(_ sensors: [String]) -> String {
    """
    seed: 5
    speed: 10
    adapters:
      - { name: hci0, address: "\(ServedBuilding.adapter)" }
    sensors:
    \(sensors.map { "  - " + $0 }.joined(separator: "\n"))

    """
  }

  private static func sensor(_ number: Int, _ more: String = "") -> String {
    "{ address: \"\(ServedBuilding.address(number))\"\(more) }"
  }

  @Test(
    "`simulate` prints a bus address for another roboprov and leaves no files",
    arguments: [SIGINT, SIGTERM])
  func serves(_ signal: Int32) async throws {
    try await Site.use([.numbered(1)]) { site in
      try site.write("scenario.yaml", Self.scenario([Self.sensor(1)]))
      let server = try site.start(["simulate", "scenario.yaml"])
      try await server.until("an address") { server.outputSoFar.hasSuffix("\n") }
      let address = String(server.outputSoFar.dropLast())
      #expect(address.hasPrefix("unix:path=/tmp/roboprov-bus-"))
      let socket = String(address.dropFirst("unix:path=".count).prefix { $0 != "," })
      let directory = URL(fileURLWithPath: socket).deletingLastPathComponent().path
      #expect(FileManager.default.fileExists(atPath: socket))

      try await site.run(["apply", "building.yaml", "--scan-time", "1"], bus: address).expect(0)

      server.send(signal)
      #expect(try await server.ended().status == 0)
      #expect(!FileManager.default.fileExists(atPath: directory))
      try await site.run(["scan", "--adapter-wait", "0.5"], bus: address).expect(69, "the bus is gone")
    }
  }

  @Test("--simulate without a scenario rehearses a manifest with healthy sensors")
  func rehearsal() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2), Place(minor: 103)], assign: "any")
      try await site.run(["apply", "building.yaml", "--simulate", "--yes", "--scan-time", "5"]).expect(
        0, output: "simulated")
      #expect(try site.rehearsal.report["run"]["simulated"].flag == true)
      #expect(try site.rehearsal.outcomes.count == 3)
    }
  }

  @Test("a rehearsal has sensors of each room's family, and registered rooms are already at work")
  func families() async throws {
    try await Site.use { site in
      try site.write(
        "building.yaml",
        """
        building: Harbour House
        id: \(Site.building)
        match: any
        rooms:
          - { room: Lobby, minor: 1 }
          - { room: Cellar, minor: 2, register: true }
          - { room: Bar, profile: iot-design-shop, uuid: 11111111-2222-3333-4444-555555555555, major: 1, minor: 3 }
        """)
      let outcome = try await site.run(["apply", "building.yaml", "--simulate", "--yes", "--scan-time", "5"])
        .expect(0)
      let outcomes = try site.rehearsal.report["rooms"].items.map { $0["outcome"].text }
      #expect(outcomes == ["provisioned", "already_provisioned", "provisioned"], "\(outcome)")
    }
  }

  // MARK: Each fault through the BlueZ code

  /// A fault of a scenario, with the expected outcome of its room.
  struct Faulty: Sendable {
    var fault: String
    var outcome: String
    var reason: String?

    init(_ fault: String, _ outcome: String, _ reason: String? = nil) {
      self.fault = fault
      self.outcome = outcome
      self.reason = reason
    }
  }

  static let faulty = [
    Faulty("fault: silent", "unreachable", "never_received"),
    Faulty("fault: never_answers", "unreachable", "connect_timed_out"),
    Faulty("fault: takes_no_connection", "unreachable", "unknown_to_stack"),
    Faulty("fault: slow", "provisioned"),
    Faulty("fault: late_characteristics", "provisioned"),
    Faulty("fault: stale_attributes", "provisioned_after_retry"),
    Faulty("fault: without_wifi_scan", "provisioned"),
    Faulty("fault: drops, in: connect, attempts: 1", "provisioned_after_retry"),
    Faulty("fault: drops, in: discover, attempts: 1", "provisioned_after_retry"),
    Faulty("fault: drops, in: subscribe, attempts: 1", "provisioned_after_retry"),
    Faulty("fault: drops, in: write, nth: 3, attempts: 1", "provisioned_after_retry"),
    Faulty("fault: drops, in: confirm, nth: 2, attempts: 1", "provisioned_after_retry"),
    Faulty("fault: drops, in: save, attempts: 1", "provisioned_after_retry"),
    Faulty("fault: drops, in: write, nth: 4", "failed", "link_lost"),
    Faulty("fault: no_ready", "provisioned"),
    Faulty("fault: refuses_subscription", "provisioned"),
    Faulty("fault: stale_error, text: WiFi failed", "provisioned"),
    Faulty("fault: error_after_first_write, text: busy", "failed", "refused"),
    Faulty("fault: rejects_write, setting: room_name, att_error: 0x80", "failed", "attribute_rejected"),
    Faulty("fault: error_on_save, text: flash write failed", "failed", "refused"),
    Faulty("fault: saves_only_with_ssid", "provisioned"),
    Faulty("fault: no_saved", "provisioned"),
    Faulty("fault: restarts_before_confirming, saved: true", "provisioned"),
    Faulty("fault: restarts_before_confirming, saved: false", "failed", "link_lost"),
    Faulty("fault: returns_with_minor, minor: 999", "failed", "wrong_identity"),
    Faulty("fault: never_returns", "unconfirmed", "not_received_after_save"),
  ]

  @Test("each fault gives its room the expected outcome, with reason, advice and log")
  func faults() async throws {
    try await Site.use { site in
      // With the number of slots stated, no connection attempt tests for a further slot, which would cost no
      // retry.
      try site.writeManifest(
        (1...Self.faulty.count).map { .numbered($0) }, defaults: ["retries: 1"], slots: 5)
      let sensors = zip(1..., Self.faulty).map { Self.sensor($0, ", faults: [{ \($1.fault) }]") }
      try site.write("scenario.yaml", Self.scenario(sensors))
      let run = try site.start(["apply", "building.yaml", "--simulate", "--scenario", "scenario.yaml"])
      try await run.ended().expect(100)
      let rehearsal = try site.rehearsal
      try site.expectWholeRecord(of: rehearsal, rooms: Self.faulty.count)
      for (expected, room) in zip(Self.faulty, try rehearsal.report["rooms"].items) {
        let log = try rehearsal.text(of: room["log"].text ?? "")
        #expect(room["outcome"].text == expected.outcome, "\(expected.fault)\n\(log)")
        #expect(room["reason_code"].text == expected.reason, "\(expected.fault)\n\(log)")
        #expect(room["advice"].isNull == (expected.reason == nil), "\(expected.fault)")
      }
    }
  }

  // MARK: Invalid files

  @Test(
    "an invalid scenario is refused with the places of all its mistakes",
    arguments: [["simulate", "scenario.yaml"], ["scan", "--simulate", "--scenario", "scenario.yaml"]])
  func mistakes(_ command: [String]) async throws {
    try await Site.use { site in
      try site.write("scenario.yaml", "sped: 10\nadapters:\n  - { name: hci0, address: hci0 }\n")
      let outcome = try await site.start(command).ended().expect(65)
      let lines = outcome.errors.split(separator: "\n")
      #expect(lines.first?.hasPrefix("scenario.yaml:1:1: error: unknown key sped") == true, "\(outcome)")
      #expect(
        lines.contains { $0.hasPrefix("scenario.yaml:3:28: error: a Bluetooth address such as") },
        "\(outcome)")
      #expect(
        outcome.errors.contains("roboprov: error: scenario.yaml cannot be used as a scenario\n"), "\(outcome)"
      )
      #expect(outcome.output.isEmpty)
    }
  }

  @Test("a missing scenario, or a directory, is refused", arguments: ["nowhere.yaml", "."])
  func noFile(_ name: String) async throws {
    try await Site.use { site in
      let outcome = try await site.run(["simulate", name]).expect(65, errors: "roboprov: error: ")
      #expect(!outcome.errors.contains("example-building"), "a scenario is no manifest\n\(outcome)")
    }
  }
}
