import Bluetooth
import Foundation
import Host
import Journal
import Model
import RecordedText
import Testing
import VirtualBuilding

@testable import Application

@Suite("every command that scans uses every adapter", .timeLimit(.minutes(60)))
struct TwoFloorsTests {
  private static let second = BluetoothAddress(rawValue: 0x001A_7DDA_7114)
  private static let verify = ["verify", "building.yaml", "--for", "10"]

  /// Serves two floors after their rooms are provisioned. Each has an adapter that receives only its own devices: `hci0`
  /// those of Rooms 101 and 102, `hci1` those of Rooms 103 and 104, and a device without a room.
  private static func serveDone(_ body: @escaping @Sendable (Premises) async throws -> Void) async throws {
    try await Site.use((1...4).map { .numbered($0) }) { site in
      let scenario = Scenario(
        seed: 5,
        adapters: [
          AdapterScenario(address: ServedBuilding.adapter, name: "hci0"),
          AdapterScenario(address: second, name: "hci1"),
        ],
        sensors: [
          (1, ServedBuilding.adapter), (2, ServedBuilding.adapter), (3, second), (4, second), (9, second),
        ]
        .map { number, adapter in
          var sensor = ServedBuilding.sensor(number)
          sensor.signal = SignalStrength(base: nil, perAdapter: [adapter: -60])
          return sensor
        })
      try await site.serve(scenario, speed: 1) { building in
        let premises = Premises(site: site, building: building)
        let outcome = try await premises.apply()
        try #require(outcome.status == 0, "\(outcome)")
        try await body(premises)
      }
    }
  }

