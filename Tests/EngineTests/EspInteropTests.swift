import Bluetooth
import Engine
import Families
import Foundation
import Hex
import Model
import Synchronization
import Testing
import VirtualBuilding
import VirtualCentral

/// What both sides send is what other implementations of the ciphers and of SRP expect. The messages are of runs of the
/// engine against the virtual device.
@Suite("ESP-IDF messages and independent implementations", .serialized) struct EspInteropTests {
  private struct Recorded: Encodable {
    var security: Int
    var counts: Bool
    var username = "wifiprov"
    var proof: String
    var private_key: String
    var messages: [[String]]
  }

  @Test(
    "Python's cryptography and srp agree with every message",
    arguments: [
      ([.security0], 0), ([.security1], 1), ([.security1, .noProof], 1), ([], 2), ([.sameNonce], 2),
    ] as [([FamilyFault], Int)])
  func session(kinds: [FamilyFault], security: Int) async throws {
    let transcript = Transcript()
    let proof = kinds.contains(.noProof) ? "" : String(decoding: EspGATT.proof, as: UTF8.self)
    let settings: [SettingName: SettingValue] = [
      .wifiSSID: .text("Plant"), .wifiPassword: .secret(Secret("correct horse")),
    ]
    let room = Room(
      id: "room-1", name: "Room 1", family: .espIDF, address: Sample.address(1), checksWiFi: true,
      settings: settings,
      access: [.proofOfPossession: .secret(Secret(proof)), .security: .integer(0)],
      timeouts: DeviceFamily.espIDF.timeouts(for: settings), retries: 0)
    let run = try await rehearse(
      [], rooms: [room],
      scenario: { scenario in
        scenario.wifiNetworks = (1...6).map {
          WiFiNetwork(ssid: $0 == 6 ? "Plant" : "N\($0)", rssi: -40 - $0)
        }
        scenario.sensors = [
          SensorScenario(
            address: Sample.address(1), family: .espIDF, faults: kinds.map { ScheduledFault(.own($0)) })
        ]
      }, through: { central, _ in RecordingCentral(base: central, transcript: transcript) })
    #expect(run.outcome(1)?.outcome == .provisioned)
    let opened = try await Self.open(
      Recorded(
        security: security, counts: security == 2 && !kinds.contains(.sameNonce), proof: proof,
        private_key: SeededGenerator(seed: 1).bytes()(32).hex(), messages: transcript.messages))
    // The state; the scan with its two pages; the network; the state until it has joined.
    #expect(
      opened.prefix(6).map { $0[0] } == [
        "prov-config", "prov-scan", "prov-scan", "prov-scan", "prov-scan", "prov-config",
      ])
    #expect(opened[0][1] == "5200" && opened[1][1] == "520408012078" && opened[3][1] == "080472021004")
    let network = Array("Plant".utf8).hex()
    #expect(
      opened[5][1] == "080262160a05\(network)120d\(Array("correct horse".utf8).hex())"
        && opened[5][2] == "08036a00")
    #expect(opened[6][1] == "08047200" && opened[6][2] == "08057a00")
    #expect(opened.last?[2].contains(Array("192.168.4.20".utf8).hex()) == true)
  }

  private static func open(_ session: Recorded) async throws -> [[String]] {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let python = checkout.appending(path: ".build-interop/venv/bin/python3")
    try #require(FileManager.default.isExecutableFile(atPath: python.path), "run `make venv`")
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = python
    process.arguments = ["-B", checkout.appending(path: "Tests/Interop/esp_messages.py").path]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(session))
    try input.fileHandleForWriting.close()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try JSONDecoder().decode([[String]].self, from: answer)
  }
}

/// What was written to each endpoint, and read from it afterwards.
private final class Transcript: Sendable {
  private let state = Mutex<(names: [String: String], messages: [[String]])>(([:], []))

  var messages: [[String]] { state.withLock(\.messages) }

  func name(_ handle: String, _ text: [UInt8]) {
    state.withLock { $0.names[handle] = String(decoding: text, as: UTF8.self) }
  }
  func wrote(_ value: [UInt8], _ handle: String) {
    state.withLock { $0.messages.append([$0.names[handle] ?? "", value.hex(), ""]) }
  }
  func read(_ value: [UInt8]) {
    state.withLock { state in
      let last = state.messages.count - 1
      if last >= 0 { state.messages[last][2] = value.hex() }
    }
  }
}

private struct RecordingCentral: WrappingCentral {
  let base: VirtualCentral
  let transcript: Transcript

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    RecordingPeripheral(
      link: try await base.connect(to: address, on: adapter, pairing: pairing, linked: linked),
      transcript: transcript)
  }
}

private struct RecordingPeripheral: ForwardingPeripheral {
  let link: any Peripheral
  let transcript: Transcript

  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
    let value = try await link.read(characteristic)
    transcript.read(value)
    return value
  }
  func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8] {
    let text = try await link.readDescriptor(uuid, of: characteristic)
    transcript.name(characteristic.handle, text)
    return text
  }
  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError) {
    try await link.write(value, to: characteristic, kind)
    transcript.wrote(value, characteristic.handle)
  }
}
