import Bluetooth
import Foundation
import Journal
import Model
import Testing
import VirtualBuilding

@Suite(
  "a run killed at any event leaves a true record, and the next run does what is left",
  .timeLimit(.minutes(60)))
struct KillAtEventTests {
  /// Events in a building before one of its runs is killed.
  enum RunScript {
    /// Only the run.
    case plain
    /// The adapter is unplugged for a time.
    case lostAdapter
    /// An earlier run was killed while it was connected.
    case linkLeft
    /// The first sensor loses its first links.
    case secondAttempt
    /// The operator presses Ctrl-C.
    case interrupted
  }

  /// The scenario in which each kind of event certainly occurs. Nil for kinds that need other commands,
  /// `--rebind` or `--canary`, sensors without a room, other families, a suspended host, a full controller, or
  /// another program that scans.
  static let scenarios: [Fact.Kind: RunScript?] = [
    "run_started": .plain, "adapter_selected": .plain, "scan_started": .plain,
    "scan_stopped": .plain, "device_sighted": .plain, "binding_committed": .plain,
    "attempt_started": .plain, "stage_started": .plain, "stage_ended": .plain, "status_received": .plain,
    "setting_written": .plain, "save_submitted": .plain, "link_ended": .plain, "proof_received": .plain,
    "attempt_ended": .plain, "room_finished": .plain, "run_finished": .plain,
    "adapter_awaited": .lostAdapter, "link_released": .linkLeft, "retry_scheduled": .secondAttempt,
    "run_interrupted": .interrupted, "operator_requested": .interrupted,
    "adapter_faulted": nil, "events_omitted": nil, "foreign_scan_detected": nil, "binding_released": nil,
    "room_retired": nil,
    "room_accepted": nil, "room_verified": nil, "host_paused": nil, "settings_read": nil, "elapsed_sent": nil,
    "links_held": nil, "bond_intended": nil, "bond_removed": nil, "canaries_judged": nil,
    "host_unavailable": nil,
    "operator_awaited": nil, "wifi_checked": nil, "device_described": nil, "device_unclaimed": nil,
  ]

  @Test("each kind of event is either in a scenario or excluded")
  func everyKind() {
    #expect(Set(Self.scenarios.keys) == Set(Fact.Kind.allCases))
  }

  /// Intents and outcomes: the run is also killed at the second event of the kind, when one write is done and
  /// another is not, and in the middle of a line.
  static let weighty: [Fact.Kind] = ["binding_committed", "save_submitted", "room_finished"]

  struct Instant: CustomTestStringConvertible, Sendable {
    var kind: Fact.Kind
    var number: Int
    var point: KillSwitch.Point
    var assign: String

    var testDescription: String { "\(kind.rawValue) \(number), \(point.rawValue), rooms by \(assign)" }
  }

  /// Each kind of event in a run of `apply`; with rooms that take any sensor, the events that assign sensors.
  static let instants =
    instants(at: Fact.Kind.allCases.filter { scenarios[$0] != .some(nil) }, assign: "address")
    + instants(at: weighty, assign: "any")

  private static func instants(at kinds: [Fact.Kind], assign: String) -> [Instant] {
    kinds.flatMap { kind in
      let numbers = weighty.contains(kind) ? [1, 2] : [1]
      return numbers.flatMap { number in
        KillSwitch.Point.allCases.filter { $0 != .amidWrite || weighty.contains(kind) }.map {
          Instant(kind: kind, number: number, point: $0, assign: assign)
        }
      }
    }
  }

  @Test(
    "a killed run has no effect whose event is not on record, and later runs complete the building",
    arguments: instants)
  func killed(at instant: Instant) async throws {
    // Rooms that take any sensor get the sensors that are received in time. On a busy machine this may be
    // none, so the test repeats with a longer scan.
    var survivor: Invocation.Outcome?
    for scanTime in instant.assign == "any" ? [1.0, 4, 16] : [0.3] {
      survivor = try await outcomeOfSurvivor(instant, scanTime: scanTime)
      if survivor == nil { return }
    }
    Issue.record("not killed: \(survivor?.description ?? "")")
  }

