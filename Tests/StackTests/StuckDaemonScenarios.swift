import Bluetooth
import DBus
import Engine
import EventLoop
import Model
import Testing
import VirtualBuilding

@testable import Reporting

/// bluetoothd 5.66 loses track of its adapters when more reports arrive than it can process: it reports no device,
/// does not switch an adapter off, and then refuses every scan (seen with 200 devices and three adapters).
@Suite("a bluetoothd that is stuck", .timeLimit(.minutes(60)))
struct StuckDaemonScenarios {
  /// A stuck daemon's answers, until it is restarted.
  private final class Stuck: Sendable {
    private let state = Lock((isStuck: true, wasSwitched: false))

    var misconduct: Misconduct {
      Misconduct { member, _ in
        self.state.withLock { state in
          guard state.isStuck else { return nil }
          switch member {
          case "Set":
            state.wasSwitched = true
            return .refuse(name: "org.bluez.Error.Busy", text: "")
          case "StartDiscovery" where state.wasSwitched:
            return .refuse(name: "org.bluez.Error.NotReady", text: "Resource Not Ready")
          default: return nil
          }
        }
      }
    }

    func end() { state.withLock { $0.isStuck = false } }
  }

  private func faults(_ run: StackedRun) -> [AdapterFault] {
    run.events.compactMap { if case .adapterFaulted(let fact) = $0.fact { fact } else { nil } }
  }

  private static let rooms = (1...5).map { StackedRun.room($0, retries: 0) }
  private static let sensors = (1...5).map { StackedRun.sensor($0) }

  @Test("the remedy is said once, and the run ends")
  func named() async throws {
    let stuck = Stuck()
    let run = try await StackedRun.apply(
      Self.rooms, Self.sensors, misconduct: stuck.misconduct, adapterTimeout: .seconds(30),
      beside: { await $0.world.setDeaf(true, StackedRun.adapter) })
    #expect(faults(run).map(\.fault) == [.serviceStuck])
    let words = run.events.filter { if case .adapterFaulted = $0.fact { true } else { false } }
      .map { EventWords($0.fact, run.report.titles) { _ in "hci0" }.text }
    #expect(words.count == 1 && words[0].contains("`systemctl restart bluetooth`"))
    #expect(run.events.count { if case .adapterSelected = $0.fact { true } else { false } } == 1)
    #expect(run.result?.radioFailure?.code == .timedOut)
    #expect(run.took < .seconds(70))
  }

  @Test("the run continues after a restart of bluetoothd, and charges no sensor")
  func restarted() async throws {
    let stuck = Stuck()
    let run = try await StackedRun.apply(
      Self.rooms, Self.sensors, misconduct: stuck.misconduct, adapterTimeout: .seconds(60),
      beside: { building in
        await building.world.setDeaf(true, StackedRun.adapter)
        try await building.clock.sleep(for: .seconds(40))
        await building.stack.stopDaemon()
        stuck.end()
        await building.world.setDeaf(false, StackedRun.adapter)
        await building.stack.startDaemon()
      })
    #expect(faults(run).map(\.fault) == [.serviceStuck])
    #expect(run.result?.outcome == .complete, "\(run.summary)")
    #expect(run.failures.isEmpty)
  }
}
