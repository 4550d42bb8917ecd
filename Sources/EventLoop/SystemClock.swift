public import Bluetooth
@preconcurrency import Dispatch

/// The machine's monotonic clock. It stands still while the machine sleeps, so that no timeout is charged
/// for a closed lid.
public struct SystemClock: TimeSource {
  private static let timers = DispatchQueue(label: "timers")

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

  /// Sets a timer on the kernel's clock. All bodies run on one thread at a time.
  public func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    let left = max(now.duration(to: instant), .zero)
    let timer = DispatchSource.makeTimerSource(queue: Self.timers)
    timer.setEventHandler { @Sendable in
      timer.cancel()
      body()
    }
    timer.schedule(
      deadline: .now() + .nanoseconds(Int(clamping: Int64((left / .nanoseconds(1)).rounded(.up)))))
    timer.resume()
    return SystemCall(timer: timer)
  }
}

/// A timer of the machine's clock.
private struct SystemCall: ScheduledCall {
  let timer: any DispatchSourceTimer

  func cancel() { timer.cancel() }
}
