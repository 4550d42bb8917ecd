import Bluetooth
import Foundation
import Hex
import Testing
import VirtualBuilding

/// Programs that were written for the real `org.bluez` work with the virtual one. The programs are
/// unmodified. A missing program is a failure, and the message says how to install it.
@Suite("Unmodified third-party clients", .serialized)
struct OrgBluezInteropTests {
  static let sensor: BluetoothAddress = .init(rawValue: 0xC47C_8D6A_0001)
  static let minor: UInt16 = 4711

  /// One adapter and one sensor, with realistic timing except for late characteristics: bleak does not wait
  /// for characteristics that appear after `ServicesResolved`, and would fail with a real BlueZ as well.
  static var building: Scenario {
    var radio = RadioParameters()
    radio.lateCharacteristics = 0
    // Clients of the real one connect within 30 s after their scan; here that depends on the machine.
    radio.objectLifetime = .seconds(24 * 3600)
    return Scenario(
      seed: 1, radio: radio,
      adapters: [AdapterScenario(address: .init(rawValue: 0x001A_7DDA_7113), name: "hci0")],
      sensors: [SensorScenario(address: sensor, signal: .init(base: -58))])
  }

  static var arguments: [String] {
    [sensor.description, "Hotel Guest", "correct horse", "Büro 12, \"Süd\"", String(minor)]
  }

