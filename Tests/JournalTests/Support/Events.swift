import Bluetooth
import Foundation
import Model
import SampleFacts

@testable import Journal

enum Events {
  static let adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7101))
  static let sensor = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  /// Facts of each sort of content: texts, numbers, nested values, absent ones.
  static let facts: [Fact] = [
    .runStarted(
      .init(
        run: "run-1", building: "demo", buildingName: "Büro \"1\"\n\u{1B}[1m/ü👩‍👧", toolVersion: "0.1.0",
        host: "laptop",
        manifestPath: "manifests/demo.yaml", manifestSHA256: "00ff", simulated: false,
        rooms: [
          .init(
            room: "kitchen", name: "Kitchen", profile: "robo-sensor", address: sensor,
            settings: [.init(name: .wifiPassword, value: nil, state: .notWritten)])
        ])),
    .adapterAwaited(.init(problem: .poweredOff, adapter: "hci0", seconds: 30.5)),
    .adapterSelected(.init(adapter: adapter, name: "hci0", stack: nil)),
    .bindingCommitted(.init(room: "kitchen", address: sensor, basis: .address)),
    .attemptStarted(.init(room: "kitchen", address: sensor, adapter: adapter, number: 1, rssi: -52)),
    .stageEnded(
      .init(
        room: "kitchen", attempt: 1, stage: .connect, seconds: 0.312_345,
        failure: .stackError(FailedStep(.connect, stackText: "\0\u{7F}\u{2028}\\")))),
    .saveSubmitted(.init(room: "kitchen", attempt: 1, address: sensor)),
    .roomFinished(
      .init(
        room: "kitchen", outcome: .unconfirmed, address: sensor, attempts: 1, seconds: 1.0 / 3,
        settings: [.init(name: .minor, value: "2", state: .written)])),
    .runFinished(.init(outcome: .incomplete)),
  ]

  /// This number of numbered events.
  static func sample(_ count: Int = facts.count) -> [RunEvent] {
    numbered((0..<count).map { facts[count == facts.count ? $0 : min($0, 1 + $0 % (facts.count - 1))] })
  }

  /// Events with these facts, a few milliseconds apart.
  static func numbered(_ facts: [Fact]) -> [RunEvent] {
    facts.enumerated().map { index, fact in
      RunEvent(
        sequence: index + 1, at: Date(timeIntervalSince1970: 1_795_251_600 + Double(index) * 0.007),
        elapsed: .microseconds(index * 7001), fact: fact)
    }
  }

  /// The bytes that a writer makes of events.
  static func journal(_ events: [RunEvent]) async throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let file = try File.directory(directory.path).create("journal.jsonl")
    try await JournalWriter(file).append(events)
    return try File.reading(directory.path + "/journal.jsonl").readAll()
  }
}
