import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("`inspect` reads one device", .timeLimit(.minutes(60)))
struct InspectCommandTests {
  private static let beacon = BluetoothAddress(rawValue: 0xC47C_8D00_0031)

  /// Serves Robo Sensors 1 and 2, a beacon that has a room, and sensor 3 whose firmware has no WiFi scan.
  private func serve(
    networks: [WiFiNetwork] = [], toPrograms: Bool = false,
    _ body: @escaping @Sendable (Premises) async throws -> Void
  ) async throws {
    let family = try #require(FirmwareFamily.all[name: "iot-design-shop"])
    let scenario = Scenario(
      seed: 7, adapters: [AdapterScenario(address: ServedBuilding.adapter, name: "hci0")],
      sensors: [
        ServedBuilding.sensor(1), ServedBuilding.sensor(2), ServedBuilding.sensor(3, .withoutWiFiScan),
        SensorScenario(
          address: Self.beacon, family: family,
          holds: [
            "uuid": "8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18", "major": "40", "minor": "12", "power": "medium",
            "interval": "1s",
          ]),
      ], wifiNetworks: networks)
    try await Site.use { site in
      try await site.serve(scenario, toPrograms: toPrograms) {
        try await body(Premises(site: site, building: $0))
      }
    }
  }

  // MARK: inspect

