import Bluetooth
import Model

/// Counts and times of a run's events. No event is stored, so that recording costs next to nothing.
struct RunCounts: Sendable {
  private(set) var events = 0
  /// When the last room was provisioned.
  private(set) var lastSuccess = Duration.zero
  /// The longest time between the first sighting of a device and its first attempt.
  private(set) var longestWait = Duration.zero
  /// The longest time between the end of a back-off and the retry.
  private(set) var longestRetryWait = Duration.zero

  private var received: [BluetoothAddress: Duration] = [:]
  private var due: [RoomID: Duration] = [:]

  mutating func take(_ event: RunEvent) {
    events += 1
    switch event.fact {
    case .deviceSighted(let sighted):
      if received[sighted.address] == nil { received[sighted.address] = event.elapsed }
    case .retryScheduled(let retry):
      due[retry.room] = event.elapsed + .seconds(retry.delay)
    case .attemptStarted(let attempt):
      if let due = due.removeValue(forKey: attempt.room) {
        longestRetryWait = max(longestRetryWait, event.elapsed - due)
      } else if let received = received[attempt.address] {
        longestWait = max(longestWait, event.elapsed - received)
      }
    case .roomFinished(let room):
      if room.outcome.isSuccess { lastSuccess = event.elapsed }
    default:
      break
    }
  }
}

/// Counts the events of a run in place of a journal.
actor CountingRecorder: RunRecorder {
  private(set) var book = RunCounts()

  func record(_ events: [RunEvent]) async throws(RecordFailure) {
    for event in events { book.take(event) }
  }
}
