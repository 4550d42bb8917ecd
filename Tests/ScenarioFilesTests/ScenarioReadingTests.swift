import Bluetooth
import Foundation
import Manifest
import MarkedText
import Source
import Testing
import VirtualBuilding

@testable import ScenarioFiles

@Suite("A scenario file") struct ScenarioReadingTests {
  private static let adapter = "adapters: [{ name: hci0, address: \"00:1A:7D:DA:71:13\" }]\n"

  /// A sensor of a scenario with one adapter; `values` follow its address.
  private static func sensor(_ values: String) -> String {
    adapter + "sensors:\n  - { address: \"C4:7C:8D:00:00:01\", \(values) }\n"
  }

  @Test("is read with every value")
  func whole() throws {
    let text = """
      seed: 0x10
      speed: 20
      bluez: 5.82
      adapters:
        - { name: hci0, address: "00:1A:7D:DA:71:13", powered: false, blocked: true, present: false, place: { x: 0, y: -2.5 } }
      sensors:
        - { address: C4:7C:8D:00:00:01, place: { x: 3, y: 4, floor: 2 }, appears: 500ms,
            holds: { minor: 5 }, beacon: { uuid: 6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B, major: 7 },
            faults: [{ fault: drops, in: write, nth: 2, attempts: 3 }, { fault: silent }] }
        - { address: C4:7C:8D:00:00:02, family: iot-design-shop, place: { x: 1, y: 1 } }
      wifi: [{ ssid: Guest, rssi: -70 }]
      """
    let reading = ScenarioReading(Array(text.utf8), file: "scenario.yaml", families: FirmwareFamily.all)
    #expect(reading.rendered(isColored: false) == "")
    let scenario = try #require(reading.scenario)
    #expect(reading.speed == 20)
    #expect(scenario.seed == 16)
    #expect(scenario.bluez == .debian13 && scenario.radio.deadAttempt == .seconds(20))
    let adapter = try #require(scenario.adapters.first)
    #expect(!adapter.isPowered && adapter.isBlocked && !adapter.isPresent)
    #expect(adapter.name == "hci0" && adapter.place == Place(x: 0, y: -2.5, floor: 0))
    #expect(scenario.sensors.map(\.family.name) == ["robo-sensor", "iot-design-shop"])
    let sensor = scenario.sensors[0]
    #expect(sensor.place == Place(x: 3, y: 4, floor: 2) && sensor.appearsAfter == .milliseconds(500))
    #expect(sensor.holds == ["minor": "5"] && sensor.beacon?.major == 7)
    #expect(sensor.faults.map(\.attempts) == [3, nil])
    #expect(scenario.wifiNetworks == [WiFiNetwork(ssid: "Guest", rssi: -70)])
  }

  @Test("has what a label says of an ESP-IDF device, with the endpoints of its product")
  func label() throws {
    let text = Self.sensor("family: esp-idf, label: { pop: abcd1234, endpoints: [custom-data, licence] }")
    let reading = ScenarioReading(Array(text.utf8), file: "scenario.yaml", families: FirmwareFamily.all)
    #expect(reading.rendered(isColored: false) == "")
    let label = try #require(reading.scenario?.sensors.first?.label)
    #expect(label == ["pop": "abcd1234", "endpoints.custom-data": "", "endpoints.licence": ""])
  }

  @Test("is described in the demo's: every family, and every fault with its parameters")
  func described() throws {
    let demo = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../manifests/demo-scenario.yaml")
    let words = Set(
      try String(contentsOf: demo, encoding: .utf8).split { !$0.isLetter && !"0123456789_-".contains($0) })
    for family in FirmwareFamily.all {
      #expect(words.contains(family.name[...]))
      for fault in family.allFaults {
        for word in [fault.name] + fault.keys {
          #expect(words.contains(word[...]), "\(word) of \(fault.name) of \(family.name)")
        }
      }
    }
  }

