import Bluetooth
import Model
import Session

extension DeviceSession {
  /// Waits until the device ends the link itself, as it does when it has accepted what was written.
  /// - Parameter limit: less than the time from the last packet to the end of a lost link: an end after it does not
  ///   show whether the write arrived.
  func waitUntilItLeaves(
    _ link: any Peripheral, within limit: Duration, _ submission: Submission, writtenAt: MonotonicInstant,
    _ settings: [SettingName]
  ) async throws(AttemptFailure) -> Submission {
    var submission = submission
    let end: Disconnection
    do throws(AttemptFailure) {
      end = try await stage(.save) { () throws(CentralError) in
        guard let end = await link.disconnection() else { throw CentralError(.cancelled) }
        return end
      }
    } catch {
      guard error.reason.code == .stageTimedOut else { throw error }
      submission.problem = .noSelfDisconnect(seconds: error.reason.seconds)
      return submission
    }
    switch end.cause {
    case .remote where writtenAt.duration(to: end.at) >= limit:
      throw AttemptFailure(.linkLost(FailedStep(.verify)))
    case .remote:
      await confirmWritten(settings)
      submission.acknowledgement = .selfDisconnect
      return submission
    case .local: return submission
    case .adapterLost, .stackLost: throw AttemptFailure(.linkLost(FailedStep(.save)))
    }
  }
}
