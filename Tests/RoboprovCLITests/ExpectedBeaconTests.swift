import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a site can expect another beacon than the family's", .timeLimit(.minutes(60)))
struct ExpectedBeaconTests {
  private static let uuid = "6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B"
  private static let retries = "retries: 0"
  private static let beacon = "beacon: { uuid: \(uuid), major: 7 }"

  /// Two sensors with that firmware, and one at a neighbour's site with the minor of the first.
  private static var sensors: [SensorScenario] {
    var sensors = (1...3).map { ServedBuilding.sensor($0) }
    for index in 0...1 {
      sensors[index].beacon = BuiltInBeacon(uuid: BluetoothUUID(uuid), major: 7)
    }
    sensors[2].holds = ["minor": "101", "room_name": "Next door"]
    return sensors
  }

  @Test("sensors are provisioned, planned, verified and reported by the expected beacon")
  func wholeSite() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2)], defaults: [Self.retries, Self.beacon])
      try await site.serve(Self.sensors) { building in
        let premises = Premises(site: site, building: building)
        try await premises.apply().expect(0)
        #expect(try site.outcomes == [101: "provisioned", 102: "provisioned"])
        let settings = try site.building["rooms"].items[0]["settings"].items.map {
          "\($0["name"].text ?? "") \($0["value"].text ?? "-") \($0["state"].text ?? "")"
        }
        #expect(
          settings.suffix(3) == [
            "beacon_uuid \(Self.uuid) proved", "beacon_major 7 proved", "minor 101 proved",
          ])

        try await premises.run([
          "plan", "building.yaml", "--scan-time", "1", "--detailed-exitcode",
        ]).expect(0, output: "0 to provision, 2 done")
        let verified = try await premises.run(["verify", "building.yaml", "--for", "10"]).expect(0)
        #expect(verified.output == "2 of 2 rooms on air from their own device\n", "\(verified)")
        try await site.run(["status", "building.yaml", "--check"]).expect(0)
        // A rehearsal also has sensors with that firmware.
        try await site.run([
          "apply", "building.yaml", "--yes", "--scan-time", "1", "--simulate",
        ]).expect(0)

        // The proof on record is not the beacon that this manifest expects.
        try site.writeManifest([.numbered(1), .numbered(2)])
        try await site.run(["status", "building.yaml", "--check"]).expect(100)
      }
    }
  }

  @Test("sensors with an unexpected beacon are not done, and the report names the manifest entry to add")
  func unexpected() async throws {
    try await Site.use([.numbered(2)]) { site in
      try await site.serve(Self.sensors) { building in
        let premises = Premises(site: site, building: building)
        let applied = try await premises.apply().expect(100)
        let text = applied.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
          text.contains("another beacon than expected: uuid \(Self.uuid), major 7, minor 102."), "\(applied)")
        #expect(
          text.contains("write them into the manifest, as `beacon: { uuid: …, major: … }`"), "\(applied)")
        // With that entry the sensor is recognised as provisioned.
        try site.writeManifest([.numbered(2)], defaults: [Self.retries, Self.beacon])
        try await premises.apply().expect(0)
        #expect(try site.outcomes == [102: "already_provisioned"])
      }
    }
  }

  @Test("a scenario can set a beacon; other families and invalid beacons are refused")
  func scenario() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)], defaults: [Self.retries, Self.beacon])
      let sensor = "{ address: \"C4:7C:8D:00:00:01\", SENSOR }"
      func rehearse(_ text: String) async throws -> Invocation.Outcome {
        try site.write(
          "scenario.yaml",
          """
          speed: 10
          adapters: [{ name: hci0, address: "00:1A:7D:DA:71:13" }]
          sensors: [\(sensor.replacing("SENSOR", with: text))]

          """)
        return try await site.run(
          [
            "apply", "building.yaml", "--yes", "--scan-time", "1", "--simulate", "--scenario",
            "scenario.yaml",
          ])
      }
      #expect(try await rehearse(Self.beacon).status == 0)
      for (text, words) in [
        (
          "family: iot-design-shop, \(Self.beacon)",
          "iot-design-shop has no beacon that is built into its firmware"
        ),
        ("beacon: { uuid: 180F }", "a UUID of 32 hex digits is expected here"),
        ("beacon: { major: 65536 }", "a whole number from 0 to 65535 is expected here"),
        ("beacon: { minor: 1 }", "unknown key minor"),
      ] {
        let outcome = try await rehearse(text)
        #expect(outcome.status == 65 && outcome.errors.contains(words), "\(outcome)")
      }
    }
  }
}
