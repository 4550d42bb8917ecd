import Model
import Session
import VirtualTime

/// Records into memory, and fails from a given event on.
actor Record: RunRecorder {
  private(set) var events: [RunEvent] = []
  private let clock: VirtualClock?
  private let failsFrom: Int?

  /// - Parameter clock: With it, recording takes a while, so that what does not wait for it is detected.
  init(clock: VirtualClock? = nil, failsFrom: Int? = nil) {
    (self.clock, self.failsFrom) = (clock, failsFrom)
  }

  func record(_ batch: [RunEvent]) async throws(RecordFailure) {
    try? await clock?.sleep(for: .milliseconds(60))
    for event in batch {
      if let failsFrom, event.sequence >= failsFrom { throw RecordFailure("the disk is full") }
      events.append(event)
    }
  }
}
