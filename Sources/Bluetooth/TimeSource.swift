/// A point on the monotonic clock that was passed in: the time since that clock's own zero.
///
/// The zero is arbitrary; only differences mean anything, and only between instants of one clock.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
  /// Time since the clock's zero.
  public var sinceZero: Duration

  /// The instant that lies `sinceZero` after the clock's zero.
  public init(sinceZero: Duration) {
    self.sinceZero = sinceZero
  }

  /// The instant `duration` later (earlier, when negative).
  public func advanced(by duration: Duration) -> Self {
    Self(sinceZero: sinceZero + duration)
  }

  /// How much later `other` is.
  public func duration(to other: Self) -> Duration {
    other.sinceZero - sinceZero
  }

  /// Earlier before later.
  public static func < (a: Self, b: Self) -> Bool { a.sinceZero < b.sinceZero }
}

/// The clock everything below the command line reads and sleeps on. It is always passed in: the
/// system's clock in earnest, a faster one in a rehearsal, a virtual one in a simulation.
public protocol TimeSource: Clock, Sendable where Instant == MonotonicInstant, Duration == Swift.Duration {}

extension TimeSource {
  /// Sleeps for a duration.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Swift.Duration) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: nil)
  }
}
