import Bluetooth
import Engine
import Foundation
import Families
import Model
import Session
import Simulation
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@Suite("pauses of the host") struct PauseScenarios {
  static let rooms = [Sample.room(1, address: 1, retries: 0), Sample.room(2, address: 2, retries: 0)]

  /// More than the number of events of an undisturbed run.
  static let everyEvent = Array(1...75)

  @Test("a pause at any event is charged to no device, and recorded with its length", arguments: everyEvent)
  func suspended(after number: Int) async throws {
    let run = try await rehearse(
      [[], []], rooms: Self.rooms,
      during: { backstage, event in
        if event.sequence == number { backstage.pause(HostPause(.suspended, seconds: 480)) }
      }
    ).expectInvariants()
    #expect(run.result.outcome == .complete, "the run completes without a retry")
    let pauses = run.facts { if case .hostPaused(let fact) = $0 { fact } else { nil } }
    // The last events of a run come at once: a pause after one of them is too late.
    if run.events.count > number + 6 {
      #expect(pauses.map(\.1) == [HostPause(.suspended, seconds: 480)])
    }
    for (_, ended) in run.facts({ if case .attemptEnded(let fact) = $0 { fact } else { nil } }) {
      #expect(ended.failure == nil || ended.failure?.code == .hostPaused)
    }
  }

  @Test("a pause ends the GATT session in progress")
  func duringSession() async throws {
    let run = try await rehearse(
      [[]], rooms: [Self.rooms[0]],
      during: { backstage, event in
        // The pause interrupts only the first attempt.
        let attempts = await backstage.world.attemptCount(of: Sample.address(1))
        if case .settingWritten(let fact) = event.fact, fact.setting == .wifiSSID, attempts == 1 {
          backstage.pause(HostPause(.stopped, seconds: 30))
        }
      })
    let attempts = run.facts { if case .attemptEnded(let fact) = $0 { fact.failure?.code } else { nil } }
    #expect(attempts.first?.1 == .hostPaused)
    // The pause of the host is charged to no device, so its attempt does not count.
    #expect(run.result.rooms.map(\.outcome) == [.provisioned])
    #expect(run.result.rooms.map(\.attempts) == [1])
  }

  @Test(
    "a clock that was set ends nothing, nor does a busy host",
    arguments: [HostPause(.clockSet, seconds: -3600), HostPause(.busy, seconds: 9)])
  func endsNothing(_ pause: HostPause) async throws {
    let run = try await rehearse(
      [[]], rooms: [Self.rooms[0]],
      during: { backstage, event in
        if case .settingWritten = event.fact { backstage.pause(pause) }
      })
    #expect(run.result.rooms.map(\.outcome) == [.provisioned])
    #expect(run.facts { if case .hostPaused(let fact) = $0 { fact } else { nil } }.count == 4)
  }

  @Test("a device is given up after repeated pauses during its attempts")
  func again() async throws {
    let run = try await rehearse(
      [[]], rooms: [Self.rooms[0]],
      during: { backstage, event in
        if case .stageStarted(let fact) = event.fact, fact.stage == .connect {
          backstage.pause(HostPause(.suspended, seconds: 60))
        }
      }
    ).expectInvariants()
    #expect(run.result.rooms.map(\.reason?.code) == [.hostPaused])
  }
}

@Suite("conditions of a run") struct ConditionScenarios {
  static let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2)]

  /// The planned rooms of a building.
  private static func plan() async throws -> ApplyPlan {
    let sensors = [1, 2].map { SensorScenario(address: Sample.address($0)) }
    return try await VirtualPremises.use(Scenario(seed: 1, adapters: adapters, sensors: sensors)) {
      premises in
      let plan = try await premises.plan(premises.request(Sample.building(rooms), run: "plan"))
      #expect(await premises.world.writes.isEmpty)
      #expect(await premises.world.attemptCount(of: Sample.address(1)) == 0)
      return plan
    }
  }

  @Test("a plan has the result of matching, and nothing is written for it")
  func planned() async throws {
    let plan = try await Self.plan()
    #expect(plan.rooms.map(\.action) == [.provision, .provision])
    #expect(plan.rooms.map(\.address) == [Sample.address(1), Sample.address(2)])
    #expect(plan.rooms.allSatisfy { $0.received && $0.basis == .address })
  }

  @Test("a run with a matching plan does what the plan says")
  func asPlanned() async throws {
    let plan = try await Self.plan()
    let run = try await rehearse([[], []], rooms: Self.rooms, request: { $0.plan = plan })
    #expect(run.result.outcome == .complete)
  }

  @Test("a run with an outdated plan does nothing")
  func outdated() async throws {
    let plan = try await Self.plan()
    let run = try await rehearse(
      [[], []], rooms: Self.rooms,
      before: { world, clock in
        // Another laptop provisioned it first.
        try await clock.sleep(for: .seconds(1))
        await world.setMuted(true, Sample.address(2))
      },
      request: { request in
        request.plan = plan
        var other = Self.rooms
        other[1].address = Sample.address(7)
        request.building = Sample.building(other)
      })
    #expect(run.writes.isEmpty)
    #expect(run.result.rooms.map(\.reason?.code) == [.planOutdated, .planOutdated])
    guard case .plan(let differences)? = run.result.refusal else {
      Issue.record("the run was not refused")
      return
    }
    #expect(differences.map(\.found?.room) == ["room-2"])
  }

  @Test("a run does nothing with an adapter that another run has reserved")
  func claimed() async throws {
    let run = try await rehearse(
      [[], []], rooms: Self.rooms, claim: { _ in .refused("run r, process 7, since 9:00") })
    #expect(run.writes.isEmpty)
    #expect(run.result.refusal == .adapterClaimed(adapter: "hci0", by: "run r, process 7, since 9:00"))
    #expect(run.result.rooms.map(\.outcome) == [.pending, .pending])
    let interrupted = run.facts { if case .runInterrupted(let fact) = $0 { fact.cause } else { nil } }
    #expect(interrupted.map(\.1) == [.claimed])
  }
}