  /// Runs a command, and `meanwhile` in parallel.
  private static func run(
    _ arguments: [String], at premises: Premises, meanwhile: @escaping @Sendable () async throws -> Void
  ) async throws -> Invocation.Outcome {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await meanwhile() }
      let outcome = try await premises.run(arguments)
      try await group.waitForAll()
      return outcome
    }
  }

  /// The words of a text, without its line breaks.
  private static func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func expectAllDone(_ premises: Premises, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let status = try await premises.site.run(["status", "building.yaml", "--check"])
    #expect(status.status == 0, "\(status)", sourceLocation: sourceLocation)
  }

  // MARK: verify

  @Test("`verify` finds the rooms of all floors, and names the adapter that received each")
  func all() async throws {
    try await Self.serveDone { premises in
      let outcome = try await premises.run(Self.verify).expect(0, errors: "hci0, hci1")
      #expect(outcome.output == "4 of 4 rooms on air from their own device\n", "\(outcome)")
      let document = try await premises.run(Self.verify + ["--output", "json"]).json
      #expect(document["adapters"].items.map { $0["name"].text } == ["hci0", "hci1"])
      let rooms = document["rooms"].items
      #expect(
        rooms.map { $0["adapter"].text } == (1...4).map { "\($0 < 3 ? ServedBuilding.adapter : Self.second)" }
      )
      #expect(rooms.allSatisfy { $0["windows_received"].integer == 2 })
    }
  }

  @Test("a search without the adapter that proved a room says nothing about it")
  func withoutAnAdapter() async throws {
    try await Self.serveDone { premises in
      let outcome = try await premises.run(Self.verify + ["--adapter", "hci0"]).expect(100)
      #expect(outcome.output.hasPrefix("2 of 4 rooms on air from their own device\n"), "\(outcome)")
      let words = Self.words(outcome.output)
      #expect(words.contains("Room 103, Room 104: not searched with hci1"), "\(outcome)")
      #expect(!words.contains("was not received"), "\(outcome)")
      #expect(outcome.output.hasSuffix("\nNext: roboprov verify building.yaml\n"), "\(outcome)")
      try await Self.expectAllDone(premises)
      let document = try await premises.run(Self.verify + ["--adapter", "hci0", "--output", "json"]).json
      #expect(
        document["rooms"].items.map { $0["finding"].text } == [
          "on_air", "on_air", "not_searched", "not_searched",
        ])
      #expect(
        document["rooms"].items.map { $0["unused"].text } == [nil, nil, "\(Self.second)", "\(Self.second)"])
      #expect(document["summary"]["not_searched"].integer == 2 && document["summary"]["missing"].integer == 0)
    }
  }

  @Test(
    "a missing room names the adapters that scanned for it, and for how long, in text, record and reports")
  func missing() async throws {
    try await Self.serveDone { premises in
      await premises.setMuted(true, 4)
      let outcome = try await premises.run(Self.verify).expect(100)
      let scanned = "by hci0 (10 s) and hci1 (10 s)"
      #expect(
        Self.words(outcome.output).contains(
          "Room 104: \(ServedBuilding.address(4)) was not received in 2 scans \(scanned)."), "\(outcome)")
      #expect(outcome.output.hasSuffix("\nNext: roboprov apply building.yaml\n"), "\(outcome)")
      let status = try await premises.site.run(["status", "building.yaml", "--check"])
      #expect(status.status == 100 && Self.words(status.output).contains(scanned), "\(status)")
      let found = try #require(
        try premises.site.facts { if case .roomVerified(let found) = $0 { found } else { nil } }.last)
      #expect(found.finding == .missing && found.adapters?.map(\.name) == ["hci0", "hci1"])
      #expect(found.adapters?.allSatisfy { (9.5...10.5).contains($0.seconds) && $0.isComplete } == true)
    }
  }

  @Test("an adapter that is lost during `verify` costs only its own rooms' search")
  func lost() async throws {
    try await Self.serveDone { premises in
      for number in 3...4 { await premises.setMuted(true, number) }
      let outcome = try await Self.run(Self.verify, at: premises) {
        try await premises.building.clock.sleep(for: .seconds(3))
        await premises.building.world.setPresent(false, Self.second)
      }
      #expect(outcome.status == 100 && outcome.errors.contains("the scan on hci1 ended"), "\(outcome)")
      #expect(outcome.output.hasPrefix("2 of 4 rooms"), "\(outcome)")
      #expect(Self.words(outcome.output).contains("Room 103, Room 104: not searched"), "\(outcome)")
      try await Self.expectAllDone(premises)
    }
  }

  @Test("an adapter of another run costs only itself; without any other, `verify` is refused", .notRecorded)
  func claimed() async throws {
    try await Self.serveDone { premises in
      let claim = try premises.site.claim(Self.second)
      let outcome = try await premises.run(Self.verify).expect(100, errors: "hci1 is in use")
      #expect(Self.words(outcome.output).contains("Room 103, Room 104: not searched"), "\(outcome)")
      try await Self.expectAllDone(premises)
      let first = try premises.site.claim(ServedBuilding.adapter)
      try await premises.expectRefused(Self.verify, with: 69, saying: ["hci0 is in use"])
      first.release()
      claim.release()
      #expect(try await premises.run(Self.verify).status == 0)
    }
  }

  // MARK: replace, retire

  @Test(
    "a sensor that any adapter receives is not silent",
    arguments: [
      ["room", "replace", "building.yaml", "Room 103"], ["room", "retire", "building.yaml", "Room 103"],
    ])
  func silence(_ command: [String]) async throws {
    try await Self.serveDone { premises in
      try await premises.expectRefused(
        command, with: 100, saying: ["\(ServedBuilding.address(3)) is still on air with minor 103"])
      await premises.setMuted(true, 3)
      let outcome = try await premises.run(command).expect(0)
      if command[1] == "replace" {
        #expect(outcome.errors.hasSuffix("\nNext: roboprov apply building.yaml\n"), "\(outcome)")
      }
      let released = try premises.site.facts { if case .bindingReleased(let fact) = $0 { fact } else { nil } }
      #expect(released.map(\.silent) == [true])
      #expect(released.first?.adapters?.map(\.name) == ["hci0", "hci1"])
      let history = try await premises.site.run(["room", "history", "building.yaml", "Room 103", "--full"])
      #expect(Self.words(history.output).contains("by hci0 (10 s) and hci1 (10 s)"), "\(history)")
    }
  }

  @Test("without the adapter that received it last, a sensor is not recorded as silent")
  func unknownSilence() async throws {
    try await Self.serveDone { premises in
      try await premises.run(["room", "replace", "building.yaml", "Room 103", "--adapter", "hci0"]).expect(
        0, errors: "\(Self.second), which received it last")
      let released = try premises.site.facts { if case .bindingReleased(let fact) = $0 { fact } else { nil } }
      #expect(released.map(\.silent) == [nil] && released.first?.adapters?.map(\.name) == ["hci0"])
    }
  }

  // MARK: scan, find, monitor, doctor, inspect

  @Test("`scan` lists the devices of all adapters, and which received each")
  func scan() async throws {
    try await Self.serveDone { premises in
      let outcome = try await premises.run(["scan", "building.yaml", "--scan-time", "6"])
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 6 && lines[0].contains("ADAPTER"), "\(outcome)")
      #expect(
        lines.dropFirst().map { $0.contains("hci1") } == [true, false, false, true, true], "\(outcome)")
      let document = try await premises.run(["scan", "--scan-time", "6", "--output", "json"]).json
      #expect(document["adapter"]["name"].text == "hci0")
      #expect(document["adapters"].items.map { $0["name"].text } == ["hci0", "hci1"])
      #expect(document["devices"].items.map { $0["adapter"].text } == ["\(Self.second)"])
    }
  }

  @Test("`find` shows the strongest signal, and the adapter that receives it")
  func find() async throws {
    try await Self.serveDone { premises in
      for (room, adapter) in [("Room 101", "hci0"), ("Room 104", "hci1")] {
        try await premises.run(["find", "building.yaml", room, "--for", "8"]).expect(
          0, output: " dBm on \(adapter)")
      }
    }
  }

  @Test("`monitor` reports devices of all adapters; one that is lost silences only its own")
  func monitor() async throws {
    try await Self.serveDone { premises in
      let outcome = try await Self.run(["monitor", "--leave-after", "10", "--for", "40"], at: premises) {
        try await premises.building.clock.sleep(for: .seconds(8))
        await premises.building.world.setPresent(false, Self.second)
        await premises.setMuted(true, 1)
      }
      let events = outcome.output.split(separator: "\n").compactMap { JSON(String($0)) }
      let adapters = { (event: String) in
        events.filter { $0["event"].text == event }.map { $0["adapter"].text }
      }
      #expect(adapters("scan_started").sorted { ($0 ?? "") < ($1 ?? "") } == ["hci0", "hci1"], "\(outcome)")
      #expect(adapters("scan_ended") == ["hci1"], "\(outcome)")
      #expect(adapters("enter").count { $0 == "hci1" } == 3, "\(outcome)")
      #expect(
        events.filter { $0["event"].text == "leave" }.map { $0["address"].text } == ["C4:7C:8D:00:00:01"])
    }
  }

  @Test("`doctor` receives the rooms of all floors")
  func doctor() async throws {
    try await Self.serveDone { premises in
      let outcome = try await premises.run(["doctor", "building.yaml", "--output", "json"])
      let reception = try outcome.json["reception"]
      #expect(reception["adapters"].items.map(\.text) == ["hci0", "hci1"], "\(outcome)")
      #expect(reception["received"].items.count == 4, "\(outcome)")
    }
  }

  @Test("`inspect` finds its device on any adapter, and holds the claim as long as the link")
  func inspect() async throws {
    try await Self.serveDone { premises in
      let world = premises.building.world
      let outcome = try await Self.run(["inspect", "\(ServedBuilding.address(9))"], at: premises) {
        for _ in 0..<1000 where await world.openLinkCount(on: Self.second) == 0 {
          try await premises.building.clock.sleep(for: .milliseconds(20))
        }
        #expect(throws: RunLockRefusal.self) { try premises.site.claim(Self.second) }
      }
      #expect(outcome.status == 0, "\(outcome)")
      try premises.site.claim(Self.second).release()
    }
  }
}

extension Site {
  /// Claims an adapter, as another process does.
  fileprivate func claim(_ adapter: BluetoothAddress) throws -> RunLock {
    let bus = HostEnvironment.sha256(Array("local:\(directory.path)".utf8)).prefix(8)
    return try RunLock.take(
      adapter: adapter.description.replacing(":", with: "") + "-" + bus, in: AdapterClaims.directories,
      for: LockHolder(process: 1, run: "other", since: Date()))
  }

  /// The facts of one kind in all journals, oldest first.
  fileprivate func facts<Payload>(_ kind: (Fact) -> Payload?) throws -> [Payload] {
    try runs.flatMap { run in
      try JournalReader.read(directory.appending(path: "reports/\(Self.building)/\(run)/journal.jsonl").path)
        .events.compactMap { kind($0.fact) }
    }
  }
}