  @Test(
    "bleak scans, connects, writes, gets notifications, and receives the iBeacon", .timeLimit(.minutes(60)))
  func bleak() async throws {
    try requireClients()
    try await ServedBuilding.serve(Self.building, speed: 8) { building in
      let outcome = try await Client.run("bleak_client.py", Self.arguments, bus: building.busAddress)
      try await expectProvisioned(outcome, in: building)
      let events = try outcome.events()
      let connected = try #require(events.first { $0["event"] as? String == "connected" })
      let characteristics = try #require(connected["characteristics"] as? [String: [String]])
      #expect(
        characteristics["12345678-9abc-def0-1234-000000000007"] == ["notify", "read"],
        "the status can be read and notifies")
      let received = try #require(events.first { $0["event"] as? String == "sighted" })
      #expect(received["name"] as? String == "Robo Sensor")
      #expect(received["services"] as? [String] == [], "a service is advertised")
    }
  }

  @Test("bluetoothctl provisions a sensor with typed commands", .timeLimit(.minutes(60)))
  func bluetoothctl() async throws {
    try requireClients()
    var scenario = Self.building
    // bluetoothctl shows only the notifications of the selected attribute, so the script needs time to select
    // the status before `saved` arrives.
    scenario.radio.roundTrip = .milliseconds(2000)...(.milliseconds(2500))
    try await ServedBuilding.serve(scenario, speed: 8) { building in
      let outcome = try await Client.run("bluetoothctl_session.py", Self.arguments, bus: building.busAddress)
      try await expectProvisioned(outcome, in: building)
    }
  }

  @Test(
    "py-improv-ble-client provisions an Improv device, and hears from it what it is, and why it failed",
    .timeLimit(.minutes(60)), arguments: [false, true])
  func improv(isInRange: Bool) async throws {
    try requireClients()
    var scenario = Self.building
    scenario.sensors = [SensorScenario(address: Self.sensor, family: .improvWiFi)]
    scenario.wifiNetworks = [WiFiNetwork(ssid: isInRange ? "Hotel Guest" : "Harbour", rssi: -61)]
    try await ServedBuilding.serve(scenario, speed: 8) { building in
      let outcome = try await Client.run(
        "improv_client.py", Array(Self.arguments.prefix(3)), bus: building.busAddress)
      #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
      let events = try outcome.events()
      func event(_ name: String) -> [String: Any]? { events.last { $0["event"] as? String == name } }
      #expect(event("authorization")?["needed"] as? Bool == false)
      #expect(event("device_info")?["firmware"] as? String == "virtual-improv")
      #expect(event("networks")?["ssids"] as? [String] == [isInRange ? "Hotel Guest" : "Harbour"])
      #expect(event("hostname")?["value"] as? String == "lobby-lamp")
      let states = events.filter { $0["event"] as? String == "state" }.compactMap { $0["value"] as? Int }
      #expect(states.first == 3, "it joins")
      #expect(event("provisioned")?["url"] as? String == (isInRange ? "http://192.168.7.31/" : nil))
      #expect(event("failed")?["error"] as? Int == (isInRange ? nil : 3))
      let flash = try #require(await building.world.flash(of: Self.sensor))
      #expect(flash.isSaved == isInRange)
      if isInRange {
        #expect(
          flash.text("wifi_ssid") == Self.arguments[1] && flash.text("wifi_password") == Self.arguments[2])
      }
    }
  }

  // MARK: Espressif's tool

  /// An ESP-IDF device with an endpoint of its product, which does not end Bluetooth before a slow client asked it.
  private static func device(_ faults: [ScheduledFault]) -> Scenario {
    var scenario = building
    scenario.sensors = [
      SensorScenario(
        address: sensor, family: .espIDF, label: ["endpoints.custom-data": ""],
        faults: faults + [ScheduledFault(.own(.staysAfterJoining))])
    ]
    scenario.wifiNetworks = [WiFiNetwork(ssid: "Hotel Guest", rssi: -61)]
    scenario.wifiNetworks += (1...5).map { WiFiNetwork(ssid: "Neighbour \($0)", rssi: -40 - $0) }
    return scenario
  }

  /// Runs the client that behaves as Espressif's tool. It scans and waits for less time, because time is faster.
  private func esp(
    _ building: ServedBuilding, security: Int?, proof: String = "Kx7-label!", _ more: [String]
  ) async throws -> [[String: Any]] {
    var arguments = ["--name", "PROV_A1B2C3", "--pop", proof, "--user", "wifiprov"]
    arguments += ["--scan", "1", "--poll", "0.6"]
    if let security { arguments += ["--security", String(security)] }
    let outcome = try await Client.run("esp_client.py", arguments + more, bus: building.busAddress)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    return try outcome.events()
  }

  private static let network = ["--ssid", arguments[1], "--passphrase", arguments[2]]

  @Test(
    "a client that behaves as Espressif's tool provisions an ESP-IDF device of each security",
    .timeLimit(.minutes(60)),
    arguments: [
      ([.security0], nil, 0), ([.security1], nil, 1), ([.security1, .noProof], nil, 1),
      ([.security1, .bluedroid], 1, 1), ([], 2, 2), ([.sameNonce], 2, 2), ([.bluedroid, .ownService], 2, 2),
    ] as [([FamilyFault], Int?, Int)])
  func espressif(kinds: [FamilyFault], ordered: Int?, security: Int) async throws {
    try requireClients()
    let scenario = Self.device(kinds.map { ScheduledFault(.own($0)) })
    try await ServedBuilding.serve(scenario, speed: 8) { building in
      let name = kinds.contains(.ownService) ? ["--name", "Pump"] : []
      let events = try await esp(
        building, security: ordered, name + Self.network + ["--custom-data", "the third floor"])
      func event(_ name: String) -> [String: Any]? { events.last { $0["event"] as? String == name } }
      #expect(event("session")?["security"] as? Int == security)
      #expect(event("custom_data")?["answer"] as? String == "SUCCESS")
      let networks = try #require(event("networks"), "\(events)")
      #expect(networks["finished"] as? Bool == true)
      let names = (1...5).map { "Neighbour \($0)" } + ["Hotel Guest"]
      #expect(networks["ssids"] as? [String] == names, "the strongest first, from two pages")
      #expect(networks["rssi"] as? [Int] == [-41, -42, -43, -44, -45, -61])
      #expect(networks["bssids"] as? Int == 6 && networks["lengths"] as? [Int] == [6])
      #expect(event("configured")?["number"] as? Int == 3 && event("configured")?["status"] as? Int == 0)
      #expect(event("applied")?["number"] as? Int == 5 && event("applied")?["status"] as? Int == 0)
      let state = try #require(event("state"), "\(events)")
      #expect(state["value"] as? String == "connected" && state["address"] as? String == "192.168.4.20")
      #expect(state["ssid"] as? String == Self.arguments[1] && event("done") != nil)
      let flash = try #require(await building.world.flash(of: Self.sensor))
      #expect(flash.isSaved && flash.values["custom-data"] == Array("the third floor".utf8))
      #expect(
        flash.text("wifi_ssid") == Self.arguments[1] && flash.text("wifi_password") == Self.arguments[2])
    }
  }

  @Test("it hears why a device could not join, resets it, and then provisions it", .timeLimit(.minutes(60)))
  func espressifAfterFailure() async throws {
    try requireClients()
    let scenario = Self.device([ScheduledFault(.own(.wrongPassword), attempts: 1)])
    try await ServedBuilding.serve(scenario, speed: 8) { building in
      let failed = try await esp(building, security: 2, Self.network)
      let states = failed.filter { $0["event"] as? String == "state" }
      #expect(states.suffix(4).allSatisfy { $0["value"] as? String == "failed" && $0["reason"] as? Int == 0 })
      #expect(failed.last?["event"] as? String == "failed")
      #expect(await building.world.flash(of: Self.sensor)?.isSaved == false)
      let reset = try await esp(building, security: 2, ["--reset"])
      let answer = try #require(reset.last { $0["event"] as? String == "reset" }, "\(reset)")
      #expect(answer["number"] as? Int == 2 && answer["status"] as? Int == 0)
      let done = try await esp(building, security: 2, Self.network)
      #expect(done.last?["event"] as? String == "done")
      #expect(await building.world.flash(of: Self.sensor)?.text("wifi_ssid") == Self.arguments[1])
    }
  }

  @Test(
    "it does not get in with another proof of possession, nor takes an impostor for the device",
    .timeLimit(.minutes(60)),
    arguments: [
      ([.security1], 1, "another"), ([], 2, "another"), ([.impostor, .security1], 1, "Kx7-label!"),
      ([.impostor], 2, "Kx7-label!"),
    ] as [([FamilyFault], Int, String)])
  func espressifRefused(kinds: [FamilyFault], security: Int, proof: String) async throws {
    try requireClients()
    let scenario = Self.device(kinds.map { ScheduledFault(.own($0)) })
    try await ServedBuilding.serve(scenario, speed: 8) { building in
      let events = try await esp(building, security: security, proof: proof, Self.network)
      #expect(
        events.last?["event"] as? String == "failed"
          && !events.contains { $0["event"] as? String == "session" })
      let flash = try #require(await building.world.flash(of: Self.sensor))
      #expect(!flash.isSaved)
    }
  }

  /// Checks the actions and observations of a client, on its side and on the sensor's.
  private func expectProvisioned(_ outcome: Client.Outcome, in building: ServedBuilding) async throws {
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let events = try outcome.events()
    let statuses = events.filter { $0["event"] as? String == "status" }.compactMap { $0["value"] as? String }
    #expect(statuses.first == "ready")
    #expect(statuses.last == "saved")
    let beacon = try #require(events.last { $0["event"] as? String == "beacon" }, "\(outcome.output)")
    let data = try #require(beacon["data"] as? String)
    let expected = IBeacon(
      uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 1, minor: Self.minor, measuredPower: -59)
    #expect(data == expected.manufacturerData.hex())

    let flash = try #require(await building.world.flash(of: Self.sensor))
    #expect(flash.isSaved)
    #expect(flash.ssid == Self.arguments[1])
    #expect(flash.password == Self.arguments[2])
    #expect(flash.roomName == Self.arguments[3])
    #expect(flash.minor == Self.minor)
  }

  private func requireClients() throws {
    try #require(
      FileManager.default.isExecutableFile(atPath: Client.python.path), "no Python for this: run `make venv`")
    try #require(
      FileManager.default.isExecutableFile(atPath: "/usr/bin/bluetoothctl"),
      "no bluetoothctl: run `apt-get install bluez`")
  }
}
