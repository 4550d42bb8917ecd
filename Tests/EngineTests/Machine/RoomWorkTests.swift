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

  @Test("a device that was written after a read found nothing to write is not unchanged")
  func writtenAfterUnneeded() throws {
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
