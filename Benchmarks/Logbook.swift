import Bluetooth
import Model

/// What is kept of a run's events: counts and times, so that the record costs next to nothing.
struct Logbook: Sendable {
  private(set) var events = 0
  /// When the last room was provisioned.
  private(set) var lastSuccess = Duration.zero
  /// From being heard for the first time to the beginning of the first attempt, at the worst.
  private(set) var longestWait = Duration.zero
  /// From the end of the pause after a failure to the beginning of the next attempt, at the worst.
  private(set) var longestRetryWait = Duration.zero

  private var heard: [BluetoothAddress: Duration] = [:]
  private var due: [RoomID: Duration] = [:]

  mutating func take(_ event: RunEvent) {
    events += 1
    switch event.fact {
    case .deviceSighted(let sighted):
      if heard[sighted.address] == nil { heard[sighted.address] = event.elapsed }
    case .retryScheduled(let retry):
      due[retry.room] = event.elapsed + .seconds(retry.delay)
    case .attemptStarted(let attempt):
      if let due = due.removeValue(forKey: attempt.room) {
        longestRetryWait = max(longestRetryWait, event.elapsed - due)
      } else if let heard = heard[attempt.address] {
        longestWait = max(longestWait, event.elapsed - heard)
      }
    case .roomFinished(let room):
      if room.outcome.isSuccess { lastSuccess = event.elapsed }
    default:
      break
    }
  }
}

/// A record that counts.
actor LogbookRecorder: RunRecorder {
  private(set) var book = Logbook()

  func record(_ events: [RunEvent]) async throws(RecordFailure) {
    for event in events { book.take(event) }
  }
}
