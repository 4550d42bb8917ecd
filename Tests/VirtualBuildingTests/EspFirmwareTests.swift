import Bluetooth
import Hex
import Testing
import VirtualBuilding

/// What Espressif's firmware answers to requests that the specification permits, or that any client can send, and that
/// the engine never sends (docs/internals/protocols.md). The bytes are written by hand, without the messages of the
/// engine. Without security they cross the link as they are.
@Suite("The ESP-IDF firmware") struct EspFirmwareTests {
  /// A connected device, and how it answers.
  struct Device {
    private var bench: FirmwareBench<EspFirmware>

    init(
      _ faults: [FamilyFault] = [.security0], label: [String: String] = [:], networks: [WiFiNetwork] = []
    ) {
      let all = faults.map { Fault.own($0) }
      bench = FirmwareBench(
        EspFirmware(conditions: FirmwareConditions(faults: all, wifiNetworks: networks, label: label)),
        faults: all)
    }

    var firmware: EspFirmware { bench.firmware }

    private func characteristic(_ endpoint: String) -> BluetoothUUID {
      let all = firmware.services.flatMap(\.characteristics)
      return all.first { $0.description == endpoint }?.uuid ?? .zero
    }

    /// Writes a request and returns the answer in hexadecimal digits, or in words that there is none.
    mutating func ask(_ endpoint: String, _ request: String) -> String {
      words(bench.write([UInt8](hex: request) ?? [], to: characteristic(endpoint)), at: endpoint)
    }

    /// The value of an endpoint.
    mutating func read(_ endpoint: String) -> String {
      for case .answer(2, let value) in bench.deliver(.read(2, characteristic(endpoint))) {
        return value.hex()
      }
      return "none"
    }

    /// Sends a network and the command to join it, and returns the answer to the command.
    @discardableResult
    mutating func join(_ network: String = EspFirmwareTests.plant) -> String {
      _ = ask("prov-config", network)
      return ask("prov-config", "0804")
    }

    mutating func wait(_ duration: Duration) -> String { words(bench.wait(duration), at: "prov-scan") }

    mutating func reconnect() {
      bench.deliver(.disconnected)
      bench.deliver(.connected(faults: []))
    }

    private mutating func words(_ effects: [FirmwareEffect], at endpoint: String) -> String {
      for case .refuse(_, let code) in effects { return "refused: \(code)" }
      if effects.contains(.disconnect) { return "link ended" }
      return effects.contains(.answer(1, [])) ? read(endpoint) : "nothing"
    }
  }

  /// A question and its answer.
  struct Row: Sendable, CustomTestStringConvertible {
    var what: String
    var endpoint: String
    var request: String
    var answer: String

    init(_ what: String, _ endpoint: String, _ request: String, _ answer: String) {
      (self.what, self.endpoint, self.request, self.answer) = (what, endpoint, request, answer)
    }

    var testDescription: String { "\(endpoint) \(request): \(what)" }
  }

  private static let refused = "refused: 4"
  private static let connecting = "08015a021001"
  /// `Plant`, without a password.
  private static let plant = "080262070a05506c616e74"
  /// `Other`, without a password.
  private static let other = "080262070a05" + "4f74686572"
  private static let zeros = String(repeating: "00", count: 5)

  // MARK: Messages

