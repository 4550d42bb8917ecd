import Bluetooth
import Digest
import Foundation
import Testing
import VirtualBuilding

/// What a virtual Shelly answers to frames that any client can send, and that the engine never sends (docs/internals/protocols.md,
/// "Shelly"). The frames are written by hand.
@Suite("The firmware of a Shelly") struct ShellyFirmwareTests {
  /// A connected device.
  struct Device {
    var bench: FirmwareBench<ShellyFirmware>

    init(_ faults: [FamilyFault] = [], held: [String: String] = [:], networks: [WiFiNetwork] = []) {
      let all = faults.map { Fault.own($0) }
      let conditions = FirmwareConditions(
        faults: all, wifiNetworks: networks, held: held.mapValues { Array($0.utf8) })
      bench = FirmwareBench(ShellyFirmware(conditions: conditions), faults: all)
    }

    mutating func write(_ value: [UInt8], to characteristic: BluetoothUUID) -> UInt8? {
      for case .refuse(_, let code) in bench.write(value, to: characteristic) { return code }
      return nil
    }

    mutating func begin(_ length: Int) -> UInt8? {
      write(
        [UInt8(length >> 24), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)],
        to: ShellyGATT.length)
    }

    mutating func read(_ characteristic: BluetoothUUID) -> [UInt8] {
      for case .answer(2, let value) in bench.deliver(.read(2, characteristic)) { return value }
      return []
    }

    mutating func length() -> Int { read(ShellyGATT.waiting).reduce(0) { $0 * 256 + Int($1) } }