  @Test(
    "`inspect` lists services and characteristics, reads no password and writes nothing")
  func sensor() async throws {
    try await serve { premises in
      let outcome = try await premises.run(["inspect", "C47C8D000001"]).expect(0)
      let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.hasPrefix("C4:7C:8D:00:00:01: Robo Sensor, waits, -"), "\(outcome)")
      #expect(text.contains("Service 12345678-9ABC-DEF0-1234-000000000001 (Robo Sensor)"), "\(outcome)")
      #expect(
        text.contains("status read, notify “ready”") || text.contains("status read, notify (empty)"),
        "\(outcome)")
      #expect(text.contains("WiFi password write (a secret; it was not read)"), "\(outcome)")
      #expect(text.contains("minor ID write -"), "\(outcome)")
      #expect(await premises.writes.isEmpty)
      try await premises.site.until("the end of the link") {
        await premises.building.world.openLinkCount() == 0
      }
    }
  }

  @Test("`inspect` decodes settings by the family's description, as text and as JSON")
  func decoded() async throws {
    try await serve { premises in
      try await premises.run(["inspect", "\(Self.beacon)"]).expect(
        output: "uuid 8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18", "major 40, minor 12", "power medium, interval 1s"
      )
      let document = try await premises.run(["inspect", "\(Self.beacon)", "--output", "json"]).json
      #expect(document["schema"].text == "roboprov/inspection/1" && document["state"].text == "at_work")
      let characteristics = document["services"].items.flatMap { $0["characteristics"].items }
      let identity = try #require(characteristics.first { $0["name"].text == "major and minor ID" })
      #expect(
        identity["value"].text == "28000c00" && identity["access"].items.map(\.text) == ["read", "write"])
      #expect(identity["settings"].items.map { $0["value"].text } == ["40", "12"])
    }
  }

  @Test("`inspect` of an absent device ends with 100 and the action to take")
  func absent() async throws {
    try await serve { premises in
      try await premises.run(["inspect", "C4:7C:8D:00:00:AA", "--scan-time", "3"]).expect(
        100, errors: "was not received within 3 s")
    }
  }

  /// The manifest names the same variable, and has a name for the adapter.
  @Test(
    "`inspect --set` writes, proves and records settings; only the sensor gets the password",
    arguments: [false, true])
  func write(hasManifest: Bool) async throws {
    try await serve(toPrograms: true) { premises in
      try premises.site.writeManifest(
        [.numbered(5)], password: "{ env: WIFI_LAB }",
        adapters: "lobby: { address: \"\(ServedBuilding.adapter)\" }")
      let password = "only-the-sensor-knows"
      let set = [
        "--set", "room_name=Lab", "--set", "minor=77", "--set", "wifi_ssid=Harbour Guests", "--set",
        "wifi_password=env:WIFI_LAB",
      ]
      let outcome = try await premises.site.run(
        ["inspect", "C4:7C:8D:00:00:01"] + (hasManifest ? ["building.yaml", "--adapter", "lobby"] : []) + set,
        bus: premises.building.bus,
        environment: ["WIFI_LAB": password]
      ).expect(0, output: "1 of 1 room")
      let flash = try #require(await premises.building.flash(1))
      #expect(flash.isSaved && flash.minor == 77)
      #expect(flash.values["wifi_password"] == Array(password.utf8))
      #expect(!"\(outcome)".contains(password))
      let folder = premises.site.directory.appending(path: "reports/device-c47c8d000001")
      let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      #expect(files.contains { $0.hasSuffix("/journal.jsonl") })
      for file in files {
        let text = (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
        #expect(!text.contains(password), "\(file)")
      }
      // The record of this device does not block the next one.
      await premises.pressButton(1)
      try await premises.run(
        ["inspect", "C4:7C:8D:00:00:01", "--set", "room_name=Lab", "--set", "minor=78"]).expect(0)
      #expect(await premises.minor(1) == 78)
    }
  }

  @Test("`inspect --set` refuses a beacon of another room unless --overwrite is given")
  func overwrite() async throws {
    try await serve { premises in
      let set = [
        "inspect", "\(Self.beacon)", "--set", "uuid=8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18", "--set",
        "major=40",
        "--set", "minor=13",
      ]
      try await premises.run(set).expect(100)
      #expect(await premises.writes.isEmpty)
      try await premises.run(set + ["--overwrite"]).expect(0)
      try await premises.run(["inspect", "\(Self.beacon)"]).expect(output: "major 40, minor 13")
    }
  }

  @Test(
    "`inspect --set` refuses invalid values before it writes, and never shows a password",
    arguments: [
      (["minor=7"], "also needs room_name"), (["room_name=Lab", "minor=7", "colour=red"], "no such setting"),
      (["room_name=Lab", "minor=70000"], "minor"), (["room_name=Lab", "minor=7", "minor=8"], "twice"),
      (["hunter22"], "KEY=VALUE"),
      (["room_name=Lab", "minor=7", "wifi_password=hunter22"], "takes no password"),
      (["room_name=Lab", "minor=7", "wifi_ssid=Lab"], "wifi_password=none"),
      (["room_name=Lab", "minor=7", "wifi_ssid=Lab", "wifi_password=env:NOT_SET"], "NOT_SET"),
    ])
  func refused(_ pairs: [String], _ words: String) async throws {
    try await serve { premises in
      let outcome = try await premises.run(
        ["inspect", "C4:7C:8D:00:00:01"] + pairs.flatMap { ["--set", $0] }
      ).expect(errors: words)
      #expect([64, 65].contains(outcome.status), "\(outcome)")
      #expect(!"\(outcome)".contains("hunter22"), "\(outcome)")
      #expect(await premises.writes.isEmpty)
      #expect(!premises.site.has("reports"))
    }
  }

  // MARK: --networks

  private static let networks = [
    WiFiNetwork(ssid: "Harbour Guests", rssi: -52), WiFiNetwork(ssid: "Office, 2nd floor", rssi: -61),
    WiFiNetwork(ssid: "Königin Elisabeth", rssi: -75),
  ]

  @Test("`inspect --networks` lists the networks that a sensor receives; unsupported firmware ends with 100")
  func networks() async throws {
    try await serve(networks: Self.networks) { premises in
      let text = try await premises.run(["inspect", "C47C8D000001", "--networks"]).expect(0)
      #expect(
        text.output.split(separator: "\n").map(String.init) == [
          "RSSI     NETWORK", "-52 dBm  Harbour Guests", "-61 dBm  Office, 2nd floor",
          "-75 dBm  Königin Elisabeth",
        ], "\(text)")
      let list = try await premises.run(["inspect", "C47C8D000002", "--networks", "--output", "json"]).json
      #expect(list["networks"].items.map { $0["ssid"].text } == Self.networks.map(\.ssid))
      #expect(list["complete"].flag == true && list["address"].text == "\(ServedBuilding.address(2))")
      let old = try await premises.run(["inspect", "C47C8D000003", "--networks"]).expect(
        errors: "C4:7C:8D:00:00:03 cannot list networks")
      #expect(old.status == 100 && old.output.isEmpty, "\(old)")
      let both = try await premises.run(["inspect", "C47C8D000001", "--networks", "--set", "minor=7"])
      #expect(both.status == 64 && both.errors.contains("not both"), "\(both)")
    }
  }

  @Test("`inspect --networks` reports a sensor that receives no network")
  func noNetworks() async throws {
    try await serve { premises in
      let outcome = try await premises.run(["inspect", "C47C8D000001", "--networks"]).expect(0)
      #expect(outcome.output == "C4:7C:8D:00:00:01 receives no network.\n", "\(outcome)")
    }
  }
}
