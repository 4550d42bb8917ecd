public import Bluetooth

/// The machine's monotonic clock. It stands still while the machine sleeps, so that no timeout is charged
/// for a closed lid.
public struct SystemClock: TimeSource {
  private let zero = SuspendingClock().now

  /// A clock whose zero is now.
  public init() {}

  /// The time since `zero`.
  public var now: MonotonicInstant {
    MonotonicInstant(sinceZero: zero.duration(to: SuspendingClock().now))
  }

  /// What the kernel's clock promises.
  public var minimumResolution: Duration { SuspendingClock().minimumResolution }

  /// Sleeps on the kernel's clock.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    try await Task.sleep(
      until: zero.advanced(by: deadline.sinceZero), tolerance: tolerance, clock: SuspendingClock())
  }
}