    /// Sends a request, waits, and returns the answer.
    mutating func ask(_ request: String, wait: Duration = .seconds(1)) -> String {
      let refusals = [begin(request.utf8.count), write(Array(request.utf8), to: ShellyGATT.data)]
      #expect(refusals == [nil, nil])
      bench.wait(wait)
      var answer: [UInt8] = []
      var left = length()
      while left > 0 {
        let piece = read(ShellyGATT.data)
        answer += piece
        left = piece.isEmpty ? 0 : left - piece.count
      }
      return String(decoding: answer, as: UTF8.self)
    }
  }

  private static let status = #"{"id":9,"method":"WiFi.GetStatus"}"#

  @Test("a frame is complete at its length, in any pieces; a length drops what came before")
  func frames() {
    var device = Device()
    #expect(device.begin(40) == nil)
    #expect(device.write(Array("{\"id\":1".utf8), to: ShellyGATT.data) == nil)
    #expect(device.begin(Self.status.utf8.count) == nil)
    for byte in Self.status.utf8 { #expect(device.write([byte], to: ShellyGATT.data) == nil) }
    device.bench.wait(.seconds(1))
    #expect(device.length() > 0)
  }

  @Test("bytes beyond the length, too long a frame and too short a length are refused")
  func refusals() {
    var device = Device()
    #expect(device.write([1], to: ShellyGATT.data) == 0x07)
    #expect(device.begin(2) == nil)
    #expect(device.write([1, 2, 3], to: ShellyGATT.data) == 0x07)
    #expect(device.begin(4097) == 0x11)
    #expect(device.write([0, 4], to: ShellyGATT.length) == 0x0D)
  }

  @Test("an answer waits after a moment; its length begins it anew, and while it waits no other one is kept")
  func answers() {
    var device = Device()
    #expect(device.length() == 0)
    _ = device.begin(Self.status.utf8.count)
    _ = device.write(Array(Self.status.utf8), to: ShellyGATT.data)
    #expect(device.length() == 0)
    device.bench.wait(.seconds(1))
    let length = device.length()
    let first = device.read(ShellyGATT.data)
    #expect(device.length() == (first.count < length ? length : 0))
    let other = #"{"id":10,"method":"Shelly.GetDeviceInfo"}"#
    var busy = Device()
    _ = busy.begin(Self.status.utf8.count)
    _ = busy.write(Array(Self.status.utf8), to: ShellyGATT.data)
    busy.bench.wait(.seconds(1))
    #expect(busy.ask(other).contains(#""id":9"#))
    #expect(busy.length() == 0)
  }

  @Test("the answers have the id of their request, and those of unknown methods an error")
  func envelope() {
    var device = Device()
    #expect(
      device.ask(Self.status)
        == #"{"id":9,"result":{"rssi":-58,"ssid":null,"sta_ip":null,"status":"disconnected"},"src":"shellyplus1-a8032abe54dc"}"#
    )
    #expect(device.ask(#"{"id":3,"method":"Cover.Open"}"#).contains(#""code":404"#))
    #expect(device.ask("no JSON") == "")
  }

  @Test("a network is joined after some seconds, and lost without a sign if it is not received")
  func joins() {
    let network =
      #"{"id":1,"method":"WiFi.SetConfig","params":{"config":{"sta":{"enable":true,"pass":"12345678","ssid":"Plant"}}}}"#
    var device = Device([], networks: [WiFiNetwork(ssid: "Plant", rssi: -60)])
    #expect(device.ask(network).contains(#""restart_required":false"#))
    #expect(device.ask(Self.status).contains("connecting"))
    device.bench.wait(.seconds(5))
    #expect(device.ask(Self.status).contains("got ip"))
    var distant = Device([], networks: [WiFiNetwork(ssid: "Guests", rssi: -60)])
    _ = distant.ask(network)
    distant.bench.wait(.seconds(60))
    #expect(distant.ask(Self.status).contains("connecting"))
    #expect(device.ask(network.replacing("12345678", with: "short")).contains("-103"))
  }

  @Test("after a restart it joins again, and takes nothing by Bluetooth if that was switched off")
  func restarts() {
    var device = Device([], held: ["wifi_ssid": "Plant"])
    #expect(
      device.ask(#"{"id":1,"method":"BLE.SetConfig","params":{"config":{"rpc":{"enable":false}}}}"#)
        .contains(#""restart_required":true"#))
    #expect(device.bench.firmware.services.count == 1)
    _ = device.ask(#"{"id":2,"method":"Shelly.Reboot"}"#)
    device.bench.deliver(.started)
    #expect(device.bench.firmware.services.isEmpty && device.bench.firmware.advertising != nil)
  }

  /// RFC 7616, 3.9.1, has no example for this use: the digest is computed here step by step.
  @Test("with a password every method but one demands its proof, each proof once")
  func password() throws {
    func hash(_ text: String) -> String { SHA256(of: Array(text.utf8)).hex }
    let id = "shellyplus1-a8032abe54dc"
    let secret = hash("admin:\(id):the boss alone")
    var device = Device()
    let set =
      #"{"id":1,"method":"Shelly.SetAuth","params":{"user":"admin","realm":"\#(id)","ha1":"\#(secret)"}}"#
    #expect(device.ask(set).contains(#""result":null"#))
    #expect(device.ask(#"{"id":2,"method":"Shelly.GetDeviceInfo"}"#).contains(#""auth_en":true"#))
    let refusal = device.ask(Self.status)
    #expect(refusal.contains("401"))
    let nonce = try #require(refusal.firstMatch(of: /nonce\\": (\d+)/)).1
    func request(_ count: Int, _ secret: String) -> String {
      let response = hash("\(secret):\(nonce):\(count):abc:auth:\(hash("dummy_method:dummy_uri"))")
      return
        #"{"id":3,"method":"WiFi.GetStatus","auth":{"realm":"\#(id)","username":"admin","nonce":\#(nonce),"nc":\#(count),"cnonce":"abc","response":"\#(response)","algorithm":"SHA-256"}}"#
    }
    #expect(device.ask(request(1, secret)).contains("disconnected"))
    #expect(device.ask(request(1, secret)).contains("401"))
    var other = device
    #expect(other.ask(request(2, hash("admin:\(id):other"))).contains("401"))
  }
}
