import Bluetooth
import Model
import SampleFacts
import Session
import Testing

@testable import Engine

/// What a room knows of its device's last save.
@Suite("the save of a room") struct RoomWorkTests {
  private static func at(_ second: Int) -> MonotonicInstant { .init(sinceZero: .seconds(second)) }

  private static func report(
    _ result: Result<Submission, AttemptFailure>, wasSubmitted: Bool = true
  ) -> AttemptResult {
    var report = AttemptResult(result: result, wasSubmitted: wasSubmitted)
    report.written = ["minor"]
    return report
  }

  private static let refusal = FailureReason.refused(stage: .save, deviceText: "error:no")
  private static let saved = report(.success(Submission(at: at(1), acknowledgement: .savedStatus)))
  private static let open = report(.success(Submission(at: at(2), acknowledgement: nil)))
  private static let refused = report(.failure(AttemptFailure(refusal)))
  private static let lost = report(.failure(AttemptFailure(.linkLost(FailedStep(.write)))))
  private static let unneeded = report(
    .success(Submission(at: at(1), acknowledgement: .readBack, isUnchanged: true)), wasSubmitted: false)

  private func work(_ reports: AttemptResult...) -> RoomWork {
    var work = RoomWork(
      room: Sample.room(1, address: 1), address: Sample.address(1), basis: .address)
    for report in reports { work.take(report) }
    return work
  }

  @Test("a device is paired once it demands that, also after a write; a link that is lost then is no demand")
  func demand() {
    for (seen, written, pairs) in [
      (.pairingRequired(FailedStep(.write)), [], true),
      (.linkLost(FailedStep(.write)), [], true),
      (.pairingRequired(FailedStep(.write)), [.roomName], true),
      (.linkLost(FailedStep(.write)), [.roomName], false),
    ] as [(FailureReason, Set<SettingName>, Bool)] {
      var work = work()
      work.room.pairingDemand = .ifAsked
      work.written = written
      let counts = work.heed(seen)
      #expect(counts == seen)
      #expect(work.room.pairs == pairs && work.room.pairsIfAsked != pairs)
    }
  }