  @Test("reports every mistake with its line and column, in the order of the text")
  func several() throws {
    let marked = MarkedText(
      """
      1️⃣sped: 10
      seed: 2️⃣many
      adapters:
        - { name: 3️⃣dongle, address: 4️⃣hci0 }
        - { name: hci1, address: "00:1A:7D:DA:71:14", powered: 5️⃣perhaps }
      sensors:
        - 6️⃣{ rssi: 7️⃣-300 }
        - { address: C4:7C:8D:00:00:01, faults: [{ fault: 8️⃣sulks }, { fault: drops, in: 9️⃣lunch }] }
      """)
    let reading = ScenarioReading(marked.bytes, file: "scenario.yaml", families: FirmwareFamily.all)
    #expect(reading.scenario == nil)
    let messages = [
      "unknown key sped; the keys: seed, speed, bluez, adapters, sensors, wifi",
      "a whole number from 0 to \(Int.max) is expected here", "a name such as hci0 is expected here",
      "a Bluetooth address such as C4:7C:8D:00:00:01 is expected here", "true or false is expected here",
      "address is missing here", "a whole number from -127 to 20 is expected here",
      "robo-sensor has no fault sulks", "there is no stage lunch",
    ]
    try #require(reading.findings.count == messages.count, "\(reading.rendered(isColored: false))")
    for (index, (finding, message)) in zip(reading.findings, messages).enumerated() {
      #expect(finding.message.hasPrefix(message))
      #expect(finding.range.start == marked[index + 1], "\(message)")
    }
    let text = reading.rendered(isColored: false)
    #expect(text.hasPrefix("scenario.yaml:1:1: error: unknown key sped"), "\(text)")
    #expect(text.contains("    2 | seed: many\n      |       ^~~~\n"), "\(text)")
  }

