import Bluetooth
import Engine
import Model
import Simulation
import Testing
import VirtualBuilding

/// A beacon keeps each write at once: an interruption leaves a mixture of old and new values that the next
/// attempt must recognise.
@Suite("beacons that were partly written") struct BeaconRepairScenarios {
  /// The values of the beacon before the run.
  enum Past: String, CaseIterable, Sendable {
    case factory
    /// The settings of an earlier run for the same room, all different from the present ones.
    case renumbered
    /// Foreign settings that the operator permitted to overwrite, once.
    case foreign
  }

  /// Before and after each write.
  static let writes = (1...3).flatMap { [WriteMoment.before($0), .after($0)] }
  /// More than the number of events of a run.
  static let events = Array(1...46)

  static let room = Sample.beaconRoom(1, address: 1)
  private static let before = Sample.beaconRoom(
    1, address: 1, uuid: "4D6F6F72-0000-4C61-6D70-000000000007", major: 9, minor: 99, power: "low",
    interval: .seconds(1))

  private static func allowed(_ past: Past) -> RecordPermissions {
    RecordPermissions(renumber: true, overwrite: past == .foreign ? [room.id] : [])
  }

  /// Continues from that past.
  private func after(
    _ past: Past, retries: Int = 2,
    _ body: @escaping @Sendable (inout Succession, Room) async throws -> Void
  ) async throws {
    var room = Self.room
    room.retries = retries
    let holds = past == .foreign ? Sample.foreign : [:]
    try await succession([Sample.beaconDevice(1, holds: holds)]) { [room] succession in
      if past == .renumbered {
        #expect(await succession.run([Self.before]).outcome(1)?.outcome == .provisioned)
      }
      try await body(&succession, room)
    }
  }

  /// The next run completes the rest without another permission.
  private func expectMended(
    _ succession: inout Succession, _ room: Room, location: SourceLocation = #_sourceLocation
  ) async {
    let run = await succession.run([room], allowing: .init(renumber: true)).expectInvariants(
      sourceLocation: location)
    #expect(run.result.outcome == .complete, sourceLocation: location)
    #expect(FirmwareFamily.of(room).holds(run.flashes[Sample.address(1)], room), sourceLocation: location)
    let next = await succession.run([room])
    #expect(next.outcome(1)?.outcome == .alreadyProvisioned, sourceLocation: location)
    #expect(next.connected.isEmpty && next.writes.isEmpty, sourceLocation: location)
  }

