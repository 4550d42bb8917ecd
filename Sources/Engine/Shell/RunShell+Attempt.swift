import Bluetooth
import Model
import Session
import Waiting

/// One attempt: the GATT session, and the end of its link. The link is ended whatever the result of the
/// session: only the session is cancelled when the run stops.
extension RunShell {
  /// How long the stack may take to report the end of a link after a request to disconnect.
  private static let endTimeout = Duration.seconds(5)

  func carryOut(_ attempt: Attempt, endedBy end: OneShot<AttemptEnd>) async {
    let session = DeviceSession(
      room: attempt.room, address: attempt.address, adapter: attempt.session.adapter,
      attempt: attempt.number, central: central, coordinator: coordinator, clock: clock,
      action: attempt.action,
      recorded: attempt.recorded, mayOverwrite: attempt.mayOverwrite,
      answered: { [inbox] in inbox.post(.connected(attempt.id)) },
      receive: { [inbox] in inbox.post(.received($0, attempt.session)) })
    let result = await ended(by: end) { await runSession(session) }
    var report = AttemptReport(result: Self.interpreted(result, end.peeked))
    report.sent = await session.progress.sent
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

  /// The GATT session of the family, once the binding is on disk.
  private func runSession(_ session: DeviceSession) async -> Result<Submission, AttemptFailure> {
    do throws(RecordFailure) {
      try await coordinator.flush()
    } catch {
      return .failure(AttemptFailure(.recordUnwritable(.idle)))
    }
    do throws(AttemptFailure) {
      guard let driver = environment.drivers[session.room.family.id] else {
        preconditionFailure("the family \(session.room.family.id) has no GATT session")
      }
      return .success(try await driver.configure(session))
    } catch {
      return .failure(error)
    }
  }

  /// Replaces the reason of a session that the run ended because the host was paused or the adapter was lost.
  /// The result of an earlier save stays open.
  private static func interpreted(
    _ result: Result<Submission, AttemptFailure>, _ end: AttemptEnd?
  ) -> Result<Submission, AttemptFailure> {
    let cause: KeyPath<FailureReason, FailureReason>
    switch end {
    case .hostPaused: cause = \.causedByHostPause
    case .adapterLost: cause = \.causedByAdapterLoss
    case .stopped, nil: return result
    }
    switch result {
    case .success(var submission):
      if case .interrupted? = submission.problem {
        submission.problem = submission.problem?[keyPath: cause]
      }
      return .success(submission)
    case .failure(let failure) where failure.reason.code == .recordUnwritable:
      return result
    case .failure(let failure):
      return .failure(AttemptFailure(failure.reason[keyPath: cause]))
    }
  }

  /// Ends the link, if it still exists. Returns whether the adapter and the stack were present. If the stack
  /// does not report the end of the link in time, `forget` ends it.
  private func takeDown(_ session: DeviceSession, wasSubmitted: Bool) async -> Bool {
    guard let link = await session.progress.link else { return true }
    await link.disconnect()
    let raced = await race(Self.endTimeout, on: clock) { () throws(CentralError) in
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
