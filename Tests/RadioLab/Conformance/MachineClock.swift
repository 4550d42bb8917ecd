import Bluetooth

/// The guest's clock.
struct MachineClock: TimeSource {
  private static let zero = ContinuousClock.now

  var now: MonotonicInstant { MonotonicInstant(sinceZero: Self.zero.duration(to: .now)) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(
      until: Self.zero.advanced(by: deadline.sinceZero), tolerance: tolerance)
  }
}
