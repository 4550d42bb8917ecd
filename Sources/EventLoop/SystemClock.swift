public import Bluetooth

/// The machine's monotonic clock. It stands still while the machine sleeps, so that no timeout is charged
/// for a closed lid.
///
/// Its timers are those of the loop that it is made on. One that is made elsewhere, as tests do, has them on a thread that
/// does nothing else.
public struct SystemClock: TimeSource {
  private static let timers = LoopExecutor.startThread()

  private let zero = SuspendingClock.now
  private let loop = LoopExecutor.current ?? timers

  /// A clock whose zero is now.
  public init() {}

  /// The time since `zero`.
  public var now: MonotonicInstant {
    MonotonicInstant(sinceZero: zero.duration(to: SuspendingClock.now))
  }

  /// What the kernel's clock promises.
  public var minimumResolution: Duration { SuspendingClock().minimumResolution }

  /// Sleeps on the kernel's clock. The tolerance means nothing here.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
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

  /// Sets a timer of the loop.
  public func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    SystemCall(timer: loop.schedule(at: zero.advanced(by: instant.sinceZero), body))
  }
}

/// A timer of the machine's clock.
private struct SystemCall: ScheduledCall {
  let timer: LoopTimer

  func cancel() { timer.cancel() }
}

/// One task's sleep: it ends once, by its timer or by cancellation, which may also come before it has begun.
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
      // Its body waits for this lock.
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
