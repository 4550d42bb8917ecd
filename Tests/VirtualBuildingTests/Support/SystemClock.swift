import Bluetooth

/// Real time, for tests against programs that live in it.
struct SystemClock: TimeSource {
  private let clock = SuspendingClock()
  private static let zero = SuspendingClock.now

  var now: MonotonicInstant { MonotonicInstant(sinceZero: Self.zero.duration(to: clock.now)) }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    try await clock.sleep(until: Self.zero.advanced(by: deadline.sinceZero), tolerance: tolerance)
  }
}
