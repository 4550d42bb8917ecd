import Bluetooth

/// What is done after this host did nothing for a while: no clock of ours ran meanwhile (`TimeSource`), but the
/// radio did.
extension ApplyRun {
  /// Puts pauses on record, ends the conversation that one interrupted, and has everybody heard again.
  func followPauses() async {
    for await pause in environment.pauses {
      coordinator.note(.hostPaused(pause))
      switch pause.kind {
      case .suspended, .stopped:
        air.mustBeHeardAgain()
        schedule.mustBeHeardAgain()
        for room in conversationsPaused.keys.sorted() { conversationsPaused[room]?.yield() }
      case .clockSet:
        break
      }
    }
  }

  /// A profile's conversation, which a pause of the host ends: the sensor at the other end has waited in vain, and
  /// mostly left. What was submitted before is a question as ever.
  func converse(
    _ session: DeviceSession, _ profile: any DeviceProfile
  ) async -> Result<Submission, AttemptFailure> {
    let (paused, signal) = AsyncStream.makeStream(of: Void.self)
    let room = session.room.id
    conversationsPaused[room] = signal
    defer { conversationsPaused[room] = nil }
    return await withTaskGroup(of: ConversationEnd.self) { group in
      group.addTask { .said(await Self.configure(session, profile)) }
      group.addTask {
        for await _ in paused { return .paused }
        return .watchEnded
      }
      var wasPaused = false
      for await end in group {
        switch end {
        case .said(let result):
          signal.finish()
          group.cancelAll()
          return wasPaused ? Self.interruptedByPause(result) : result
        case .paused:
          wasPaused = true
          group.cancelAll()
        case .watchEnded:
          break
        }
      }
      preconditionFailure("a conversation without end")
    }
  }

  private enum ConversationEnd: Sendable {
    case said(Result<Submission, AttemptFailure>)
    case paused
    case watchEnded
  }

  private static func configure(
    _ session: DeviceSession, _ profile: any DeviceProfile
  ) async -> Result<Submission, AttemptFailure> {
    do throws(AttemptFailure) {
      return .success(try await profile.configure(session))
    } catch {
      return .failure(error)
    }
  }

  private static func interruptedByPause(
    _ result: Result<Submission, AttemptFailure>
  ) -> Result<Submission, AttemptFailure> {
    switch result {
    case .success(var submission):
      if submission.trouble?.code == .interrupted { submission.trouble?.code = .hostPaused }
      return .success(submission)
    case .failure(let failure) where failure.reason.code == .recordUnwritable:
      return result
    case .failure(let failure):
      var reason = failure.reason
      reason.code = .hostPaused
      return .failure(AttemptFailure(reason))
    }
  }
}
