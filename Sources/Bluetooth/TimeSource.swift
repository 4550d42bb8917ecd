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
public protocol TimeSource: Clock, Sendable where Instant == MonotonicInstant, Duration == Swift.Duration {
  /// Sets a timer without a task: calls `body` once, at the instant or after it, unless it is cancelled before.
  ///
  /// The body runs on the clock's own thread, never within this call, also when the instant has passed already. It must
  /// be short, and must not block. Nothing keeps the timer: what is returned is needed only to cancel it.
  /// - Parameters:
  ///   - instant: When to call.
  ///   - body: What to call.
  func schedule(at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void) -> any ScheduledCall
}

/// A call that a clock will make.
public protocol ScheduledCall: Sendable {
  /// The call is not made, unless it is being made or was made already. May be called from any thread, any number of
  /// times.
  func cancel()
}

extension TimeSource {
  /// Sleeps for a duration.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Swift.Duration) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: nil)
  }
}
