import Bluetooth
import Foundation
import Model
import Session
import Testing

@testable import Engine

/// The states of rooms, input by input.
@Suite("decisions about rooms") struct RoomDecisionTests {
  typealias Driver = MachineDriver
  static let hci0 = Driver.hci0
  private func attempt(_ room: Int, _ number: Int = 1) -> AttemptID { Driver.attempt(room, number) }

  @Test("a room goes from its first sighting to its proof")
  func healthy() {
    var run = Driver(rooms: 1)
    #expect(run.state(1) == .queued)
    run.window([1])
    #expect(run.state(1) == .connecting)
    run.send(.connected(attempt(1)), at: 1.6)
    #expect(run.state(1) == .connected)
    #expect(run.submit(attempt(1), at: 4).scans == [Self.hci0])
    #expect(run.state(1) == .proving)
    run.send(.scanBegan(Self.hci0), at: 4.1)
    #expect(run.receiveBeacon(1, at: 5).contains(.endScan(Self.hci0)))
    #expect(run.outcome(1)?.outcome == .provisioned)
    let effects = run.send(.scanEnded(nil, Self.hci0), at: 5.1)
    #expect(
      effects.contains {
        if case .finish(.applied(let result)) = $0 { result.outcome == .complete } else { false }
      })
    #expect(run.facts.last == .runFinished(.init(outcome: .complete)))
  }

  @Test("a room has its binding on record before its attempt, and contradicting bindings are released first")
  func binding() {
    let room = Sample.room(1, address: 1)
    var run = Driver(rooms: 1) {
      $0.known = Known(
        lastKnown: .init(rooms: [room.id: lastKnown("Room 1", device: 9), "old": lastKnown("Old", device: 1)]
        ),
        permissions: .init(rebind: [room.id]))
    }
    run.window([1])
    let kinds: Set<Fact.Kind> = ["binding_released", "binding_committed", "attempt_started"]
    let facts = run.facts.filter { kinds.contains($0.kind) }
    #expect(
      facts.dropLast() == [
        .bindingReleased(.init(room: room.id, address: Sample.address(9), cause: .rebound)),
        .bindingReleased(.init(room: "old", address: Sample.address(1), cause: .rebound)),
        .bindingCommitted(.init(room: room.id, address: Sample.address(1), basis: .address)),
      ])
    #expect(facts.last?.kind == "attempt_started")
  }

  @Test(
    "a binding on record is recorded again only if another room has the device, too",
    arguments: [false, true])
  func recordedBinding(isShared: Bool) {
    let room = Sample.room(1, address: 1)
    var rooms = [room.id: lastKnown("Room 1", device: 1)]
    if isShared { rooms["old"] = lastKnown("Old", device: 1) }
    var run = Driver(rooms: 1) {
      $0.known = Known(lastKnown: .init(rooms: rooms), permissions: .init(rebind: [room.id]))
    }
    run.window([1])
    let kinds: Set<Fact.Kind> = ["binding_released", "binding_committed"]
    let facts = run.facts.map(\.kind).filter { kinds.contains($0) }
    #expect(facts == (isShared ? ["binding_released", "binding_committed"] : []))
  }

  /// What the record has of a room with this device.
  private func lastKnown(_ name: String, device number: UInt64) -> LastKnownRoom {
    var lastKnown = LastKnownRoom(name: name, profile: Sample.room(1).family.id)
    let address = Sample.address(number)
    lastKnown.bindings = [.init(address: address, basis: .any, run: "run-1", at: .distantPast)]
    return lastKnown
  }

  @Test(
    "the wait for a proof ends exactly after its timeout of scan time, also if the adapter is lost meanwhile",
    arguments: [false, true])
  func overdueProof(isReplugged: Bool) {
    var quick = Sample.room(2, address: 2)
    quick.timeouts.verify = .seconds(20)
    var run = Driver(rooms: 1, more: [quick])
    run.window([1, 2])
    for (room, second) in [(1, 1.6), (2, 1.9)] { run.send(.connected(attempt(room)), at: second) }
    for room in [1, 2] { run.submit(attempt(room), at: 4) }
    var session = Self.hci0
    /// Scans from an instant on, and receives a device of nobody.
    func scan(from second: Double) {
      run.send(.scanBegan(session), at: second)
      run.receive([9], on: session, at: second + 1)
    }
    func endScan(at second: Double) {
      run.pass(at: second)
      run.send(.scanEnded(nil, session), at: second)
    }
    scan(from: 10)
    endScan(at: 18)
    if isReplugged {
      run.send(.adapters(.success([])), at: 50)
      run.send(.adapters(.success([Driver.adapter(Self.hci0)])), at: 50.1)
      session = Driver.hci0Again
      run.use(session, at: 50.1)
    }
    scan(from: 110)
    endScan(at: 118)
    scan(from: 210)
    #expect(run.wake == 214)
    run.pass(at: 213.9)
    #expect(run.state(2) == .proving)
    run.pass(at: 214)
    #expect(run.outcome(2)?.outcome == .unconfirmed)
    endScan(at: 218)
    scan(from: 310)
    run.pass(at: 315.9)
    #expect(run.state(1) == .proving)
    run.pass(at: 316)
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.reason?.code == .notReceivedAfterSave)
  }

  @Test("a room is given up once every adapter has scanned for twice its search timeout")
  func silence() {
    var quick = Sample.room(2, address: 2)
    quick.timeouts.search = .seconds(10)
    var run = Driver(rooms: 1, more: [quick])
    for second in [0.0, 8, 16] {
      run.receive([9], at: second + 1)
      if second == 16 {
        #expect(run.wake == 20)
        run.pass(at: 19.9)
        #expect(run.state(2) == .queued)
        run.pass(at: 20)
        #expect(run.outcome(2)?.reason?.code == .neverReceived)
      }
      run.pass(at: second + 8)
      run.send(.scanEnded(nil, Self.hci0), at: second + 8)
      run.send(.scanBegan(Self.hci0), at: second + 8)
    }
    run.receive([9], at: 25)
    run.pass(at: 29.9)
    #expect(run.state(1) == .queued)
    run.pass(at: 30)
    #expect(run.outcome(1)?.reason?.code == .neverReceived)
  }

  @Test("a room whose attempt failed goes to the back of the queue")
  func queue() {
    var run = Driver(rooms: 3, slots: 1)
    #expect(run.window([1, 2, 3]).begun == [attempt(1)])
    #expect(run.fail(attempt(1), .connectTimedOut(), at: 4).begun == [attempt(2)])
    run.receive([1], at: 5)
    run.pass(at: 6.1)
    #expect(run.state(1) == .backingOff || run.state(1) == .queued)
    #expect(run.submit(attempt(2), at: 7).begun == [attempt(3)], "rooms with fewer attempts go first")
  }

  @Test("a failure that the host may have caused is classified 2 s later")
  func classification() {
    var run = Driver(rooms: 1, retries: 0)
    run.window([1])
    run.fail(attempt(1), .linkLost(FailedStep(.write)), at: 2)
    #expect(run.state(1) == .diagnosing)
    // The adapter turns out to be lost 0.5 s later.
    run.send(.adaptersChanged, at: 2.5)
    run.send(.adapters(.success([])), at: 2.5)
    run.pass(at: 4)
    #expect(run.state(1) == .queued, "a failure of the host costs no retry")
    #expect(ended(run) == [.adapterLost])
  }

  @Test(
    "the stack is the cause of a failure until 2 s after its loss",
    arguments: [(4.0, FailureReason.Code.stackLost), (4.001, .adapterLost)])
  func stackLost(second: Double, expected: FailureReason.Code) {
    var run = Driver(rooms: 1)
    run.window([1])
    run.send(.connected(attempt(1)), at: 1.6)
    run.send(.adapters(.failure(CentralError(.stackUnavailable))), at: 2)
    run.fail(attempt(1), .linkLost(FailedStep(.write)), at: second)
    #expect(ended(run) == [expected])
  }

  @Test(
    "the end of the link decides the cause of a failure while the adapter is in use",
    arguments: [
      (Disconnection.Cause.remote, FailureReason.Code.linkLost), (.adapterLost, .adapterLost),
      (.stackLost, .stackLost),
    ])
  func linkEnd(_ end: Disconnection.Cause, _ expected: FailureReason.Code) {
    var run = Driver(rooms: 1, retries: 0)
    run.window([1])
    run.send(.connected(attempt(1)), at: 1.6)
    run.fail(attempt(1), .linkLost(FailedStep(.write)), link: end, at: 2)
    #expect(run.facts.contains(.linkEnded(.init(room: "room-1", attempt: 1, cause: end, expected: false))))
    run.pass(at: 4)
    #expect(ended(run) == [expected])
    #expect(run.state(1) == (end == .remote ? .finished : .queued), "a failure of the host costs no retry")
    #expect(run.machine.radios.leftovers.isEmpty == (end == .remote), "a lost stack forgets nothing")
  }

  @Test(
    "a session that the run ended for the host fails for that, unless the record failed",
    arguments: [
      (AttemptEnd.hostPaused, FailureReason.Code.hostPaused), (.adapterLost, .adapterLost),
      (.stopped, .interrupted),
    ])
  func endedForTheHost(_ end: AttemptEnd, _ expected: FailureReason.Code) {
    for (seen, expected) in [
      (FailureReason.interrupted(.during(FailedStep(.write))), expected),
      (.recordUnwritable(.idle()), .recordUnwritable),
    ] {
      var run = Driver(rooms: 1)
      run.window([1])
      run.send(.connected(attempt(1)), at: 1.6)
      run.fail(attempt(1), seen, endedFor: end, at: 2)
      run.pass(at: 4)
      #expect(ended(run) == [expected])
    }
  }

  /// The failures of the attempts so far.
  private func ended(_ run: Driver) -> [FailureReason.Code] {
    run.facts.compactMap { if case .attemptEnded(let fact) = $0 { fact.failure?.code } else { nil } }
  }

  @Test("a room ends when its failure was not the host's and no retry is left")
  func exhausted() {
    var run = Driver(rooms: 1, retries: 0)
    run.window([1])
    run.fail(attempt(1), .linkLost(FailedStep(.write)), at: 2)
    run.pass(at: 4)
    #expect(run.outcome(1)?.outcome == .failed)
  }

  @Test("a room without retries rests in a watching run until its device is 10 dB stronger")
  func watched() {
    var run = Driver(rooms: 1, retries: 0) { $0.isWatching = true }
    run.window([1])
    run.fail(attempt(1), .connectTimedOut(), at: 4)
    run.send(.scanBegan(Self.hci0), at: 4.1)
    run.pass(at: 6)
    #expect(run.state(1) == .diagnosing, "the only adapter may be deaf")
    run.receive([1], at: 6.1)
    #expect(run.state(1) == .exhausted && run.machine.admission.failures == 1)
    run.receive([1], rssi: -45, at: 7)
    #expect(run.state(1) == .exhausted, "the RSSI was -50 dBm before")
    #expect(run.receive([1], rssi: -40, at: 8) == [.endScan(Self.hci0)], "it connects at once")
    #expect(run.state(1) == .queued && run.machine.admission.failures == 0)
  }

  @Test("a room without retries gets new ones when its device returns after 20 s of scanning")
  func returned() {
    var run = Driver(rooms: 1, retries: 0) { $0.isWatching = true }
    run.window([1])
    run.fail(attempt(1), .connectTimedOut(), at: 4)
    run.send(.scanBegan(Self.hci0), at: 4.1)
    run.receive([9], at: 5)
    run.pass(at: 6)
    for number in 0...4 {
      let begin = 4.1 + Double(number) * 8
      // Windows without any report would be those of a deaf adapter.
      run.receive([9], at: begin + 7)
      run.pass(at: begin + 8)
      run.send(.scanEnded(nil, Self.hci0), at: begin + 8)
      run.send(.scanBegan(Self.hci0), at: begin + 8)
      // 16 s of scanning after its last attempt, then 7 s after this sighting.
      if number == 1 { run.receive([1], at: 22) }
      if number == 2 { run.receive([1], at: 29) }
      #expect(run.state(1) == .exhausted)
    }
    #expect(run.receive([1], at: 49) == [.endScan(Self.hci0)])
    #expect(run.state(1) == .queued)
  }

  @Test("a device that a stopped watching run never received leaves its room pending")
  func stoppedWatching() {
    var run = Driver(rooms: 4, slots: 1) { $0.isWatching = true }
    run.window([1, 2, 4])
    run.fail(attempt(1), .connectTimedOut(), at: 4)
    run.send(.requested(.stop), at: 5)
    run.fail(attempt(2), .interrupted(.during(FailedStep(.connect))), endedFor: .stopped, at: 5.1)
    run.pass(at: 6.1)
    #expect((1...4).map { run.outcome($0)?.outcome } == [.cancelled, .cancelled, .pending, .cancelled])
  }

  @Test("after too many failures no room begins, and attempts in flight continue")
  func tooManyFailures() {
    var run = Driver(rooms: 4, retries: 0, slots: 2) {
      $0.failureLimit = 0
    }
    run.window([1, 2, 3, 4])
    run.send(.connected(attempt(1)), at: 1.5)
    run.fail(attempt(2), .connectTimedOut(), at: 5)
    #expect(run.state(3) == .queued, "no room begins before the failure is classified")
    run.pass(at: 7)
    #expect(run.outcome(2)?.outcome == .unreachable)
    #expect(run.outcome(3)?.reason?.code == .tooManyFailures)
    #expect(run.state(1) == .connected)
  }

  @Test("a device that was written delays no other room under a failure limit")
  func writtenUnderLimit() {
    var run = Driver(rooms: 2, slots: 1) { $0.failureLimit = 0 }
    run.window([1, 2])
    run.send(.connected(attempt(1)), at: 1.6)
    let submission = Submission(at: Driver.at(3), acknowledgement: .savedStatus)
    let report = AttemptResult(result: .success(submission), wasSubmitted: true, hasLink: true)
    run.send(.sessionEnded(report, attempt(1)), at: 3)
    #expect(run.send(.linkEnded(.remote, attempt(1)), at: 3.1).begun == [attempt(2)])
  }

  @Test("a proof that its device contradicts makes the room one that failed")
  func withdrawn() {
    var run = Driver(rooms: 2) { $0.failureLimit = 0 }
    run.window([1])
    run.send(.connected(attempt(1)), at: 1.6)
    run.submit(attempt(1), at: 4)
    run.send(.scanBegan(Self.hci0), at: 4.1)
    run.receiveBeacon(1, at: 5)
    #expect(run.outcome(1)?.outcome == .provisioned && run.state(2) == .queued)
    run.receiveBeacon(9, from: 1, at: 6)
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(2)?.reason?.code == .tooManyFailures)
  }

  @Test("the first rooms are those whose device was received, and a single further one waits, too")
  func firstRooms() {
    var run = Driver([Sample.room(1, address: 1), Sample.room(2, address: 2)]) { $0.canaries = 1 }
    #expect(run.survey([2]).begun == [attempt(2)])
    #expect(run.state(1) == .deferred)
    run.send(.connected(attempt(2)), at: 1)
    run.submit(attempt(2), at: 3)
    run.send(.scanBegan(Self.hci0), at: 3.1)
    let effects = run.receiveBeacon(2, at: 4)
    #expect(
      effects.contains { if case .judge(let first) = $0 { first.map(\.room) == ["room-2"] } else { false } })
    #expect(run.state(1) == .deferred)
    run.send(.judged(true), at: 5)
    let facts = run.facts.count
    run.send(.judged(false), at: 6)
    #expect(run.state(1) == .queued && run.facts.count == facts, "nobody asked again")
  }

  @Test("a connected room gets time to complete when the run is asked to stop")
  func stopped() {
    var run = Driver(rooms: 2, slots: 1)
    run.window([1, 2])
    run.send(.connected(attempt(1)), at: 1.5)
    #expect(run.send(.requested(.stop), at: 2) == [.withdrawQuestions])
    #expect(run.send(.requested(.pause), at: 3).isEmpty, "a run that stops is not paused")
    #expect(!run.facts.contains(.operatorRequested(.init(.pause))), "and the record has no pause")
    #expect(run.pass(at: 21.9).isEmpty)
    #expect(run.pass(at: 22) == [.withdrawQuestions, .endAttempt(attempt(1), .stopped)])
    let last = run.fail(attempt(1), .interrupted(.during(FailedStep(.write))), at: 22.1)
    #expect(last.contains { if case .finish = $0 { true } else { false } })
    #expect(run.outcome(1)?.outcome == .cancelled && run.outcome(2)?.outcome == .cancelled)
  }

  @Test("a room without a link gets its outcome at once when the run is asked to stop")
  func stoppedWithoutLink() {
    var run = Driver(rooms: 2, slots: 1)
    run.window([1, 2])
    #expect(run.state(1) == .connecting)
    #expect(run.send(.requested(.stop), at: 2) == [.withdrawQuestions, .endAttempt(attempt(1), .stopped)])
    let last = run.fail(attempt(1), .interrupted(.during(FailedStep(.connect))), at: 2.1)
    #expect(last.contains { if case .finish = $0 { true } else { false } })
    #expect(run.outcome(1)?.outcome == .cancelled && run.outcome(2)?.outcome == .cancelled)
  }

  @Test("a stop request after the save lets the proof finish within the recorded time")
  func stoppedWhileProving() {
    var run = Driver(rooms: 2)
    run.window([1])
    run.send(.connected(attempt(1)), at: 1.6)
    run.submit(attempt(1), at: 4)
    run.send(.scanBegan(Self.hci0), at: 4.1)
    run.send(.requested(.stop), at: 4.5)
    #expect(run.facts.last == .operatorRequested(.init(.stop, within: 20)))
    #expect(run.state(1) == .proving)
    run.receiveBeacon(1, at: 5)
    #expect(run.outcome(1)?.outcome == .provisioned)
    run.send(.scanEnded(nil, Self.hci0), at: 5.1)
    #expect(run.outcome(2)?.outcome == .cancelled)
  }

  @Test("a lost record during a stop ends the remaining attempts at once")
  func recordLostDuringStop() {
    var run = Driver(rooms: 1)
    run.window([1])
    run.send(.connected(attempt(1)), at: 1.5)
    run.send(.requested(.stop), at: 2)
    let effects = run.send(.recordFailed(RecordFailure("disk full")), at: 3)
    #expect(effects.contains(.endAttempt(attempt(1), .stopped)), "\(effects)")
  }

  @Test("no attempt begins before a paused run is resumed")
  func paused() {
    var run = Driver(rooms: 2, slots: 1)
    for second in [0.4, 0.5] { run.send(.requested(.pause), at: second) }
    #expect(run.facts.count { $0 == .operatorRequested(.init(.pause)) } == 1)
    run.window([1, 2])
    #expect(run.state(1) == .queued && run.state(2) == .queued)
    run.pass(at: 200)
    #expect(run.state(1) == .queued && run.state(2) == .queued, "a paused run gives no room up")
    run.send(.requested(.resume), at: 201)
    #expect(run.outcome(1) == nil)
  }

  @Test("a room with `assign: any` begins only after the confirmation")
  func confirmation() {
    let rooms = [Sample.room(1), Sample.room(2)]
    var run = Driver(rooms) { $0.building.assignment = .any }
    run.start()
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1, 2], at: 0.2)
    #expect(run.pass(at: 0.6) == [.endScan(Self.hci0)])
    let effects = run.send(.scanEnded(nil, Self.hci0), at: 0.7)
    guard case .confirm(let proposals)? = effects.first else { return #expect(Bool(false), "\(effects)") }
    #expect(proposals.map(\.room.id) == rooms.map(\.id))
    #expect(run.pass(at: 30) == [], "a pending question permits no scan")
    run.send(.confirmed(nil), at: 31)
    #expect(run.outcome(1)?.reason?.code == .notConfirmed)
    #expect(run.send(.confirmed(.answer), at: 32) == [], "a second confirmation has no effect")
  }

  @Test(
    "a device that appears later is asked about once, and the answer has no effect on a room that ended",
    arguments: [false, true])
  func lateConfirmation(isStopped: Bool) {
    var run = Driver([Sample.room(1, address: 1, retries: 0), Sample.room(2)]) {
      ($0.building.assignment, $0.isWatching, $0.failureLimit) = (.any, true, 0)
    }
    #expect(run.survey([1]).begun == [attempt(1)])
    run.send(.connected(attempt(1)), at: 1)
    run.receive([2], at: 1.5)
    func asks(_ effects: [RunEffect]) -> Bool {
      effects.contains { if case .confirm = $0 { true } else { false } }
    }
    #expect(asks(run.pass(at: 2.7)))
    #expect(!asks(run.pass(at: 4.8)), "the question is pending")
    if isStopped {
      run.send(.requested(.stop), at: 5)
    } else {
      run.fail(attempt(1), .refused(stage: .save, deviceText: "error:no"), at: 5)
    }
    let outcome = run.outcome(2)
    #expect((outcome == nil) == isStopped)
    #expect(run.send(.confirmed(.answer), at: 6).begun == [])
    #expect(run.outcome(2) == outcome && run.state(2) == (isStopped ? .open : .finished))
  }

  @Test("a room in a run that only plans ends in the plan")
  func plan() throws {
    var run = Driver([Sample.room(1, address: 1)], goal: .plan)
    run.start()
    run.send(.scanBegan(Self.hci0), at: 0.1)
    run.receive([1], at: 0.2)
    run.send(.requested(.pause), at: 0.3)
    run.pass(at: 0.6)
    let effects = run.send(.scanEnded(nil, Self.hci0), at: 0.7)
    guard case .finish(.planned(.success(let plan)))? = effects.last else {
      return #expect(Bool(false), "\(effects)")
    }
    #expect(plan.rooms.map(\.action) == [.provision])
    let kinds = Set(run.facts.map(\.kind))
    #expect(kinds.isDisjoint(with: ["run_started", "operator_requested"]))
  }
}