  @Test(
    "a partly written beacon is completed by the next attempt, which writes only the rest",
    arguments: Past.allCases, writes)
  func nextAttempt(_ past: Past, _ moment: WriteMoment) async throws {
    try await after(past) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past), cut: moment).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .provisionedAfterRetry && finished.attempts == 2)
      #expect(finished.evidence?.grade == .freshBeacon)
      #expect(finished.settings.allSatisfy { $0.state == .proved })
      #expect(FirmwareFamily.of(room).holds(run.flashes[Sample.address(1)], room))
      // A write that never arrived does not count.
      #expect(run.writes.count == 3)
    }
  }

  @Test("a partly written beacon is completed by the next run", arguments: Past.allCases, writes)
  func nextRun(_ past: Past, _ moment: WriteMoment) async throws {
    try await after(past, retries: 0) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past), cut: moment).expectInvariants()
      #expect(run.outcome(1)?.outcome == .failed)
      #expect(run.outcome(1)?.reason?.code == .linkLost)
      await expectMended(&succession, room)
    }
  }

  @Test(
    "a beacon whose run was killed at a write is completed by the next run",
    arguments: Past.allCases, writes)
  func killedWriting(_ past: Past, _ moment: WriteMoment) async throws {
    try await after(past) { succession, room in
      #expect(await succession.runUntilKilled([room], write: moment, allowing: Self.allowed(past)))
      await expectMended(&succession, room)
    }
  }

  @Test(
    "a beacon whose run was killed at any event is completed by the next run",
    arguments: Past.allCases, events)
  func killed(_ past: Past, _ number: Int) async throws {
    try await after(past) { succession, room in
      let wasKilled = await succession.runUntilKilled(
        [room], event: number, left: number % 2 == 0 ? 1 : 0, allowing: Self.allowed(past))
      #expect(wasKilled || number > 35, "a run has more than 35 events")
      let wasBegun = succession.record.last?.contains {
        if case .saveSubmitted = $0.fact { true } else { false }
      }
      if past == .foreign, wasBegun != true {
        // Nothing was written, so the foreign settings stay: the permission was for that run.
        let run = await succession.run([room]).expectInvariants()
        #expect(run.outcome(1)?.reason?.code == .foreignSettings && run.writes.isEmpty)
      } else {
        await expectMended(&succession, room)
      }
    }
  }

  @Test(
    "a partly written beacon is never reported as better, however the run ends, and is completed later",
    arguments: Past.allCases, events)
  func interrupted(_ past: Past, _ number: Int) async throws {
    try await after(past) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past)) { backstage, event in
        if event.sequence == number { backstage.interrupt() }
      }.expectInvariants()
      await Self.expectHonest(&succession, room, run, past, .interrupted)
    }
  }

  @Test(
    "a partly written beacon is never reported as better after an adapter loss, and is completed later",
    arguments: Past.allCases, events)
  func adapterGone(_ past: Past, _ number: Int) async throws {
    try await after(past) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past)) { backstage, event in
        guard event.sequence == number else { return }
        for adapter in adapters { await backstage.world.setPresent(false, adapter.address) }
      }
      // An entry of the stack on an absent adapter cannot be removed.
      run.expectInvariants([room])
      for adapter in adapters {
        await succession.world.setPresent(true, adapter.address, name: adapter.name)
      }
      await Self.expectHonest(&succession, room, run, past, .aborted)
    }
  }

  @Test("a beacon is done in the end when the adapter is off for a while", arguments: Past.allCases, events)
  func adapterOff(_ past: Past, _ number: Int) async throws {
    try await after(past) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past)) { backstage, event in
        if event.sequence == number { await backstage.switchOff(for: .seconds(10)) }
      }
      Self.expectRecovered(run, room)
    }
  }

  @Test("a beacon is done in the end when the stack restarts", arguments: Past.allCases, events)
  func stackRestart(_ past: Past, _ number: Int) async throws {
    try await after(past) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past)) { backstage, event in
        if event.sequence == number { await backstage.restartStack() }
      }
      Self.expectRecovered(run, room)
    }
  }

  @Test("a beacon is done in the end when the host is suspended meanwhile", arguments: Past.allCases, events)
  func hostSuspended(_ past: Past, _ number: Int) async throws {
    try await after(past, retries: 0) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past)) { backstage, event in
        if event.sequence == number { backstage.pause(HostPause(.suspended, seconds: 480)) }
      }
      Self.expectRecovered(run, room)
    }
  }

  private static func expectRecovered(_ run: Rehearsed, _ room: Room) {
    run.expectInvariants([room])
    #expect(run.result.outcome == .complete)
    #expect(run.outcome(1)?.outcome != .alreadyProvisioned, "the beacon was not provisioned before this run")
    #expect(run.writes.count == 3, "no write that arrived is repeated")
  }

  @Test(
    "a beacon gets no further write once the record fails, and is completed later",
    arguments: Past.allCases, events)
  func recordFailure(_ past: Past, _ number: Int) async throws {
    try await after(past) { succession, room in
      let run = await succession.run([room], allowing: Self.allowed(past), recordFailsFrom: number)
        .expectInvariants()
      let wasBegun = run.facts { if case .saveSubmitted = $0 { true } else { nil } }.isEmpty == false
      #expect(run.writes.isEmpty || wasBegun)
      if past != .foreign || wasBegun { await expectMended(&succession, room) }
    }
  }

  private static func expectHonest(
    _ succession: inout Succession, _ room: Room, _ run: Rehearsed, _ past: Past, _ outcome: RunOutcome
  ) async {
    let isDone = run.result.rooms.allSatisfy(\.outcome.isSuccess)
    #expect(run.result.outcome == (isDone ? .complete : outcome))
    let wasBegun = !run.facts { if case .saveSubmitted = $0 { true } else { nil } }.isEmpty
    if !isDone {
      #expect((run.outcome(1)?.outcome == .unconfirmed) == wasBegun, "\(run.result.rooms)")
    }
    if past != .foreign || wasBegun { await Self().expectMended(&succession, room) }
  }

  @Test("a partly written beacon that is not received any more stays unconfirmed")
  func lost() async throws {
    try await after(.factory) { succession, room in
      let run = await succession.run([room], cut: .after(2)) { backstage, event in
        if case .attemptEnded = event.fact { await backstage.world.setMuted(true, Sample.address(1)) }
      }.expectInvariants()
      #expect([.unconfirmed, .failed].contains(run.outcome(1)?.outcome))
      await succession.world.setMuted(false, Sample.address(1))
      await expectMended(&succession, room)
    }
  }

  @Test("a partly written beacon whose connections all fail stays unconfirmed")
  func deaf() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await succession([Sample.beaconDevice(1)]) { succession in
      let run = await succession.run([room], cut: .after(1)) { backstage, event in
        // It advertises, and its links fail.
        if case .stageStarted(let fact) = event.fact, fact.stage == .connect,
          await backstage.world.writes.count > 0
        {
          await backstage.world.setMuted(true, Sample.address(1))
          backstage.after(.seconds(18)) { await backstage.world.setMuted(false, Sample.address(1)) }
        }
      }.expectInvariants()
      #expect(run.outcome(1)?.outcome == .unconfirmed)
      #expect([.connectTimedOut, .connectFailed].contains(run.outcome(1)?.reason?.code))
    }
  }

  /// From campaign seed 18433192868682437537 (two laptops): the last answer is lost with the adapter.
  @Test("a beacon that this run wrote is not already provisioned, although the record has the same settings")
  func writtenAgain() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await succession([Sample.beaconDevice(1)]) { succession in
      #expect(await succession.run([room]).outcome(1)?.outcome == .provisioned)
      // A factory reset; then the answer to the last write is lost.
      await succession.world.pressButton(Sample.address(1))
      await succession.world.setFaults([.drops(in: .confirm(3))], of: Sample.address(1))
      let run = await succession.run([room]) { backstage, event in
        if case .attemptEnded = event.fact { await backstage.world.setFaults([], of: Sample.address(1)) }
      }.expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisionedAfterRetry)
      #expect(run.outcome(1)?.attempts == 2)
      #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .proved } == true)
    }
  }
}