  @Test("only a later acknowledgement ends a refusal")
  func refusal() {
    #expect(
      work(Self.saved, Self.refused).save == .refused(Self.refusal, at: Self.at(1), isSubmittedSince: false))
    let since = work(Self.refused, Self.open)
    #expect(since.save == .refused(Self.refusal, at: Self.at(2), isSubmittedSince: true))
    #expect(since.refusal == Self.refusal && since.lastRefusal == nil)
    #expect(work(Self.refused, Self.lost).lastRefusal == Self.refusal)
    #expect(work(Self.refused, Self.saved).refusal == nil)
  }

  @Test(
    "a failed attempt that submitted leaves the acknowledgement of the earlier save, and none of its settings"
  )
  func failedAfterwards() {
    let work = work(Self.saved, Self.lost)
    #expect(work.acknowledgement?.grade == .savedStatus && work.acknowledged.isEmpty)
    #expect(work.submittedAt == Self.at(1))
  }

  @Test("a refusal that the device shows later takes its acknowledgement back, and leaves its first refusal")
  func contradicted() {
    var saved = work(Self.saved)
    saved.contradict(by: .linkLost(FailedStep(.write)))
    #expect(saved.refusal == nil && saved.acknowledgement != nil && saved.acknowledged.isEmpty)
    var refused = work(Self.saved)
    refused.contradict(by: Self.refusal)
    #expect(refused.lastRefusal == Self.refusal && refused.submittedAt == Self.at(1))
    refused.contradict(by: .refused(stage: .save, deviceText: "error:later"))
    #expect(refused.lastRefusal == Self.refusal)
  }

  @Test("a save that was refused, or not, after it was submitted")
  func problem() {
    let submission = Submission(at: Self.at(3), acknowledgement: nil, problem: Self.refusal)
    #expect(work(Self.report(.success(submission))).lastRefusal == Self.refusal)
    let lost = Submission(at: Self.at(3), acknowledgement: nil, problem: .linkLost(FailedStep(.write)))
    #expect(work(Self.report(.success(lost))).save == .submitted(at: Self.at(3)))
  }

  @Test("what earlier attempts wrote counts until the next save, and the highest security always")
  func severalAttempts() {
    var more = Self.report(.failure(AttemptFailure(.linkLost(FailedStep(.write)))), wasSubmitted: false)
    (more.written, more.sent, more.isAccepted, more.security) = (["major"], ["uuid"], true, 2)
    var work = work(Self.saved)
    #expect(!work.isAccepted && work.security == nil)
    work.take(more)
    #expect(work.written == ["minor", "major"] && work.sent == ["uuid"] && work.acknowledged == ["minor"])
    #expect(work.isAccepted && work.security == 2)
    var last = Self.saved
    last.security = 1
    work.take(last)
    #expect(work.written == ["minor"] && work.sent == ["uuid"] && work.security == 2)
  }

  @Test(
    "a device is silent once an attempt failed after more than 2 s and none had a link",
    arguments: [
      (1, 2_001, false, true), (1, 2_000, false, false), (0, 3_000, false, false), (1, 3_000, true, false),
    ])
  func silent(failures: Int, milliseconds: Int, hasLink: Bool, isSilent: Bool) {
    var work = work()
    var report = Self.lost
    report.hasLink = hasLink
    work.take(report)
    for _ in 0..<failures { work.budget.charge(.transient) }
    work.failedAfter = .milliseconds(milliseconds)
    #expect(work.isSilent == isSilent)
  }

  @Test("a save that the run ended for a pause of the host stays open for that; another problem stays itself")
  func judged() throws {
    let lost = FailureReason.linkLost(FailedStep(.write))
    for (problem, code) in [
      (FailureReason.interrupted(.during(FailedStep(.write))), FailureReason.Code.hostPaused),
      (lost, .linkLost),
    ] {
      var report = Self.report(.success(Submission(at: Self.at(1), acknowledgement: nil, problem: problem)))
      report.end = .hostPaused
      #expect(try report.judged.get().problem?.code == code)
      report.end = .stopped
      #expect(try report.judged.get().problem == problem)
    }
  }

  @Test("the device's beacon proves as much as its save and its earlier identity let it")
  func beacon() {
    let beacon = Evidence(
      grade: .freshBeacon, address: Sample.address(1), identity: 1, secondsAfterSave: 3)
    var saved = work(Self.saved)
    saved.hadIdentity = true
    #expect((try? saved.judge(beacon, nil).get()) == beacon, "the device acknowledged it")
    var weaker = beacon
    weaker.grade = .freshBeaconUnacknowledged
    #expect((try? work(Self.open).judge(beacon, nil).get()) == weaker)
    (weaker.grade, weaker.secondsAfterSave) = (.beaconOnAir, nil)
    #expect((try? work(Self.unneeded).judge(beacon, nil).get()) == weaker)
    let status = Evidence(grade: .deviceStatus, address: Sample.address(1))
    #expect((try? work(Self.open).judge(status, nil).get()) == status)
  }

  @Test("a connection that failed after more than 2 s failed in silence, which began 2 s before its end")
  func failedConnection() throws {
    guard case .queued(let queued) = RoomState.queued(work(), silenceLimit: .zero) else {
      return #expect(Bool(false))
    }
    func failed(_ reason: FailureReason, links: Int = 0) -> RoomState.Disconnecting {
      var radio = Radio(MachineDriver.hci0, slots: LinkSlots(), scanTime: .zero, wasPowerCycled: false)
      for other in 0..<links {
        radio.connect(to: other, isSilent: false, at: Self.at(1))
        _ = radio.linked(to: other, at: Self.at(1))
      }
      let engaged = RoomState.Engaged(queued, on: radio, at: Self.at(10))
      return .init(engaged, AttemptResult(result: .failure(AttemptFailure(reason))))
    }
    let timedOut = try #require(FailedConnection(failed(.connectTimedOut())))
    #expect(!timedOut.wasSlow(at: Self.at(12)) && timedOut.silenceBegan(at: Self.at(12)) == Self.at(10))
    #expect(timedOut.wasSlow(at: Self.at(13)) && timedOut.silenceBegan(at: Self.at(13)) == Self.at(11))
    let error = FailureReason.connectFailed(FailedStep(.connect))
    #expect(failed(error).failedToConnect && !failed(Self.refusal).failedToConnect)
    #expect(!failed(error, links: 2).mayHaveFoundNoSlot && failed(error, links: 3).mayHaveFoundNoSlot)
    #expect(!failed(Self.refusal, links: 3).mayHaveFoundNoSlot)
    #expect(failed(.outOfSlots(FailedStep(.connect))).mayHaveFoundNoSlot)
  }

  @Test("a queued room must be received until an adapter has it as a candidate, and again once none has")
  func candidacies() {
    let rooms = [
      Sample.room(1, address: 1), Sample.fireflyRoom(2, address: 2), Sample.beaconRoom(3, registered: true),
    ]
    var table = RoomTable(rooms, of: Sample.building(rooms))
    let (a, b) = (MachineDriver.hci0.adapter, MachineDriver.hci1.adapter)
    table.move(0, to: .queued(work(), silenceLimit: .zero))
    #expect(table.unreceived == [0] && table.dueCount == 1 && table.isAnyActive)
    #expect(table.owner(of: Sample.address(1)) == 0 && table.given == [Sample.address(1)])
    let (first, again, second) = (table.enlist(0, on: a), table.enlist(0, on: a), table.enlist(0, on: b))
    #expect(first && !again && second && table.unreceived.isEmpty)
    table.leave(0, a)
    #expect(table.unreceived.isEmpty)
    table.lose(b)
    #expect(table.unreceived == [0])
    // Its own session searches the second one, at the action.
    let firefly = RoomWork(room: rooms[1], address: Sample.address(2), basis: .address)
    table.move(1, to: .queued(firefly, silenceLimit: .zero))
    _ = table.enlist(1, on: a)
    table.leave(1, a)
    #expect(table.unreceived == [0] && table.dueCount == 2)
    table.move(2, to: .awaited)
    #expect(table.unreceived == [0, 2] && table.dueCount == 3 && table.isAwaitingIdentities)
    let outcome = RoomFinished(
      room: rooms[2].id, outcome: .unreachable, attempts: 0, seconds: 1, settings: [])
    table.move(2, to: .finished(.init(outcome)))
    #expect(table.unreceived == [0] && table.dueCount == 2 && !table.isAwaitingIdentities)
    #expect(table.places([.finished, .queued]) == [0, 1, 2] && table.outcome(of: 2) == outcome)
  }

  @Test("a device that was written after a read found nothing to write is not unchanged")
  func writtenAfterUnneeded() throws {
    let unneeded = self.work(Self.unneeded)
    #expect(unneeded.isUnchanged && !unneeded.wasTouched)
    #expect(!self.work(Self.saved, Self.unneeded).isUnchanged)
    var work = work(Self.unneeded, Self.lost)
    #expect(!work.isUnchanged && work.wasTouched)
    work.hadIdentity = true
    let beacon = Evidence(grade: .freshBeacon, address: Sample.address(1), identity: 1)
    guard case .failure(let failure) = work.judge(beacon, nil) else {
      Issue.record("its beacon may be that of its earlier settings")
      return
    }
    #expect(failure.reason.code == .beaconAsBefore)
  }
}