  /// Runs the whole scenario in a new building. Returns the run if it ended before the instant of the kill.
  private func outcomeOfSurvivor(_ instant: Instant, scanTime: Double) async throws -> Invocation.Outcome? {
    let script = try #require(Self.scenarios[instant.kind] ?? nil)
    let faults: [ScheduledFault] =
      switch script {
      case .secondAttempt: [ScheduledFault(.drops(in: .write(2)), attempts: 1)]
      // The run lasts until the adapter is unplugged.
      case .lostAdapter: [ScheduledFault(.slow, attempts: 1)]
      default: []
      }
    let sensors = [
      SensorScenario(address: ServedBuilding.address(1), faults: faults),
      // The second room is not done when the run stops: otherwise the run would not count as interrupted.
      SensorScenario(
        address: ServedBuilding.address(2),
        faults: script == .interrupted ? [ScheduledFault(.neverAnswers, attempts: 1)] : []),
    ].prefix(Self.weighty.contains(instant.kind) || script == .interrupted ? 2 : 1)
    return try await KilledBuilding.serve(
      Array(sensors), assign: instant.assign, scanTime: scanTime
    ) { killed in
      if script == .linkLeft {
        let run = try await killed.run(KillSwitch.at("setting_written", 1, .afterWrite))
        try #require(run.wasKilled, "\(run.outcome)")
        #expect(await killed.building.world.openLinkCount() == 1)
      }
      let order = KillSwitch.at(instant.kind, instant.number, instant.point)
      let run = try await killed.run(order) { process in
        switch script {
        case .plain, .linkLeft, .secondAttempt: break
        case .lostAdapter:
          try await process.prints("scanning for devices")
          await killed.building.world.setPresent(false, ServedBuilding.adapter)
          try await killed.site.until("waiting for an adapter") {
            !process.isRunning || process.errorsSoFar.contains("waiting up to")
          }
          await killed.building.world.setPresent(true, ServedBuilding.adapter)
        case .interrupted:
          try await process.until("the first write") { await !killed.building.world.writes.isEmpty }
          process.send(SIGINT)
        }
      }
      guard run.wasKilled else { return run.outcome }
      try expect(instant, in: killed, of: run)
      if instant.point != .afterSync { await expectNothingAhead(of: instant, in: killed, of: run) }
      try await killed.runUntilDone()
      return nil
    }
  }

  /// Checks that the run died at the intended event.
  private func expect(_ instant: Instant, in killed: KilledBuilding, of run: KilledBuilding.Run) throws {
    let id = try #require(run.id)
    let journal = try #require(try killed.journal(of: id))
    let count = journal.events.count { $0.fact.kind == instant.kind }
    #expect((journal.tornLine != nil) == (instant.point == .amidWrite))
    switch instant.point {
    case .beforeWrite, .amidWrite:
      #expect(count == instant.number - 1)
    case .afterWrite:
      #expect(count == instant.number)
      #expect(journal.events.last?.fact.kind == instant.kind)
    case .afterSync:
      #expect(count >= instant.number)
    }
  }
  /// Checks that no effect happened before its event was on disk.
  private func expectNothingAhead(
    of instant: Instant, in killed: KilledBuilding, of run: KilledBuilding.Run
  ) async {
    let earlier = instant.number - 1
    switch instant.kind {
    case "binding_committed":
      let written = await Set(killed.building.world.writes.map(\.address))
      #expect(written.count <= earlier, "written before the binding was on disk")
    case "save_submitted":
      let saved = await killed.sensorsAtWork()
      #expect(saved.count <= earlier, "saved before the event was on disk")
    case "room_finished":
      let shown = run.outcome.errors.split(separator: "\n").count { $0.contains("✓") }
      #expect(shown <= earlier, "showed an outcome before it was on disk\n\(run.outcome)")
    default: break
    }
  }
}