  /// Mistakes; `1️⃣` is the place of the finding.
  static let mistakes: [(text: String, message: String)] = [
    ("1️⃣", "the scenario is empty"),
    ("speed: [1️⃣", "not YAML"),
    ("1️⃣- 1\n", "keys and values are expected here"),
    ("speed: 1️⃣fast\n", "a number from 0.01 to 1000"),
    ("bluez: 1️⃣5.67\n", "a version of BlueZ, 5.66 or 5.82, is expected here"),
    ("adapters: 1️⃣hci0\n", "a list is expected here"),
    ("adapters: [1️⃣hci0]\n", "keys and values are expected here"),
    ("seed: 1\n1️⃣seed: 2\n", "this key is on line 1 already"),
    ("sensors:\n  - 1️⃣{ rssi: -60 }\n", "address is missing here"),
    ("adapters:\n  - { name: 1️⃣[a], address: \"00:1A:7D:DA:71:13\" }\n", "text is expected here"),
    (sensor("place: 1️⃣{ x: 3, y: 4 }"), "hci0 has no place, so its RSSI"),
    (
      "adapters: [{ name: hci0, address: \"00:1A:7D:DA:71:13\", place: { x: 0, y: 0 } }]\nsensors:\n"
        + "  - { address: \"C4:7C:8D:00:00:01\", place: { x: 3, y: 4 }, rssi: 1️⃣-60 }\n",
      "a sensor has a place or an rssi, not both"
    ),
    ("adapters: [{ name: hci0, address: \"00:1A:7D:DA:71:13\", place: 1️⃣{ x: 3 } }]\n", "y is missing here"),
    (
      "adapters: [{ name: hci0, address: \"00:1A:7D:DA:71:13\", place: { x: 3, y: 1️⃣99999 } }]\n",
      "a number from -10000.0 to 10000.0 is expected here"
    ),
    (sensor("appears: 1️⃣soon"), "a time such as 500ms, 5s or 2m is expected here"),
    (sensor("appears: 1️⃣-9223372036854775808s"), "a time from 0s to 1440m is expected here"),
    (sensor("appears: 1️⃣99999999999999999999m"), "a time from 0s to 1440m is expected here"),
    (sensor("faults: [1️⃣{ attempts: 1 }]"), "fault is missing here"),
    (sensor("faults: [1️⃣silent]"), "keys and values are expected here"),
    (
      sensor("faults: [{ fault: 1️⃣sulks }]"),
      "robo-sensor has no fault sulks; its faults: silent, never_answers, takes_no_connection, slow"
    ),
    (
      sensor("faults: [{ fault: silent, 1️⃣text: hush }]"),
      "unknown key text; the keys: fault, attempts"
    ),
    (
      sensor("faults: [{ fault: drops, in: 1️⃣lunch }]"),
      "there is no stage lunch; those of robo-sensor are connect, discover, subscribe, write, confirm, save"
    ),
    (
      sensor("faults: [{ fault: rejects_write, setting: 1️⃣colour }]"),
      "there is no setting colour; there are wifi_ssid, wifi_password, room_name, minor"
    ),
    (sensor("faults: [{ fault: returns_from, address: 1️⃣there }]"), "there is no address"),
    ("match: any\n1️⃣rooms: []\n", "this file is a manifest, not a scenario"),
    (sensor("family: 1️⃣robot"), "there is no family robot; the families: robo-sensor"),
    (sensor("holds: { room_name: Lobby, minor: 1️⃣many }"), "a whole number from 0 to 65535 is expected here"),
    (sensor("holds: { room_name: Lobby, minor: 1️⃣[5] }"), "text is expected here"),
    (sensor("holds: 1️⃣{ room_name: Lobby }"), "what robo-sensor holds includes minor"),
    (
      sensor("holds: { minor: 1, 1️⃣colour: red }"),
      "unknown key colour; the keys: wifi_ssid, wifi_password, room_name, minor"
    ),
    (sensor("beacon: { uuid: 1️⃣180A }"), "a UUID of 32 hex digits is expected here"),
    (
      sensor("family: midi-keyboard, beacon: 1️⃣{ major: 1 }"),
      "midi-keyboard has no beacon that is built into its firmware"
    ),
    (
      sensor("family: iot-design-shop, faults: [{ fault: 1️⃣no_saved }]"),
      "iot-design-shop has no fault no_saved; its faults: silent, "
    ),
    (
      sensor("family: iot-design-shop, faults: [{ fault: keeps_old, setting: 1️⃣room_name }]"),
      "there is no setting room_name; there are uuid, major, minor, power, interval"
    ),
    (
      sensor("family: iot-design-shop, faults: [{ fault: drops, in: 1️⃣save }]"),
      "there is no stage save; those of iot-design-shop are connect, discover, write, confirm"
    ),
    (
      sensor("family: iot-design-shop, holds: { minor: 2, power: 1️⃣highest }"),
      "low, medium or high is expected here"
    ),
    (sensor("family: midi-keyboard, holds: { 1️⃣minor: 2 }"), "unknown key minor"),
    (sensor("label: { 1️⃣pop: abcd1234 }"), "unknown key pop"),
    (
      sensor("family: esp-idf, label: { 1️⃣colour: red }"),
      "unknown key colour; the keys: name, pop, username, endpoints"
    ),
    (sensor("family: esp-idf, label: { endpoints: 1️⃣licence }"), "a list is expected here"),
    (
      sensor("family: esp-idf, label: { endpoints: [1️⃣[licence]] }"),
      "the name of an endpoint is expected here"
    ),
    (
      adapter + "sensors:\n  - { address: C4:7C:8D:00:00:01 }\n  - { address: 1️⃣C4:7C:8D:00:00:01 }\n",
      "C4:7C:8D:00:00:01 is there already"
    ),
    (
      "adapters:\n  - { name: hci0, address: \"00:1A:7D:DA:71:13\" }\n"
        + "  - { name: 1️⃣hci0, address: \"00:1A:7D:DA:71:14\" }\n",
      "hci0 is there already"
    ),
  ]

  @Test("is refused with the place of a mistake", arguments: mistakes)
  func mistake(_ marked: String, _ message: String) throws {
    let marked = MarkedText(marked)
    let reading = ScenarioReading(marked.bytes, file: "scenario.yaml", families: FirmwareFamily.all)
    #expect(reading.scenario == nil)
    try #require(reading.findings.count == 1, "\(reading.rendered(isColored: false))")
    #expect(reading.findings[0].message.contains(message), "\(reading.findings[0])")
    #expect(reading.findings[0].range.start == marked[1], "\(reading.rendered(isColored: false))")
  }

  @Test("with many mistakes shows 50 of them and the number of the others")
  func many() {
    let text = (1...60).map { "key\($0): 1\n" }.joined()
    let reading = ScenarioReading(Array(text.utf8), file: "scenario.yaml", families: FirmwareFamily.all)
    #expect(reading.findings.count == 60)
    let lines = reading.rendered(isColored: false).split(separator: "\n")
    #expect(lines.count { $0.contains("error: unknown key") } == 50)
    #expect(lines.last == "scenario.yaml: 10 more findings not shown")
  }
}
