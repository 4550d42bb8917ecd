import Bluetooth
import EspMessages
import Foundation
import Model
import Session
import SwiftProtobuf
import Synchronization
import Testing

@testable import Families

/// What an ESP-IDF device can answer that Espressif's own firmware does not.
@Suite("The session of an ESP-IDF device") struct EspSessionTests {
  private typealias State = EspConfigMessage.StatusResponse

  private static let room = Room(
    id: "lobby", name: "Lobby", family: .espIDF, checksWiFi: true,
    settings: [.wifiSSID: .text("Plant"), .wifiPassword: .secret(Secret("my secret"))],
    access: [.proofOfPossession: .secret(Secret("")), .security: .integer(0)], timeouts: StageTimeouts(),
    retries: 0)

  private static let endpoints = ["prov-session", "prov-config", "proto-ver", "prov-scan", "prov-ctrl"]
  /// Nine networks; the first has a longer name than there is, the last is that of the room.
  private static let networks = ([String(repeating: "S", count: 40)] + (2...8).map { "N\($0)" } + ["Plant"])
    .map { name in
      var network = EspScanMessage.Network()
      network.ssid = Data(name.utf8)
      network.rssi = -50
      return network
    }

  /// Blocking, 120 ms for each channel.
  private static let scanStart: [UInt8] = [0x52, 4, 0x08, 1, 0x20, 120]

  private static let connecting: State = {
    var state = State()
    state.state = .connecting
    return state
  }()

  private static let connected: State = {
    var state = State()
    state.connected.ip4 = "192.168.4.20"
    state.connected.ssid = Data("Plant".utf8)
    return state
  }()

  private static func failed(_ reason: EspFailReason, in place: EspStationState) -> State {
    var state = State()
    state.state = place
    state.failReason = reason
    return state
  }

