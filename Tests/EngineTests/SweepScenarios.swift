import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding
import VirtualTime

/// The same fault at every moment: after each event of a run in turn, and at instants between them.
@Suite("faults at every moment of a run") struct SweepScenarios {
  static let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2)]
  /// The second sensor loses its link once, so that there is a back-off and a retry.
  static let faults: [[ScheduledFault]] = [[], [.init(.drops(in: .write(2)), attempts: 1)]]
  /// More than the number of events of an undisturbed run.
  static let everyEvent = Array(1...95)
  /// Every third event, from this one on.
  static func everyThird(from first: Int) -> [Int] { Array(stride(from: first, through: 95, by: 3)) }

  @Test("a run has fewer events than the sweep covers")
  func undisturbed() async throws {
    let run = try await rehearse(Self.faults, rooms: Self.rooms).expectInvariants()
    #expect(run.events.count < Self.everyEvent.count)
    #expect(run.events.count > Self.everyEvent.count - 15)
  }

  @Test("an interruption after any event leaves a consistent state", arguments: everyEvent)
  func interrupted(after number: Int) async throws {
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in if event.sequence == number { backstage.interrupt() } })
    expectInterrupted(run, at: run.events.first { $0.sequence == number }?.elapsed)
  }

  @Test("an interruption at any instant leaves a consistent state", arguments: 0...70)
  func interrupted(at step: Int) async throws {
    let instant = Duration.milliseconds(173) * step
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in
        if event.sequence == 1 {
          backstage.after(instant - backstage.clock.now.sinceZero, backstage.interrupt)
        }
      })
    expectInterrupted(run, at: instant)
  }

  private func expectInterrupted(_ run: Rehearsed, at instant: Duration?) {
    run.expectInvariants(Self.rooms)
    // A run that was done nevertheless is complete.
    let isDone = run.result.rooms.allSatisfy(\.outcome.isSuccess)
    #expect(run.result.outcome == (isDone ? .complete : .interrupted))
    let submitted = Set(
      run.facts { if case .saveSubmitted(let fact) = $0 { fact.room } else { nil } }.map(\.1))
    for room in run.result.rooms where !room.outcome.isSuccess {
      #expect(room.outcome == (submitted.contains(room.room) ? .unconfirmed : .cancelled))
      #expect(room.reason?.code == .interrupted)
    }
    // The run waits only for attempts in flight and for a disconnect, which takes up to 2.8 s.
    let bound = Duration.seconds(20 + 4)
    if let instant { #expect(run.endedAt.sinceZero - instant < bound || isDone) }
  }

  @Test("a run completes when the adapter is off for a while after any event", arguments: everyThird(from: 1))
  func adapterOff(after number: Int) async throws {
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in
        if event.sequence == number { await backstage.switchOff(for: .seconds(25)) }
      })
    expectRecovered(run)
  }

  @Test(
    "a run completes when the adapter is unplugged for a while after any event",
    arguments: everyThird(from: 2))
  func adapterOut(after number: Int) async throws {
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in
        guard event.sequence == number else { return }
        await backstage.world.setPresent(false, adapters[0].address)
        backstage.after(.seconds(5)) {
          await backstage.world.setPresent(true, adapters[0].address, name: "hci1")
        }
      })
    expectRecovered(run)
  }

  @Test("a run completes when the stack restarts after any event", arguments: everyEvent)
  func stackRestart(after number: Int) async throws {
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in if event.sequence == number { await backstage.restartStack() } })
    expectRecovered(run)
  }

  /// Every room is done in the end, and no failure of the host is charged to a device.
  private func expectRecovered(_ run: Rehearsed) {
    run.expectInvariants(Self.rooms)
    #expect(run.result.outcome == .complete)
    for failure in run.attemptFailures {
      #expect([.adapterLost, .stackLost, .linkLost].contains(failure.code))
      if failure.code == .linkLost { #expect(failure.stage == .write) }
    }
  }

  @Test(
    "a run ends in an orderly way when the adapter is lost for good after any event",
    arguments: everyThird(from: 3))
  func adapterGone(after number: Int) async throws {
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in
        if event.sequence == number { await backstage.world.setPresent(false, adapters[0].address) }
      })
    expectAborted(run, .adapterUnavailable(.absent))
  }

  @Test(
    "a run ends in an orderly way when the stack is lost for good after any event",
    arguments: everyThird(from: 1))
  func stackGone(after number: Int) async throws {
    let run = try await rehearse(
      Self.faults, rooms: Self.rooms,
      during: { backstage, event in if event.sequence == number { await backstage.world.stopStack() } })
    expectAborted(run, .stackUnavailable)
  }

  private func expectAborted(_ run: Rehearsed, _ code: CentralError.Code) {
    run.expectInvariants(Self.rooms)
    if run.result.rooms.allSatisfy(\.outcome.isSuccess) { return #expect(run.result.outcome == .complete) }
    #expect(run.result.outcome == .aborted)
    #expect(run.result.radioFailure?.code == code)
    for room in run.result.rooms where !room.outcome.isSuccess {
      #expect([.pending, .failed, .unconfirmed].contains(room.outcome))
    }
    #expect(run.endedAt.sinceZero < .seconds(90))
  }

  @Test("a run submits nothing after a failure of the record at any event", arguments: everyEvent)
  func recordFailure(from number: Int) async throws {
    let run = try await rehearse(Self.faults, rooms: Self.rooms, recordFailsFrom: number).expectInvariants()
    guard run.events.last?.fact != .runFinished(RunFinished(outcome: .complete)) else {
      return #expect(run.result.recordFailure == nil && run.events.count < number)
    }
    #expect(run.result.recordFailure == RecordFailure("the disk is full"))
    #expect(run.result.outcome == .aborted)
    #expect(run.events.count == number - 1)
    // At most the device in progress is finished.
    let recorded = Set(run.facts { if case .roomFinished(let fact) = $0 { fact.room } else { nil } }.map(\.1))
    let done = run.result.rooms.filter { $0.outcome.isSuccess }
    #expect(done.count - recorded.count <= 1)
  }
}

extension Rehearsed {
  /// The failures of attempts, in order.
  var attemptFailures: [FailureReason] {
    facts { if case .attemptEnded(let fact) = $0 { fact.failure } else { nil } }.map(\.1)
  }
}
