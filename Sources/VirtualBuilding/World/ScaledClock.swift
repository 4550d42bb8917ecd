package import Bluetooth

/// A clock that runs faster or slower than another clock: for rehearsals that a person watches, and for tests
/// with programs that use real time.
package struct ScaledClock: TimeSource {
  /// How much time passes on this clock per unit of the base clock.
  package let factor: Double
  private let base: any TimeSource
  private let start: MonotonicInstant

  /// Creates a clock that reads 0 now.
  /// - Parameter factor: Greater than 0. A factor of 10 makes this clock ten times as fast as the base.
  package init(_ base: any TimeSource, factor: Double) {
    precondition(factor > 0 && factor.isFinite)
    self.base = base
    self.factor = factor
    start = base.now
  }

  package var now: MonotonicInstant {
    MonotonicInstant(sinceZero: start.duration(to: base.now) * factor)
  }

  /// The resolution of the base clock, in time of this clock.
  package var minimumResolution: Duration { base.minimumResolution * factor }

  /// Sleeps until an instant of this clock.
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    try await base.sleep(until: baseInstant(of: deadline), tolerance: tolerance.map { $0 / factor })
  }

  /// Sets a timer of the base clock.
  package func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    base.schedule(at: baseInstant(of: instant), body)
  }

  /// The instant of the base clock at which this clock reads `instant`. Rounded up, so that no timer is
  /// early.
  private func baseInstant(of instant: MonotonicInstant) -> MonotonicInstant {
    var base = start.advanced(by: instant.sinceZero / factor)
    while start.duration(to: base) * factor < instant.sinceZero { base = base.advanced(by: .nanoseconds(1)) }
    return base
  }
}
