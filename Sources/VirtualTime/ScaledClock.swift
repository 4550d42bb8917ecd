public import Bluetooth

/// A clock on which time passes faster (or slower) than on another one: for rehearsals that a person watches, and for
/// tests against programs that live in real time.
public struct ScaledClock: TimeSource {
  /// How much of this clock's time passes in a unit of the other's.
  public let factor: Double
  private let base: any TimeSource
  private let start: MonotonicInstant

  /// A clock that reads 0 now.
  /// - Parameter factor: above 0; 10 is ten times as fast.
  public init(_ base: any TimeSource, factor: Double) {
    precondition(factor > 0 && factor.isFinite)
    self.base = base
    self.factor = factor
    start = base.now
  }

  /// The instant it is.
  public var now: MonotonicInstant {
    MonotonicInstant(sinceZero: start.duration(to: base.now) * factor)
  }

  /// What the other clock can tell apart, in this one's time.
  public var minimumResolution: Duration { base.minimumResolution * factor }

  /// Sleeps until an instant of this clock.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    try await base.sleep(until: baseInstant(of: deadline), tolerance: tolerance.map { $0 / factor })
  }

  /// Sets a timer of the other clock.
  public func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    base.schedule(at: baseInstant(of: instant), body)
  }

  /// The other clock's instant at which this one reads `instant`. Rounded up: no timer is early.
  private func baseInstant(of instant: MonotonicInstant) -> MonotonicInstant {
    var base = start.advanced(by: instant.sinceZero / factor)
    while start.duration(to: base) * factor < instant.sinceZero { base = base.advanced(by: .nanoseconds(1)) }
    return base
  }
}
