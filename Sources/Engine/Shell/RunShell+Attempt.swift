import Bluetooth
import Model
import Session
import Waiting

/// One attempt: the GATT session, and the end of its link. The link is ended whatever the result of the
/// session: only the session is cancelled when the run stops.
extension RunShell {
  /// How long the stack may take to report the end of a link after a request to disconnect.
  private static let endTimeout = Duration.seconds(5)

  func carryOut(
    _ attempt: Attempt, endedBy end: OneShot<AttemptEnd>, permittedBy permission: OneShot<FailureReason?>
  ) async {
    let session = DeviceSession(
      room: attempt.room, address: attempt.address, adapter: attempt.session.adapter,
      attempt: attempt.number, central: central, coordinator: coordinator, clock: clock,
      action: attempt.action,
      recorded: attempt.recorded, leastSecurity: attempt.leastSecurity,
      hasProtectedBond: attempt.hasProtectedBond, mayOverwrite: attempt.mayOverwrite,
      randomBytes: environment.randomBytes,
      linked: { [inbox] in inbox.post(.linked(attempt.id)) },
      answered: { [inbox] in inbox.post(.connected(attempt.id)) },
      forbidden: { [inbox] in
        inbox.post(.asksToWrite(attempt.id))
        // A session that ends meanwhile sends nothing.
        return await permission.value() ?? .interrupted(.during(FailedStep(.write)))
      },
      receive: { [inbox] in inbox.post(.received($0, attempt.session)) })
    let result = await ended(by: end) { await runSession(session) }
    let link = await session.progress.link
    var report = AttemptResult(result: result, end: end.peeked)
    report.sent = await session.progress.sent
    report.written = await session.progress.written
    report.readBack = await session.progress.readBack
    report.isAccepted = await session.progress.isAccepted
    report.security = await session.progress.security
    report.wasSubmitted = await session.progress.submittedAt != nil
    report.hasLink = link != nil
    inbox.post(.sessionEnded(report, attempt.id))
    inbox.post(.linkEnded(await takeDown(link), attempt.id))
    let isForgotten = await forget(session.address, on: session.adapter)
    inbox.post(.takenDown(isForgotten: isForgotten, attempt.id))
  }

  /// The GATT session of the family, once the binding is on disk.
  private func runSession(_ session: DeviceSession) async -> Result<Submission, AttemptFailure> {
    do throws(RecordFailure) {
      try await coordinator.flush()
    } catch {
      return .failure(AttemptFailure(.recordUnwritable(.idle())))
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

  /// Ends the link, if it still exists. Returns how it ended; nil without a link, and if the stack does not report
  /// its end in time: then `forget` ends it.
  private func takeDown(_ link: (any Peripheral)?) async -> Disconnection.Cause? {
    guard let link else { return nil }
    await link.disconnect()
    let raced = await race(Self.endTimeout, on: clock) { () throws(CentralError) in
      await link.disconnection()
    }
    return if case .value(let end?) = raced { end.cause } else { nil }
  }
}
