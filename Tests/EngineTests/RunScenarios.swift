import Bluetooth
import Engine
import Foundation
import Model
import Testing
import VirtualBuilding

@Suite("runs") struct RunScenarios {
  static let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2), Sample.room(3, address: 3)]

  @Test("a run provisions forty healthy rooms, and no adapter connects while it scans")
  func forty() async throws {
    let rooms = (1...40).map { Sample.room($0, address: UInt64($0)) }
    let run = try await rehearse(
      Array(repeating: [], count: 40), rooms: rooms, scenario: { $0.adapters = oneAdapter }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(run.result.rooms.allSatisfy { $0.outcome == .provisioned })
    // The controller refuses a sixth link once, which shows how many it holds.
    let refused = run.facts {
      if case .attemptEnded(let fact) = $0, let failure = fact.failure { failure.code } else { nil }
    }
    #expect(refused.map(\.1) == [.outOfSlots])
    #expect(run.result.rooms.allSatisfy { $0.attempts == 1 }, "that attempt does not count")
    // A connection while the adapter discovers takes 10 s.
    let connects = run.facts {
      if case .stageEnded(let fact) = $0, fact.stage == .connect { fact } else { nil }
    }
    #expect(connects.count == 41)
    #expect(connects.allSatisfy { $0.1.seconds < 1 })
  }

  @Test("two runs with the same seed give the same events")
  func deterministic() async throws {
    let faults: [[ScheduledFault]] = [
      [], [.init(.neverAnswers)], [.init(.drops(in: .write(2)), attempts: 1)],
    ]
    let first = try await rehearse(faults, seed: 7)
    for _ in 0..<3 {
      #expect(try await encoded(rehearse(faults, seed: 7).events) == encoded(first.events))
    }
    #expect(try await rehearse(faults, seed: 8).events != first.events)
  }

  @Test("a second run recognises provisioned rooms by their beacons, and writes nothing")
  func again() async throws {
    let run = try await rehearse([[], [], []], runs: 2)
    #expect(run.result.outcome == .complete)
    for room in run.result.rooms {
      #expect(room.outcome == .alreadyProvisioned)
      #expect(room.evidence?.grade == .beaconOnAir)
    }
    #expect(run.writes.isEmpty)
  }

  @Test("a run receives a sensor again after an old sighting, and waits for one that appears late")
  func late() async throws {
    let run = try await rehearse(
      [[.init(.neverAnswers)], [], []], rooms: Self.rooms,
      scenario: { $0.sensors[2].appearsAfter = .seconds(20) }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .unreachable)
    #expect(run.outcome(2)?.outcome == .provisioned)
    #expect(run.outcome(3)?.outcome == .provisioned)
    let windows = run.facts { if case .scanStarted(let fact) = $0 { fact } else { nil } }
    #expect(windows.contains { $0.1.purpose == .sighting })
  }

  @Test("a run gives rooms without an address any sensor after a confirmation", arguments: [true, false])
  func any(yes: Bool) async throws {
    let rooms = [Sample.room(1), Sample.room(2)]
    let run = try await rehearse(
      [[], []], rooms: rooms, assignment: .any,
      confirm: { proposals in
        #expect(proposals.map(\.address) == [Sample.address(1), Sample.address(2)])
        return yes ? .answer : nil
      }
    ).expectInvariants()
    #expect(run.result.rooms.map(\.outcome) == Array(repeating: yes ? .provisioned : .pending, count: 2))
    if !yes { #expect(run.writes.isEmpty) }
  }

  @Test("a run gives no sensor to rooms without an address when more sensors than rooms are received")
  func ambiguous() async throws {
    let rooms = [Sample.room(1)]
    let run = try await rehearse([[], []], rooms: rooms, assignment: .any).expectInvariants()
    #expect(run.outcome(1)?.outcome == .ambiguous)
    #expect(run.outcome(1)?.reason?.addresses == [Sample.address(1), Sample.address(2)])
    #expect(run.writes.isEmpty)
  }

  @Test("a run ends links that a killed run left behind")
  func leftLink() async throws {
    // Made without the engine, as by a process that was killed.
    let run = try await rehearse(
      [[], [], []],
      before: { world, clock in
        try await world.startDiscovery(on: adapters[0].address)
        try await clock.sleep(for: .seconds(1))
        await world.stopDiscovery(on: adapters[0].address)
        _ = try await world.connect(to: Sample.address(2), on: adapters[0].address)
      }
    ).expectInvariants(Self.rooms)
    let released = run.facts { if case .linkReleased(let fact) = $0 { fact } else { nil } }
    #expect(released.map(\.1.address) == [Sample.address(2)])
    #expect(run.result.outcome == .complete)
  }

  @Test(
    "a run records once for each adapter that another program scans with it, and which",
    arguments: [true, false])
  func foreignScan(fromTheBeginning: Bool) async throws {
    @Sendable func scan(in world: World) async {
      await world.setForeignScan(["bluetoothctl (pid 812)"], adapters[0].address)
    }
    let stop = Once()
    let run = try await rehearse(
      [[], [], []],
      before: { world, _ in if fromTheBeginning { await scan(in: world) } },
      during: { backstage, event in
        guard case .attemptStarted = event.fact, await stop.isFirst() else { return }
        // The scan starts and stops; one record suffices.
        for isOn in [true, false, true] {
          await backstage.world.setForeignScan(isOn ? ["bluetoothctl (pid 812)"] : [], adapters[0].address)
        }
      }
    ).expectInvariants(Self.rooms)
    let found = run.facts { if case .foreignScanDetected(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(found == [.init(adapter: AdapterID(adapters[0].address), clients: ["bluetoothctl (pid 812)"])])
    #expect(run.result.outcome == .complete)
  }

  // MARK: Interruptions

  @Test(
    "an interruption during a question, or before the run began, leaves all devices unwritten",
    arguments: [true, false])
  func interruptedEarly(whileAsked: Bool) async throws {
    let rooms = [Sample.room(1), Sample.room(2)]
    let interrupts = Once()
    let run = try await rehearse(
      [[], []], rooms: rooms, assignment: .any,
      asking: { backstage in
        backstage.interrupt()
        // The question stays open until the run withdraws it.
        try? await backstage.clock.sleep(for: .seconds(3600))
      },
      during: { backstage, _ in if !whileAsked, await interrupts.isFirst() { backstage.interrupt() } }
    ).expectInvariants()
    #expect(run.result.outcome == .interrupted)
    #expect(run.result.rooms.map(\.outcome) == [.cancelled, .cancelled])
    #expect(run.writes.isEmpty)
    #expect(run.endedAt.sinceZero < .seconds(15))
  }

  /// The events at which the operator may press Ctrl-C.
  static let instants: [String] = [
    "scan_started", "binding_committed", "attempt_started", "stage_started connect",
    "stage_started discover",
    "stage_started ready", "stage_started write", "setting_written", "save_submitted", "stage_started save",
    "stage_started verify", "proof_received", "retry_scheduled", "room_finished",
  ]

  @Test("an interrupted run leaves no link, and gives each room its outcome", arguments: instants)
  func interrupted(instant: String) async throws {
    // The second sensor loses its link once, so that there is a retry to interrupt; the last one never answers, so that
    // the run goes on.
    let rooms = Self.rooms + [Sample.room(4, address: 4)]
    let run = try await rehearse(
      [[], [.init(.drops(in: .write(2)), attempts: 1)], [], [.init(.neverAnswers)]], rooms: rooms,
      during: { backstage, event in
        if event.fact.label == instant { backstage.interrupt() }
      }
    ).expectInvariants()
    #expect(run.events.contains { $0.fact.label == instant })
    #expect(run.result.outcome == .interrupted)
    #expect(run.events.last?.fact == .runFinished(RunFinished(outcome: .interrupted)))
    // After the submission of SAVE the sensor may have changed; before it, it has not.
    for room in run.result.rooms where !room.outcome.isSuccess {
      let submitted = run.facts { if case .saveSubmitted(let fact) = $0 { fact } else { nil } }
        .contains { $0.1.room == room.room }
      #expect(room.outcome == (submitted ? .unconfirmed : .cancelled))
    }
  }

  // MARK: Adapters, stack, record

  @Test(
    "a run continues after any loss of its adapter, and charges no device for it",
    arguments: instants)
  func adapterLoss(instant: String) async throws {
    let once = Once()
    // The second sensor loses its link once, so that there is a back-off.
    let run = try await rehearse(
      [[], [.init(.drops(in: .write(2)), attempts: 1)], []], rooms: Self.rooms, retries: 1,
      during: { backstage, event in
        guard event.fact.label == instant, event.fact.room ?? "room-2" == "room-2", await once.isFirst()
        else {
          return
        }
        await backstage.world.setPowered(false, adapters[0].address)
        try? await backstage.clock.sleep(for: .seconds(5))
        await backstage.world.setPowered(true, adapters[0].address)
      }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
  }

  @Test(
    "the stack forgets leftovers on each adapter that returns, even if another adapter took over",
    arguments: instants)
  func swappedAdapters(instant: String) async throws {
    let once = Once()
    let run = try await rehearse(
      [[], [.init(.drops(in: .write(2)), attempts: 1)], []], rooms: Self.rooms,
      during: { backstage, event in
        guard event.fact.label == instant, event.fact.room ?? "room-2" == "room-2", await once.isFirst()
        else { return }
        let (world, first, second) = (backstage.world, adapters[0].address, adapters[1].address)
        await world.setPresent(false, first)
        await world.setPresent(false, second)
        backstage.after(.seconds(1)) { await world.setPresent(true, second, name: "hci0") }
        backstage.after(.seconds(2)) { await world.setPresent(true, first, name: "hci1") }
      }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
  }

  @Test("a run whose adapter does not return ends in an orderly way")
  func adapterGone() async throws {
    let run = try await rehearse(
      [[], [], []], rooms: Self.rooms, scenario: { $0.adapters = oneAdapter },
      request: { $0.parallel = 1 },
      during: { backstage, event in
        guard event.fact.label == "stage_started write", event.fact.room == "room-2" else { return }
        await backstage.world.setPresent(false, adapters[0].address)
      }
    ).expectInvariants()
    #expect(run.result.outcome == .aborted)
    #expect(run.result.radioFailure?.code == .adapterUnavailable(.absent))
    // Written, and not yet proved when the adapter was lost.
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(2)?.reason?.code == .adapterLost)
    #expect(run.outcome(3)?.outcome == .pending)
  }

  @Test("a run waits for an adapter, records that, and continues when it appears")
  func adapterAwaited() async throws {
    let run = try await rehearse(
      [[]],
      scenario: {
        $0.adapters = oneAdapter
        $0.adapters[0].isPowered = false
      },
      during: { backstage, event in
        if case .adapterAwaited = event.fact {
          try? await backstage.clock.sleep(for: .seconds(3))
          await backstage.world.setPowered(true, adapters[0].address)
        }
      })
    #expect(run.result.outcome == .complete)
    let awaited = run.facts { if case .adapterAwaited(let fact) = $0 { fact } else { nil } }
    #expect(awaited.map(\.1.problem) == [.poweredOff])
  }

  @Test("a run gives up when no adapter appears in time", arguments: [true, false])
  func noAdapter(isPresent: Bool) async throws {
    let run = try await rehearse(
      [[]],
      scenario: {
        $0.adapters = oneAdapter
        $0.adapters[0].isPresent = isPresent
        $0.adapters[0].isBlocked = true
      },
      timeout: .seconds(5))
    #expect(run.result.outcome == .aborted)
    #expect(run.result.radioFailure?.code == .adapterUnavailable(isPresent ? .blocked : .absent))
    #expect(run.outcome(1)?.outcome == .pending)
  }

  @Test("a run submits nothing after a failure of the record at any event", arguments: Array(1...40))
  func recordFailure(from number: Int) async throws {
    let run = try await rehearse([[], []], recordFailsFrom: number)
    #expect(run.result.recordFailure == RecordFailure("the disk is full"))
    #expect(run.result.outcome == .aborted)
    #expect(run.events.count == number - 1)
    #expect(run.openLinks == 0)
    #expect(run.result.rooms.map(\.room) == ["room-1", "room-2"])
    let intents = run.facts { if case .saveSubmitted(let fact) = $0 { fact } else { nil } }
    let saves = run.writes.filter { $0.value == Array("SAVE".utf8) }
    #expect(saves.count <= intents.count)
  }
}

/// The events as a journal has them.
private func encoded(_ events: [RunEvent]) throws -> [Data] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return try events.map { try encoder.encode($0) }
}

/// True for the first call only.
actor Once {
  private var isUsed = false
  func isFirst() -> Bool {
    defer { isUsed = true }
    return !isUsed
  }
}

extension Fact {
  /// The kind, with the stage if there is one.
  var label: String {
    if case .stageStarted(let fact) = self { return "stage_started \(fact.stage.rawValue)" }
    return kind.rawValue
  }
}
