package import Bluetooth

/// The system's monotonic clock. It stops while the machine is suspended, so that suspension counts against
/// no timeout.
///
/// Its timers run on the loop on which the clock is created, and on a loop in virtual time it has that loop's
/// time. A clock that is created elsewhere, as in tests, uses a separate thread for its timers.
package struct SystemClock: TimeSource {
  private static let timers = LoopExecutor.startThread()

  private let zero: SuspendingClock.Instant
  private let loop: LoopExecutor

  /// Creates a clock whose zero is now.
  package init() {
    loop = LoopExecutor.current ?? Self.timers
    zero = loop.now
  }

  package var now: MonotonicInstant {
    MonotonicInstant(sinceZero: zero.duration(to: loop.now))
  }

  /// The resolution of the kernel's clock.
  package var minimumResolution: Duration { SuspendingClock().minimumResolution }

  /// Sleeps on the kernel's clock. The tolerance is ignored.
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    let sleep = LoopSleep()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        sleep.begin(continuation) { loop.schedule(at: zero.advanced(by: deadline.sinceZero), $0) }
      }
    } onCancel: {
      sleep.end()
    }
    try Task.checkCancellation()
  }

  package func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    SystemCall(timer: loop.schedule(at: zero.advanced(by: instant.sinceZero), body))
  }
}

/// A timer of the system clock.
private struct SystemCall: ScheduledCall {
  let timer: LoopTimer

  func cancel() { timer.cancel() }
}

/// One sleep of a task. It ends once: by its timer or by cancellation, which can come before the sleep
/// begins.
private final class LoopSleep: Sendable {
  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, Never>, LoopTimer)
    case over
  }

  private let state = Lock(State.awake)

  func begin(
    _ continuation: CheckedContinuation<Void, Never>,
    _ schedule: (@escaping @Sendable () -> Void) -> LoopTimer
  ) {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      // The timer's body waits for this lock.
      state = .asleep(continuation, schedule { self.end() })
      return false
    }
    if isOver { continuation.resume() }
  }

  func end() {
    let ended = state.withLock { state in
      defer { state = .over }
      return state
    }
    guard case .asleep(let continuation, let timer) = ended else { return }
    timer.cancel()
    continuation.resume()
  }
}
