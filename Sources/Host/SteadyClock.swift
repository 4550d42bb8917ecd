package import Bluetooth
import EventLoop
import Synchronization

/// The machine's monotonic clock without the times in which this process did not run: sleep, SIGSTOP, or a
/// paused virtual machine. So no timeout expires because of them.
///
/// It detects these times by a gap of more than 10 s between two readings. So it must be read regularly, as
/// `HostPauses` does each second.
package final class SteadyClock: TimeSource {
  /// The longest delay between readings that counts as load of the machine.
  static let longestDelay = Duration.seconds(10)

  private let clock: any TimeSource
  private let readings: Mutex<Readings>

  private struct Readings {
    var last: MonotonicInstant
    /// The total time left out.
    var lost: Duration = .zero
  }

  package convenience init() {
    self.init(of: SystemClock())
  }

  /// A clock over another clock, which counts these times.
  init(of clock: any TimeSource) {
    self.clock = clock
    readings = Mutex(Readings(last: clock.now))
  }

  /// The time since its start in which this process ran.
  package var now: MonotonicInstant {
    readings.withLock { readings in
      let now = clock.now
      let gap = readings.last.duration(to: now)
      if gap > Self.longestDelay { readings.lost += gap }
      readings.last = now
      return now.advanced(by: .zero - readings.lost)
    }
  }

  /// The resolution of the underlying clock.
  package var minimumResolution: Duration { clock.minimumResolution }

  /// Sleeps until this clock reaches the deadline, even if the process stops in between.
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    while true {
      let left = now.duration(to: deadline)
      guard left > .zero else { return }
      try await clock.sleep(until: clock.now.advanced(by: left), tolerance: tolerance)
    }
  }

  /// Sets a timer by this clock. It is extended by the times in which this process did not run.
  package func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    let call = SteadyCall(clock: self, instant: instant, body: body)
    call.set()
    return call
  }

  /// Sets a timer of the underlying clock for `instant` of this clock, assuming that the process does not
  /// stop again.
  fileprivate func scheduleBeneath(
    _ instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    let left = now.duration(to: instant)
    return clock.schedule(at: clock.now.advanced(by: left), body)
  }
}

/// A timer of a steady clock. When it fires on the underlying clock too early for the steady clock, it is set
/// again for the remaining time.
private final class SteadyCall: ScheduledCall {
  private enum State {
    /// The number of times that it was set, and the underlying call once it is known.
    case waiting(Int, (any ScheduledCall)?)
    case over
  }

  private let clock: SteadyClock
  private let instant: MonotonicInstant
  private let body: @Sendable () -> Void
  private let state = Mutex(State.waiting(0, nil))

  init(clock: SteadyClock, instant: MonotonicInstant, body: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.instant = instant
    self.body = body
  }

  func set() {
    let number = state.withLock { state -> Int? in
      guard case .waiting(let number, _) = state else { return nil }
      state = .waiting(number + 1, nil)
      return number + 1
    }
    guard let number else { return }
    let call = clock.scheduleBeneath(instant) { self.due() }
    // In the meantime it may have been cancelled, or have fired on another thread and been set again.
    let isWanted = state.withLock { state in
      guard case .waiting(number, _) = state else { return false }
      state = .waiting(number, call)
      return true
    }
    if !isWanted { call.cancel() }
  }

  private func due() {
    guard clock.now >= instant else { return set() }
    let isWanted = state.withLock { state in
      defer { state = .over }
      if case .waiting = state { return true }
      return false
    }
    if isWanted { body() }
  }

  func cancel() {
    let call = state.withLock { state -> (any ScheduledCall)? in
      defer { state = .over }
      if case .waiting(_, let call) = state { return call }
      return nil
    }
    call?.cancel()
  }
}
