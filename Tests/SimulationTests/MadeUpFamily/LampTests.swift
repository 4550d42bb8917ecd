import Bluetooth
import Engine
import Foundation
import Journal
import Manifest
import Model
import Reporting
import Session
import Simulation
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// A family that only this folder knows goes the whole way, from its manifest to its reports.
@Suite("A made-up family") struct LampTests {
  private static let manifest = """
    building: Pier
    match: any
    defaults: { profile: lamp, zone: 3, level: 40, wifi: { ssid: Pier, password: hunter2 hunter2 } }
    rooms:
      - { room: Lamp 17, lamp: 17, address: C4:7C:8D:00:00:01 }
      - { room: "Lamp {18..19}", lamp: 18 }
    """
  private static let families = [Lamp.driver].catalogue
  private static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  private static let adapters = [
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100), name: "hci0")
  ]

  private func building() throws -> Building {
    let reading = ManifestReader.read(Array(Self.manifest.utf8), file: "b.yaml", families: Self.families)
    return try #require(reading.building, "\(reading.rendered)")
  }

  /// The rooms whose device the manifest names.
  private func named() throws -> Building {
    var building = try building()
    building.rooms = [building.rooms[0]]
    return building
  }

  /// Runs with the record of the earlier ones, in one virtual building.
  private func runs(
    _ buildings: [Building], faults: [ScheduledFault] = []
  ) async throws -> (events: [[RunEvent]], plan: ApplyPlan?, flash: Flash?) {
    let sensor = SensorScenario(address: Self.address, family: .lamp, faults: faults)
    let scenario = Scenario(seed: 1, adapters: Self.adapters, sensors: [sensor])
    return try await VirtualPremises.use(scenario) { premises in
      let seal = SecretSeal(key: "k") { $0 }
      let plan = try? await Engine.plan(
        premises.request(buildings[0], Known(seal: seal), run: "plan"),
        in: premises.environment(await premises.central(), [Lamp.driver]),
        recording: premises.coordinator(MortalRecorder(clock: premises.clock)))
      var events: [[RunEvent]] = []
      for building in buildings {
        events.append(await premises.run(building, [Lamp.driver], after: events, seal: seal))
        try? await premises.clock.sleep(for: .seconds(5))
      }
      return (events, plan, await premises.world.flash(of: Self.address))
    }
  }

  @Test("the manifest takes its settings, counts its numbers, and knows its identity")
  func read() throws {
    let rooms = try building().rooms
    #expect(rooms.map { $0.settings["lamp"] } == [.integer(17), .integer(18), .integer(19)])
    #expect(rooms[0].identity?.description == "zone 3, lamp 17")
    let wrong = Self.manifest.replacing("lamp: 17", with: "lamp: 10000")
    let reading = ManifestReader.read(Array(wrong.utf8), file: "b.yaml", families: Self.families)
    #expect(reading.building == nil && reading.rendered.contains("`lamp` is 10000, outside of 1…9999"))
  }

  @Test("a device is planned, written in packets, proved by its status, reported, and done the next time")
  func wholeWay() async throws {
    let run = try await runs([try named(), try named()])
    #expect(run.plan?.rooms.map(\.action) == [.provision])
    #expect(
      run.flash?.values == [
        "lamp": [17, 0], "zone": [3], "level": [40], "wifi_ssid": Array("Pier".utf8),
        "wifi_password": Array("hunter2 hunter2".utf8),
      ])
    let reports = run.events.map { RunReport($0) }
    #expect(reports.map { $0["lamp-17"]?.outcome } == [.provisioned, .alreadyProvisioned])
    #expect(reports[0]["lamp-17"]?.evidence?.grade == .deviceStatus)
    #expect(reports[1]["lamp-17"]?.evidence?.identity?.description == "zone 3, lamp 17")
    let files = JSONReport.text(reports[0]) + CSVReport.text(reports[0])
    #expect(files.contains("zone 3, lamp 17") && files.contains("device_status"))
    // What it said on both characteristics was followed at once.
    let statuses = run.events[0].compactMap {
      if case .statusReceived(let fact) = $0.fact { fact.text } else { nil }
    }
    #expect(statuses == ["watched", "done"])
  }

  @Test("a value with a secret in it never has its length on record")
  func secretLength() async throws {
    let run = try await runs([try named()])
    let written = run.events[0].compactMap { event in
      if case .settingWritten(let fact) = event.fact { fact } else { nil }
    }
    #expect(written.map(\.setting) == ["lamp", "zone", "wifi_ssid", "level", "wifi_password"])
    #expect(written.map(\.bytes) == [3, 3, 4, nil, nil])
  }

  @Test("a refusal is no success, and its record is read without the family")
  func refused() async throws {
    let run = try await runs([try named()], faults: [ScheduledFault(.own(.refuses))])
    let room = try #require(RunReport(run.events[0])["lamp-17"])
    #expect(room.outcome == .failed && room.reason?.code == .refused)
    #expect(room.family?.words.noun == "lamp")
    #expect(BuildingRecord(run.events).lastKnown.families["lamp"]?.isRewritable == false)
  }

  @Test("random buildings of it hold all rules")
  func campaign() async {
    let families = SimulatedFamilies([Lamp.driver], [.lamp, .midiKeyboard], draws: ["lamp": .lamp])
    let tally = await Campaign(seed: 11, count: 25, width: 2, families: families).play { _, result in
      #expect(result.violations.isEmpty, "\(result.seed): \(result.violations)")
      return true
    }
    #expect(tally.outcomes[.provisioned, default: 0] > 20)
  }
}
