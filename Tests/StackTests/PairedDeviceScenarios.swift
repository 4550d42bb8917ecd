import Bluetooth
import Families
import Journal
import Model
import Testing
import VirtualBuilding

@Suite("devices that demand an encrypted link", .timeLimit(.minutes(60)))
struct PairedDeviceScenarios {
  private static func room(_ number: Int, _ pairing: PairingDemand = .justWorks, retries: Int = 1) -> Room {
    let settings: [SettingName: SettingValue] = [
      .wifiSSID: .text("Plant"), .wifiPassword: .secret(Secret("correct horse")),
    ]
    return Room(
      id: RoomID(rawValue: "room-\(100 + number)"), name: "Room \(100 + number)", family: .espIDF,
      address: StackedRun.address(number), settings: settings,
      access: [
        .proofOfPossession: .secret(Secret(String(decoding: EspGATT.proof, as: UTF8.self))),
        .pairing: .text(pairing.rawValue),
      ], timeouts: DeviceFamily.espIDF.timeouts(for: settings), retries: retries)
  }

  private static func sensor(_ number: Int) -> SensorScenario {
    SensorScenario(
      address: StackedRun.address(number), family: .espIDF, faults: [ScheduledFault(.pairing(.demanded))])
  }

  /// What may not remain of any run.
  private func expectNothingLeft(_ run: StackedRun) {
    #expect(run.openLinks == 0 && run.stored.isEmpty && run.bonded.isEmpty)
    #expect(BuildingRecord([run.events]).lastKnown.bonds == Bonds())
  }

  @Test("each is paired and joins, and no bond remains", arguments: BlueZVersion.allCases)
  func done(_ version: BlueZVersion) async throws {
    let run = try await StackedRun.apply(
      (1...4).map { Self.room($0) }, (1...4).map { Self.sensor($0) }, version: version)
    for number in 1...4 { #expect(run.outcome(number) == .provisioned, "\(run.summary)") }
    expectNothingLeft(run)
  }

  @Test(
    "a demand is recognised in the first attempt, whatever BlueZ makes of it",
    arguments: BlueZVersion.allCases)
  func ifAsked(_ version: BlueZVersion) async throws {
    let run = try await StackedRun.apply([Self.room(1, .ifAsked)], [Self.sensor(1)], version: version)
    #expect(run.outcome(1) == .provisionedAfterRetry, "\(run.summary)")
    expectNothingLeft(run)
    let without = try await StackedRun.apply(
      [Self.room(1, .unneeded, retries: 0)], [Self.sensor(1)], version: version)
    let reasons = without.events.compactMap { event -> FailureReason? in
      if case .roomFinished(let fact) = event.fact { fact.reason } else { nil }
    }
    #expect(reasons.map(\.mayDemandPairing) == [true], "\(without.summary)")
  }

  @Test(
    "a bond that cannot be removed while bluetoothd is away is removed before the run ends",
    arguments: BlueZVersion.allCases)
  func daemonKilled(_ version: BlueZVersion) async throws {
    let run = try await StackedRun.apply(
      [Self.room(1, retries: 4)], [Self.sensor(1)], version: version,
      beside: { building in
        let limit = building.clock.now.advanced(by: .seconds(120))
        try await building.until {
          if building.clock.now > limit { return true }
          return await building.world.hasBond(with: StackedRun.address(1), on: StackedRun.adapter)
        }
        await building.stack.killDaemon()
        try await building.clock.sleep(for: .seconds(5))
        await building.stack.startDaemon()
      })
    #expect(run.outcome(1) == .provisioned, "\(run.summary)")
    expectNothingLeft(run)
  }
}