  static let rows = [
    Row("the state", "prov-config", "5200", connecting),
    Row("the state without its part", "prov-config", "0800", connecting),
    Row("the state with another command's part", "prov-config", "080062070a05506c616e74", connecting),
    Row("join without a network", "prov-config", "08047200", "08057a020805"),
    Row("join without its part and without a network", "prov-config", "0804", "08057a020805"),
    Row("a network without its part", "prov-config", "0802", refused),
    Row("a network with another command's part", "prov-config", "08025200", refused),
    Row("a network", "prov-config", plant, "08036a00"),
    Row("no network", "prov-config", "08026200", "08036a00"),
    Row(
      "33 bytes of a name", "prov-config", "080262230a21" + String(repeating: "61", count: 33), "08036a020804"
    ),
    Row(
      "64 bytes of a password", "prov-config", "080262421240" + String(repeating: "61", count: 64),
      "08036a020804"),
    Row("a BSSID of 5 bytes", "prov-config", "080262071a05" + zeros, "08036a020804"),
    Row("a BSSID of 6 bytes, and a channel", "prov-config", "0802620a1a06" + zeros + "002006", "08036a00"),
    Row("a field that it does not know", "prov-config", "52009a0600", connecting),
    Row("an answer", "prov-config", "08015a00", refused),
    Row("the state of a Thread network", "prov-config", "0806", refused),
    Row("a number of 32 bits", "prov-config", "08ffffffff0f", refused),
    Row("no message", "prov-config", "ff", refused),

    Row("reset while it waits", "prov-ctrl", "08015a00", "080210056200"),
    Row("reset without its part", "prov-ctrl", "0801", "080210056200"),
    Row("reset with another command's part", "prov-ctrl", "08016a00", "080210056200"),
    Row("provision again", "prov-ctrl", "08036a00", "080410057200"),
    Row("provision again without its part", "prov-ctrl", "0803", "080410057200"),
    Row("no number", "prov-ctrl", "5a00", refused),
    Row("an unknown number", "prov-ctrl", "0805", refused),

    Row("the state before any scan", "prov-scan", "08026200", "08036a020801"),
    Row("the state without its part", "prov-scan", "0802", "08036a020801"),
    Row("a scan without its part", "prov-scan", "0800", refused),
    Row("a scan with another command's part", "prov-scan", "08006200", refused),
    Row("a scan that does not block", "prov-scan", "5200", "08015a00"),
    Row("results without their part", "prov-scan", "0804", refused),
    Row("none of no results", "prov-scan", "08047200", "08057a00"),
    Row("one of no results", "prov-scan", "080472021001", refused),
    Row("an unknown number", "prov-scan", "0806", refused),
    Row("a number of 32 bits", "prov-scan", "08ffffffff0f", refused),

    Row("a handshake", "prov-session", "5203a20100", "52050801aa0100"),
    Row("a handshake without its part", "prov-session", "1000", "52050801aa0100"),
    Row("another security", "prov-session", "10015a00", refused),
    Row("no message", "prov-session", "ff", refused),

    Row("any bytes", "custom-data", "00ff", "5355434345535300"),
  ]

  @Test("a command is the number of its message, with or without an empty part", arguments: rows)
  func message(row: Row) {
    var device = Device(label: ["endpoints.custom-data": ""])
    #expect(device.ask(row.endpoint, row.request) == row.answer)
  }

  // MARK: Joining

