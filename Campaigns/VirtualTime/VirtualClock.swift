package import Bluetooth

/// The clock of a run in virtual time. It stands still while a job can run; otherwise it jumps to the next
/// timer's instant.
package struct VirtualClock: TimeSource {
  let executor: VirtualExecutor

  /// The virtual time; 0 at the start of the run.
  package var now: MonotonicInstant { executor.now }

  /// 1 ns.
  package var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until an instant. If it has passed, other jobs that can run still go first. The tolerance is
  /// ignored.
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    guard await executor.sleep(until: deadline) else { throw CancellationError() }
  }

  /// Sets a timer. Timers and sleeping tasks share one order, and a run with a timer set is not deadlocked.
  /// The body runs on the simulation's thread, between two jobs. After the end of the run it is not called.
  package func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    executor.schedule(at: instant, body)
  }
}
