public import Bluetooth
import EventLoop
import Synchronization

/// The machine's monotonic clock without the times in which this process stood still: a closed lid, SIGSTOP, a virtual
/// machine that was held. No timeout is charged for any of them.
///
/// That it stood still it knows from its readings being far apart. So it must be read again and again, as
/// `HostPauses` does each second.
public final class SteadyClock: TimeSource {
  /// A busy machine is late too, though hardly by as much.
  static let longestDelay = Duration.seconds(10)

  private let clock: any TimeSource
  private let readings: Mutex<Readings>

  private struct Readings {
    var last: MonotonicInstant
    /// Time that did not count.
    var lost: Duration = .zero
  }

  /// A clock whose zero is now.
  public convenience init() {
    self.init(of: SystemClock())
  }

  /// A clock that leaves out what this one cannot know of.
  init(of clock: any TimeSource) {
    self.clock = clock
    readings = Mutex(Readings(last: clock.now))
  }

  /// The time since its zero in which this process ran.
  public var now: MonotonicInstant {
    readings.withLock { readings in
      let now = clock.now
      let gap = readings.last.duration(to: now)
      if gap > Self.longestDelay { readings.lost += gap }
      readings.last = now
      return now.advanced(by: .zero - readings.lost)
    }
  }

  /// What the clock beneath promises.
  public var minimumResolution: Duration { clock.minimumResolution }

  /// Sleeps until its own time has come, however long this process stood still meanwhile.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    while true {
      let left = now.duration(to: deadline)
      guard left > .zero else { return }
      try await clock.sleep(until: clock.now.advanced(by: left), tolerance: tolerance)
    }
  }

  /// Sets a timer, which is set again for as long as this process stood still meanwhile.
  public func schedule(
    at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    let call = SteadyCall(clock: self, instant: instant, body: body)
    call.set()
    return call
  }

  /// The clock beneath reaches `instant` when this one does, if this process does not stand still again.
  fileprivate func scheduleBeneath(
    _ instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void
  ) -> any ScheduledCall {
    let left = now.duration(to: instant)
    return clock.schedule(at: clock.now.advanced(by: left), body)
  }
}

/// A timer of a clock that may be found to have stood still: each time it is due on the clock beneath, it is set again for
/// the time that did not count.
private final class SteadyCall: ScheduledCall {
  private enum State {
    /// The number of times it was set; the call beneath, once it is known.
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
    // By now it may have been cancelled, or been due on another thread and set again.
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