  @Test("it joins by commands without a part, reports its address once, and ends Bluetooth a second later")
  func joins() {
    var device = Device(label: ["endpoints.custom-data": ""])
    #expect(device.ask("custom-data", "0102") == "5355434345535300")
    #expect(device.ask("prov-config", Self.plant) == "08036a00")
    #expect(device.ask("prov-config", "0804") == "08057a00")
    #expect(device.ask("prov-config", "0804") == "08057a020805", "it joins already")
    #expect(device.ask("prov-config", "5200") == Self.connecting)
    #expect(device.ask("prov-ctrl", "0801") == "080210056200", "nothing has failed")
    #expect(device.wait(.seconds(5)) == "nothing")
    #expect(
      device.ask("prov-config", "0800")
        == "08015a235a210a0c3139322e3136382e342e323010031a05506c616e742206240ac41122332806")
    #expect(device.firmware.flash.values["custom-data"] == [1, 2])
    #expect(device.firmware.flash.text("wifi_ssid") == "Plant")
    #expect(device.wait(.milliseconds(900)) == "nothing")
    let second = device.ask("prov-config", "5200")
    #expect(second.hasPrefix("08015a23"), "a second question changes nothing")
    #expect(device.wait(.milliseconds(200)) == "link ended")
    #expect(device.firmware.advertising == nil)
  }

  @Test("without a question it ends Bluetooth 30 s after it has an address")
  func stops() {
    var device = Device()
    device.join()
    #expect(device.wait(.seconds(33)) == "nothing")
    #expect(device.wait(.seconds(2)) == "link ended")
  }

  @Test("the last network counts, a zero ends a text, and a join that it refuses takes the network, too")
  func network() {
    var device = Device()
    _ = device.ask("prov-config", Self.other)
    // `Pl`, 0, `nt`; `a`, 0, `b`
    device.join("0802620c0a05506c006e741203610062")
    #expect(device.join() == "08057a020805", "it joins already")
    _ = device.wait(.seconds(5))
    #expect(device.firmware.flash.text("wifi_ssid") == "Pl")
    #expect(device.firmware.flash.text("wifi_password") == "a")

    var failed = Device([.security0, .failedBefore])
    #expect(failed.join() == "08057a020805")
    #expect(failed.ask("prov-ctrl", "0801") == "08026200")
    #expect(failed.ask("prov-config", "0804") == "08057a020805", "the network is gone")
    failed.reconnect()
    _ = failed.ask("prov-config", Self.plant)
    failed.reconnect()
    #expect(failed.ask("prov-config", "0804") == "08057a00", "a link more or less changes nothing")
  }

  @Test(
    "a failure is reported until the next join, whatever is reset, and the first cause is a number of its own",
    arguments: [(FamilyFault.wrongPassword, "08015a0410035000"), (.networkAbsent, "08015a0410035001")])
  func failure(cause: FamilyFault, report: String) {
    var device = Device([.security0, cause])
    device.join()
    _ = device.wait(.seconds(5))
    #expect(device.ask("prov-config", "5200") == report)
    #expect(device.ask("prov-ctrl", "0801") == "08026200")
    #expect(device.ask("prov-ctrl", "0801") == "080210056200", "it was reset before")
    #expect(device.ask("prov-config", "5200") == report)
    #expect(device.join() == "08057a00")
    #expect(device.ask("prov-config", "5200") == Self.connecting)
  }

  @Test("a product that does not end Bluetooth by itself can be provisioned again")
  func again() {
    var device = Device([.security0, .staysAfterJoining])
    device.join()
    _ = device.wait(.seconds(60))
    let report = device.ask("prov-config", "5200")
    #expect(report.hasPrefix("08015a23"))
    #expect(device.ask("prov-ctrl", "0803") == "08047200")
    #expect(device.join(Self.other) == "08057a00")
    _ = device.wait(.seconds(5))
    #expect(device.firmware.flash.text("wifi_ssid") == "Other")
  }

  // MARK: Scan

  private static let networks = (1...20).map { WiFiNetwork(ssid: "N\($0)", rssi: -40 - $0) }

  @Test("a scan that does not block is asked for its state; at most the 16 strongest networks are kept")
  func scan() {
    var device = Device(networks: Self.networks.reversed())
    #expect(device.ask("prov-scan", "52020801") == "nothing", "a blocking one answers at its end")
    #expect(device.wait(.seconds(3)) == "08015a00")
    #expect(device.ask("prov-scan", "5200") == "08015a00")
    #expect(device.ask("prov-scan", "0802") == "08036a00", "the last results are gone")
    #expect(device.ask("prov-scan", "52020801") == "08015a00", "it runs already")
    _ = device.wait(.seconds(3))
    #expect(device.ask("prov-scan", "0802") == "08036a0408011010")
    let page = device.ask("prov-scan", "080472021001")
    #expect(
      page == "08057a1d" + "0a1b" + "0a024e31" + "1006" + "18d7ffffffffffffffff01" + "2206240ac4000100"
        + "2803")
    let last = device.ask("prov-scan", "08047204080f1001")
    #expect(last.contains("0a034e3136"), "\(last)")
    for beyond in ["08047204080f1002", "0804720408101000", "0804720610ffffffff0f", "0804720608ffffffff0f"] {
      #expect(device.ask("prov-scan", beyond) == Self.refused, "\(beyond)")
    }
  }

  @Test("after a failed join a scan never ends, reset or not")
  func endless() {
    var device = Device([.security0, .failedBefore], networks: Self.networks)
    #expect(device.ask("prov-scan", "5200") == "08015a00")
    #expect(device.wait(.seconds(60)) == "nothing")
    #expect(device.ask("prov-scan", "0802") == "08036a00")
    #expect(device.ask("prov-ctrl", "0801") == "08026200")
    #expect(device.ask("prov-scan", "5200") == "08015a00")
    _ = device.wait(.seconds(60))
    #expect(device.ask("prov-scan", "0802") == "08036a00")
  }

  // MARK: Sessions

  /// The first message of security 1 with a key of so many bytes.
  private static func hello(_ count: Int) -> String {
    let key = [UInt8](repeating: 9, count: count)
    return ([0x10, 1, 0x5A, UInt8(count + 5), 0xA2, 1, UInt8(count + 2), 0x0A, UInt8(count)] + key).hex()
  }

  @Test(
    "a handshake in a wrong order, with another's part or a wrong key is refused, and it begins anew at any time"
  )
  func handshake() {
    var device = Device([.security1])
    let proof = "10015a27" + "0802" + "b20122" + "1220" + String(repeating: "00", count: 32)
    #expect(device.ask("prov-session", proof) == Self.refused, "nothing was begun")
    for wrong in [
      Self.hello(31), Self.hello(33), "10015a00", "10015a020802", "5203a20100", "10026200",
      Self.hello(32).replacing("10015a", with: "100162"),
    ] {
      #expect(device.ask("prov-session", wrong) == Self.refused, "\(wrong)")
    }
    let first = device.ask("prov-session", Self.hello(32))
    #expect(first.hasPrefix("10015a"))
    #expect(device.ask("prov-session", proof) == Self.refused, "another proof of possession")
    let second = device.ask("prov-session", Self.hello(32))
    #expect(second.hasPrefix("10015a") && second != first)
    #expect(device.ask("prov-config", "5200") == Self.refused, "there is no session")
  }

  @Test(
    "every endpoint but two needs a session, if there is security", arguments: [[FamilyFault.security1], []])
  func needsSession(faults: [FamilyFault]) {
    var device = Device(faults, label: ["endpoints.custom-data": ""])
    for endpoint in ["prov-config", "prov-scan", "prov-ctrl", "custom-data"] {
      #expect(device.ask(endpoint, "5200") == Self.refused, "\(endpoint)")
    }
    #expect(device.ask("proto-ver", "2d2d2d") != Self.refused)
  }

  // MARK: Values

  @Test("a value is empty before a request, and stays after a refusal, an empty write and another connection")
  func values() {
    var device = Device()
    #expect(device.read("prov-config") == "")
    #expect(device.ask("prov-config", "") == "", "an empty write is taken, and nothing runs")
    #expect(device.ask("prov-config", "5200") == Self.connecting)
    #expect(device.ask("prov-config", "ff") == Self.refused)
    #expect(device.read("prov-config") == Self.connecting)
    #expect(device.ask("prov-config", "") == Self.connecting)
    device.reconnect()
    #expect(device.read("prov-config") == Self.connecting)
  }

  @Test("Bluedroid ends the link after a refusal, and takes no empty and no long value")
  func bluedroid() {
    var device = Device([.security0, .bluedroid])
    #expect(device.ask("prov-config", "") == "refused: 13")
    #expect(device.ask("prov-config", String(repeating: "00", count: 258)) == "refused: 13")
    #expect(device.ask("prov-config", "ff") == "link ended")
    var sealed = Device([.bluedroid])
    #expect(sealed.ask("prov-config", String(repeating: "00", count: 482)) == "refused: 13")
    #expect(sealed.ask("prov-config", String(repeating: "00", count: 481)) == "link ended")
  }

  @Test("the version does not depend on the request, and names what the security is")
  func version() {
    let kinds: [(faults: [FamilyFault], has: [String])] = [
      ([.security0], ["\"sec_ver\":\t0", "\"sec_patch_ver\":\t0", "\"no_sec\""]),
      ([.security1, .noProof], ["\"sec_ver\":\t1", "\"no_pop\""]), ([], ["\"sec_patch_ver\":\t1"]),
    ]
    for (faults, has) in kinds {
      var device = Device(faults)
      let answer = device.ask("proto-ver", "00")
      #expect(device.ask("proto-ver", "6e6f6e65") == answer)
      for part in has { #expect(answer.contains(Array(part.utf8).hex()), "\(part)") }
    }
  }

  @Test("the number of an endpoint replaces two bytes of the service, and the product's own come last")
  func characteristics() {
    let label = ["endpoints.b": "", "endpoints.a": "", "name": "Pump"]
    let device = Device([.ownService], label: label).firmware
    #expect(device.services.map(\.uuid) == ["7E0F0001-5A1B-4C3D-9E2F-A1B2C3D4E5F6"])
    let found = device.services.flatMap(\.characteristics).map { "\($0.description ?? "") \($0.uuid)" }
    let expected = [
      "prov-ctrl 7E0FFF4F", "prov-scan 7E0FFF50", "prov-session 7E0FFF51", "prov-config 7E0FFF52",
      "proto-ver 7E0FFF53", "a 7E0FFF54", "b 7E0FFF55",
    ]
    #expect(found == expected.map { $0 + "-5A1B-4C3D-9E2F-A1B2C3D4E5F6" })
  }
}
