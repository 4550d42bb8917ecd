public import Bluetooth

/// The clock of one run in virtual time. It stands still while anything is runnable and jumps to the next
/// sleeper's instant when nothing is.
public struct VirtualClock: TimeSource {
  let executor: VirtualExecutor

  /// The virtual time; zero when the run begins.
  public var now: MonotonicInstant { executor.now }

  /// The smallest step: Swift's durations count attoseconds, people count nanoseconds.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until an instant, at once when it has passed (but other runnable work goes first). The tolerance
  /// means nothing here.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    guard await executor.sleep(until: deadline) else { throw CancellationError() }
  }

  /// Sets a timer: it takes its turn with the sleepers, and while there is one the run is not deadlocked. The body runs
  /// on the simulation's thread, between two jobs; once the run has ended, it is not called.
  public func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    executor.schedule(at: instant, body)
  }
}
