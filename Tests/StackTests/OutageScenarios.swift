import Bluetooth
import DBus
import Engine
import EventLoop
import Foundation
import Model
import Reporting
import Testing
import VirtualBuilding

@Suite("a run loses Bluetooth for a while, or messages are slow", .timeLimit(.minutes(60)))
struct OutageScenarios {
  /// A temporary loss.
  enum Gap: CaseIterable {
    case daemonKilled
    case daemonRestarted
    case busRestarted
    case adapterReplugged
    case adapterSwitchedOff

    func strike(_ building: ServedBuilding) async {
      switch self {
      case .daemonKilled: await building.stack.killDaemon()
      case .daemonRestarted: await building.stack.stopDaemon()
      case .busRestarted:
        await building.daemon.stop()
        await building.stack.down()
      case .adapterReplugged: await building.world.setPresent(false, StackedRun.adapter)
      case .adapterSwitchedOff: await building.world.setPowered(false, StackedRun.adapter)
      }
    }

    func mend(_ building: ServedBuilding) async throws {
      switch self {
      case .daemonKilled, .daemonRestarted: await building.stack.startDaemon()
      case .busRestarted:
        try await building.daemon.restart()
        await building.stack.startDaemon()
      case .adapterReplugged: await building.world.setPresent(true, StackedRun.adapter, name: "hci3")
      case .adapterSwitchedOff: await building.world.setPowered(true, StackedRun.adapter)
      }
    }
  }

  private static let rooms = (1...5).map { StackedRun.room($0, retries: 4) }
  private static let sensors = (1...5).map { StackedRun.sensor($0, .slow) }

  @Test(
    "a run with four links survives an outage, and provisions every room",
    arguments: Gap.allCases, [Duration.milliseconds(200), .seconds(5), .seconds(60)])
  func outage(_ gap: Gap, lasting time: Duration) async throws {
    let run = try await StackedRun.apply(
      Self.rooms, Self.sensors,
      beside: { building in
        try await building.until { await building.world.openLinkCount() >= 4 }
        await gap.strike(building)
        try await building.clock.sleep(for: time)
        try await gap.mend(building)
      })
    for number in 1...5 {
      #expect(run.outcome(number)?.isSuccess == true, "\(run.summary)")
      #expect(run.flashes[number]?.minor == UInt16(100 + number))
    }
    #expect(run.openLinks == 0)
  }

  @Test(
    "bluetoothd keeps no device of a run that it lost between a save and its proof", arguments: Gap.allCases)
  func storage(_ gap: Gap) async throws {
    for delay in stride(from: 0, to: 900, by: 90).map({ Duration.milliseconds($0) }) {
      let run = try await StackedRun.apply(
        Self.rooms, (1...5).map { StackedRun.sensor($0) },
        beside: { building in
          try await building.until {
            await building.world.flash(of: StackedRun.address(3))?.isSaved == true
          }
          try await building.clock.sleep(for: delay)
          await gap.strike(building)
          try await building.clock.sleep(for: .milliseconds(300))
          try await gap.mend(building)
        })
      #expect(run.stored.isEmpty, "struck \(delay) after a save\n\(run.summary)")
      for number in 1...5 { #expect(run.outcome(number)?.isSuccess == true, "\(delay)\n\(run.summary)") }
    }
  }

  @Test("a run provisions every room whatever the delay of each message on the bus", arguments: 1...20)
  func slowBus(seed: Int) async throws {
    let random = Lock(SeededGenerator(seed: UInt64(seed)))
    let run = try await StackedRun.apply(
      Self.rooms, (1...5).map { StackedRun.sensor($0) },
      delay: { random.withLock { $0.duration(in: .zero ... .milliseconds(80)) } }, seed: UInt64(seed))
    for number in 1...5 {
      #expect(run.outcome(number)?.isSuccess == true, "\(run.summary)")
      #expect(run.flashes[number]?.minor == UInt16(100 + number))
    }
    #expect(run.openLinks == 0)
  }

  @Test(
    "a run ends by itself if its adapter comes and goes without end", arguments: [100, 700, 2_500, 8_000])
  func flapping(milliseconds: Int) async throws {
    let hasEnded = Lock(false)
    let run = try await StackedRun.apply(
      Self.rooms, Self.sensors,
      beside: { building in
        for _ in 0..<20_000 where !hasEnded.withLock({ $0 }) {
          try await building.clock.sleep(for: .milliseconds(milliseconds))
          await building.world.setPresent(false, StackedRun.adapter)
          try await building.clock.sleep(for: .milliseconds(milliseconds))
          await building.world.setPresent(true, StackedRun.adapter, name: "hci3")
        }
      }, ended: { hasEnded.withLock { $0 = true } })
    #expect(run.took < .seconds(600), "it took \(run.took)")
    let faults = run.events.compactMap { event in
      if case .adapterFaulted(let fact) = event.fact { fact.fault } else { nil }
    }
    // Rooms may also end by their own limit of failures of the host.
    #expect(faults == [.comesAndGoes] || milliseconds > 1_000 && faults.isEmpty)
    #expect(run.summary.utf8.count < 20_000)
  }
}
