/// An instant of a monotonic clock: the time since the clock's zero.
///
/// The zero is arbitrary. Only differences between instants of the same clock are meaningful.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
  /// The time since the clock's zero.
  public var sinceZero: Duration

  /// Creates the instant that is `sinceZero` after the clock's zero.
  public init(sinceZero: Duration) {
    self.sinceZero = sinceZero
  }

  /// Returns the instant that is `duration` later (earlier if negative).
  public func advanced(by duration: Duration) -> Self {
    Self(sinceZero: sinceZero + duration)
  }

  /// Returns the time from this instant to `other`.
  public func duration(to other: Self) -> Duration {
    other.sinceZero - sinceZero
  }

  /// Returns whether `a` is earlier than `b`.
  public static func < (a: Self, b: Self) -> Bool { a.sinceZero < b.sinceZero }
}

/// The clock for all code below the command line. It is always passed in: the system clock in a real run, a
/// faster clock in a rehearsal, a virtual clock in a simulation.
public protocol TimeSource: Clock, Sendable where Instant == MonotonicInstant, Duration == Swift.Duration {
  /// Sets a timer without a task: calls `body` once at `instant` or later, unless it is cancelled first.
  ///
  /// The body runs on the clock's own thread and never within this call, even if the instant has passed. It
  /// must be short and must not block. The timer runs even if the caller drops the result; the result is
  /// needed only to cancel it.
  /// - Parameters:
  ///   - instant: When to call `body`.
  ///   - body: The function to call.
  func schedule(at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void) -> any ScheduledCall
}

/// A timer that was set with `TimeSource.schedule`.
public protocol ScheduledCall: Sendable {
  /// Cancels the timer. It has no effect if the body is running or has run. Any thread may call it, any
  /// number of times.
  func cancel()
}

extension TimeSource {
  /// Sleeps for a duration.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(for duration: Swift.Duration) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: nil)
  }

  /// Sleeps for a duration.
  /// - Throws: `cancelled` if the task is cancelled.
  package func pause(_ duration: Swift.Duration) async throws(CentralError) {
    guard (try? await sleep(for: duration)) != nil else { throw CentralError(.cancelled) }
  }
}