  /// A session without security.
  /// - Parameters:
  ///   - states: its states, one for each question; the last one stays.
  ///   - capabilities: those that it names.
  ///   - missing: the endpoint that it does not have.
  private static func attempt(
    _ states: [State], capabilities: String = #""wifi_scan""#, without missing: String? = nil
  ) async throws -> Attempted {
    let names = endpoints.filter { $0 != missing }
    let version = Array(#"{"prov":{"sec_ver":0,"cap":[\#(capabilities)]}}"#.utf8)
    return try await Attempted.run(
      room,
      { clock in
        let characteristics = names.indices.map { number in
          RemoteCharacteristic(
            uuid: BluetoothUUID(short: UInt16(number) + 1), access: [.read, .write], handle: names[number])
        }
        let device = ScriptedDevice(
          [RemoteService(uuid: EspIdf.Service.library, characteristics: characteristics)], clock)
        device.describe(Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }))
        let asked = Mutex(0)
        device.onWrite { (device, value) throws(CentralError) in
          guard let target = device.target,
            let name = characteristics.first(where: { $0.uuid == target })?.handle
          else { return }
          device.values[target] =
            switch name {
            case "proto-ver": version
            case "prov-session": agreement
            case "prov-config":
              try answer(
                config: value,
                state: {
                  let number = asked.withLock { count in
                    count += 1
                    return count - 1
                  }
                  return states[min(number, states.count - 1)]
                })
            case "prov-scan": try answer(scan: value)
            default: reset
            }
        }
        return device
      }, FamilyDriver.espIDF.configure)
  }

  private static var agreement: [UInt8] {
    var answer = EspSessionData()
    answer.security0.msg = 1
    answer.security0.response = .init()
    return EspIdf.bytes(of: answer)
  }

  private static var reset: [UInt8] {
    var answer = EspControlMessage()
    answer.msg = 2
    answer.resetResponse = .init()
    return EspIdf.bytes(of: answer)
  }

  private static func answer(config bytes: [UInt8], state: () -> State) throws(CentralError) -> [UInt8] {
    let request: EspConfigMessage = try EspIdf.message(bytes)
    var answer = EspConfigMessage()
    answer.msg = request.msg + 1
    switch request.payload {
    case .setConfig?: answer.setResponse = .init()
    case .apply?: answer.applyResponse = .init()
    default: answer.status = state()
    }
    return EspIdf.bytes(of: answer)
  }

  private static func answer(scan bytes: [UInt8]) throws(CentralError) -> [UInt8] {
    let request: EspScanMessage = try EspIdf.message(bytes)
    var answer = EspScanMessage()
    answer.msg = request.msg + 1
    switch request.payload {
    case .start?: answer.startResponse = .init()
    case .getResult(let wanted)?:
      answer.resultResponse.entries = Array(
        networks.dropFirst(Int(wanted.startIndex)).prefix(Int(wanted.count)))
    default:
      answer.statusResponse.finished = true
      answer.statusResponse.resultCount = UInt32(networks.count)
    }
    return EspIdf.bytes(of: answer)
  }

  private static func checks(_ attempted: Attempted) -> [WiFiChecked] {
    attempted.facts.compactMap { if case .wifiChecked(let fact) = $0 { fact } else { nil } }
  }

  @Test("a scan has the bytes of Espressif's tool, and a list comes four networks at a time")
  func scan() async throws {
    let attempted = try await Self.attempt([Self.connecting, Self.connected])
    #expect(attempted.submission?.acknowledgement == .savedStatus)
    let check = try #require(Self.checks(attempted).first)
    #expect(check.result == .received && check.networks.count == 9)
    #expect(check.networks.first?.ssid == String(repeating: "S", count: 32))
    #expect(attempted.writes.contains(Self.scanStart))
    let pages = attempted.writes.filter { $0.starts(with: [0x08, 4, 0x72]) && $0.count > 4 }
    #expect(pages.map(\.last) == [4, 4, 1])
  }

  @Test(
    "a device that cannot scan is not asked to, and the record says that nothing was checked",
    arguments: [("", nil), (#""wifi_scan""#, "prov-scan")] as [(String, String?)])
  func unsupported(capabilities: String, missing: String?) async throws {
    let attempted = try await Self.attempt(
      [Self.connecting, Self.connected], capabilities: capabilities, without: missing)
    #expect(Self.checks(attempted).map(\.result) == [.unsupported])
    #expect(attempted.submission?.acknowledgement == .savedStatus)
    #expect(!attempted.writes.contains(Self.scanStart))
  }

  @Test("a device whose last join failed is not asked to scan: that would never end")
  func failedBefore() async throws {
    let failed = Self.failed(.authError, in: .connectionFailed)
    let attempted = try await Self.attempt([failed, Self.connecting, Self.connected])
    #expect(Self.checks(attempted).map(\.result) == [.noAnswer])
    #expect(attempted.submission?.acknowledgement == .savedStatus)
    #expect(!attempted.writes.contains(Self.scanStart))
  }

  @Test(
    "the place of a device in its network is on record, as far as it can be true",
    arguments: [
      ([0x24, 0x0A, 0xC4, 1, 2, 3], 6, ["192.168.4.20", "24:0A:C4:01:02:03", "6"]),
      ([0x24, 0x0A, 0xC4, 1, 2, 0], 149, ["192.168.4.20", "24:0A:C4:01:02:00", "149"]),
      // Firmware copies it as a C string.
      ([0x24, 0x0A, 0, 1, 2, 3], 6, ["192.168.4.20", "6"]),
      ([0x24, 0x0A, 0xC4], 0, ["192.168.4.20"]), ([], -1, ["192.168.4.20"]),
    ] as [([UInt8], Int32, [String])])
  func place(bssid: [UInt8], channel: Int32, values: [String]) async throws {
    var state = Self.connected
    (state.connected.bssid, state.connected.channel) = (Data(bssid), channel)
    let attempted = try await Self.attempt([Self.connecting, state])
    let details = attempted.facts.flatMap { fact -> [DeviceDetail] in
      guard case .deviceDescribed(let described) = fact else { return [] }
      return described.details
    }
    #expect(details.filter { $0.name != .security }.map(\.value) == values)
  }

  @Test("a cause without the state of a failure is none")
  func causeAlone() async throws {
    let attempted = try await Self.attempt([
      Self.connecting, Self.failed(.authError, in: .connecting), Self.connected,
    ])
    #expect(attempted.submission?.acknowledgement == .savedStatus)
  }

  @Test("a device that could not join is reset, unless it has nothing for that", arguments: [true, false])
  func reset(hasControl: Bool) async throws {
    let attempted = try await Self.attempt(
      [Self.connecting, Self.failed(.networkNotFound, in: .connectionFailed)],
      without: hasControl ? nil : "prov-ctrl")
    #expect(attempted.failure == .wifiRefused(.network, deviceText: "NetworkNotFound"))
    #expect((attempted.writes.last == [0x08, 1, 0x5A, 0]) == hasControl)
    let failures = attempted.facts.compactMap { fact in
      if case .stageEnded(let stage) = fact { stage.failure } else { nil }
    }
    #expect(failures.isEmpty, "without the endpoint, the stage of the reset has nothing that could fail")
  }
}
