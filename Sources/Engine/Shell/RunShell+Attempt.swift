import Bluetooth
import Families
import Model
import Session
import Waiting

/// One attempt: the GATT session, and the link taken down after it. The link is taken down whatever became of the session:
/// only the session is cancelled when the run stops.
extension RunShell {
  /// How long the stack may take to say that a link is down which it was asked to end.
  private static let endPatience = Duration.seconds(5)

  func carryOut(_ attempt: Attempt, endedBy end: OneShot<AttemptEnd>) async {
    let session = DeviceSession(
      room: attempt.room, address: attempt.address, adapter: attempt.session.adapter,
      attempt: attempt.id.number, central: central, coordinator: coordinator, clock: clock,
      action: attempt.action,
      recorded: attempt.recorded, mayOverwrite: attempt.mayOverwrite,
      answered: { [inbox] in inbox.post(.connected(attempt.id)) },
      hear: { [inbox] in inbox.post(.heard($0, attempt.session)) })
    let result = await ended(by: end) { await runSession(session) }
    var report = AttemptReport(result: Self.interpreted(result, end.peeked))
    report.written = await session.progress.written
    report.readBack = await session.progress.readBack
    report.wasSubmitted = await session.progress.submittedAt != nil
    report.hasLink = await session.progress.link != nil
    inbox.post(.sessionEnded(report, attempt.id))
    let isStackThere = await takeDown(session, wasSubmitted: report.wasSubmitted)
    inbox.post(.linkEnded(attempt.id))
    let isForgotten = await forget(session.address, on: session.adapter)
    inbox.post(.takenDown(isForgotten: isForgotten && isStackThere, attempt.id))
  }

  /// The family's GATT session, once the binding is on disk.
  private func runSession(_ session: DeviceSession) async -> Result<Submission, AttemptFailure> {
    do throws(RecordFailure) {
      try await coordinator.flush()
    } catch {
      return .failure(AttemptFailure(.recordUnwritable(.idle)))
    }
    do throws(AttemptFailure) {
      return .success(try await profile(of: session.room).configure(session))
    } catch {
      return .failure(error)
    }
  }

  /// A session that a pause of the host ended says so; what was submitted before is a question as ever.
  private static func interpreted(
    _ result: Result<Submission, AttemptFailure>, _ end: AttemptEnd?
  ) -> Result<Submission, AttemptFailure> {
    guard end == .hostPaused else { return result }
    switch result {
    case .success(var submission):
      if case .interrupted? = submission.trouble {
        submission.trouble = submission.trouble?.causedByHostPause
      }
      return .success(submission)
    case .failure(let failure) where failure.reason.code == .recordUnwritable:
      return result
    case .failure(let failure):
      return .failure(AttemptFailure(failure.reason.causedByHostPause))
    }
  }

  /// Ends the link, if there still is one. Returns whether the adapter and the stack were there to do so. A stack that never
  /// says that the link is down is not waited for: to forget the device ends it, too.
  private func takeDown(_ session: DeviceSession, wasSubmitted: Bool) async -> Bool {
    guard let link = await session.progress.link else { return true }
    await link.disconnect()
    let raced = await race(Self.endPatience, on: clock) { () throws(CentralError) in
      await link.disconnection()
    }
    guard case .value(let end?) = raced else { return true }
    coordinator.note(
      .linkEnded(
        .init(
          room: session.room.id, attempt: session.attempt, cause: end.cause,
          expected: wasSubmitted || end.cause == .local)))
    return end.cause != .adapterLost && end.cause != .stackLost
  }
}
