import Bluetooth
import Synchronization
import Testing

@testable import Host

/// A clock that the test advances. It advances tick by tick while a task sleeps on it. The test's own
/// advances call its timers.
private final class ManualClock: TimeSource {
  private struct State {
    var now = MonotonicInstant(sinceZero: .seconds(40_000))
    var deadlines: [MonotonicInstant] = []
    var timers: [Int: (instant: MonotonicInstant, body: @Sendable () -> Void)] = [:]
    var timersSet = 0
  }

  private let state = Mutex(State())
  /// The number of sleeps so far, sent at each tick of a sleep.
  private let ticked = Mutex<@Sendable (Int) -> Void>({ _ in })

  var now: MonotonicInstant { state.withLock(\.now) }
  var minimumResolution: Duration { .milliseconds(1) }

  /// The deadline of each sleep.
  var deadlines: [MonotonicInstant] { state.withLock(\.deadlines) }

  func advance(by seconds: Double) {
    state.withLock { $0.now = $0.now.advanced(by: .seconds(seconds)) }
  }

  func schedule(at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void) -> any ScheduledCall {
    state.withLock { state in
      state.timersSet += 1
      state.timers[state.timersSet] = (instant, body)
      return ManualCall(clock: self, number: state.timersSet)
    }
  }

  /// The number of timers that are set.
  var timers: Int { state.withLock(\.timers.count) }

  /// Advances to the next timer and this many seconds further, and calls the timer.
  func advanceToTimer(andBeyondBy seconds: Double = 0) {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      guard let next = state.timers.min(by: { $0.value.instant < $1.value.instant }) else { return nil }
      state.timers[next.key] = nil
      state.now = max(state.now, next.value.instant).advanced(by: .seconds(seconds))
      return next.value.body
    }
    body?()
  }

  private struct ManualCall: ScheduledCall {
    let clock: ManualClock
    let number: Int
    func cancel() { clock.state.withLock { $0.timers[number] = nil } }
  }

  /// Calls `action` once a second while a task sleeps.
  func eachTick(_ action: @escaping @Sendable (Int) -> Void) { ticked.withLock { $0 = action } }

  func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    state.withLock { $0.deadlines.append(deadline) }
    while now < deadline {
      try Task.checkCancellation()
      advance(by: 1)
      ticked.withLock(\.self)(deadlines.count)
    }
  }
}

@Suite("the steady clock excludes time in which the program was stopped")
struct SteadyClockTests {
  private static let gaps: [([Double], Double)] = [
    ([1, 1, 1], 3), ([0.25], 0.25), ([10], 10), ([10, 10, 10], 30), ([10.25], 0), ([600], 0),
    ([1, 3600, 2], 3),
    ([3600, 3600, 5], 5),
  ]

  @Test("a gap counts in full up to ten seconds, and a longer gap does not count", arguments: gaps)
  func counts(_ gaps: [Double], _ counted: Double) {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    let start = clock.now
    for gap in gaps {
      hand.advance(by: gap)
      _ = clock.now
    }
    #expect(start.duration(to: clock.now) == .seconds(counted))
  }

  @Test("the steady clock never goes back")
  func monotonic() {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    var last = clock.now
    for gap in [1, 11, 0, 9.5, 10.5, 100_000, 0.5] {
      hand.advance(by: gap)
      let now = clock.now
      #expect(now >= last)
      last = now
    }
  }

  @Test("a sleep lasts its full time although the program was stopped during it")
  func stoppedSleep() async throws {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    let stops = Mutex(2)
    hand.eachTick { sleeps in
      let now = clock.now.sinceZero
      // The program is stopped for ten minutes in the middle of each of the first two sleeps.
      let isStopped = stops.withLock { left in
        guard left > 0, sleeps == 3 - left, now >= .seconds(40_000 + 5 * sleeps) else {
          return false
        }
        left -= 1
        return true
      }
      if isStopped { hand.advance(by: 600) }
    }
    let start = hand.now
    let began = clock.now
    try await clock.sleep(for: .seconds(30))
    #expect(began.duration(to: clock.now) == .seconds(30))
    #expect(start.duration(to: hand.now) >= .seconds(1230))
    #expect(hand.deadlines.count == 3, "it went on sleeping after each stop")
  }

  @Test("a sleep without a stop is one sleep of the underlying clock")
  func plainSleep() async throws {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    hand.eachTick { _ in _ = clock.now }
    let start = hand.now
    try await clock.sleep(for: .seconds(30))
    #expect(hand.deadlines == [start.advanced(by: .seconds(30))])
    try await clock.sleep(until: clock.now, tolerance: nil)
    #expect(hand.deadlines.count == 1, "an instant in the past needs no sleep")
  }

  @Test("a timer is set again for the stopped time and called once")
  func stoppedTimer() {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    let calls = Mutex(0)
    let start = clock.now
    let call = clock.schedule(at: start.advanced(by: .seconds(8))) { calls.withLock { $0 += 1 } }
    hand.advance(by: 5)
    _ = clock.now
    // Stops of ten minutes occur before the timer is due for the first and for the second time.
    for _ in 0..<2 {
      hand.advanceToTimer(andBeyondBy: 600)
      #expect(calls.withLock(\.self) == 0)
      #expect(hand.timers == 1, "it is set again")
    }
    hand.advanceToTimer()
    #expect(calls.withLock(\.self) == 1)
    #expect(start.duration(to: clock.now) == .seconds(8))
    call.cancel()
    #expect(hand.timers == 0)
  }

  @Test("a cancelled timer is not called, also after it was set again")
  func cancelledTimer() {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    let calls = Mutex(0)
    clock.schedule(at: clock.now.advanced(by: .seconds(8))) { calls.withLock { $0 += 1 } }.cancel()
    #expect(hand.timers == 0)
    let call = clock.schedule(at: clock.now.advanced(by: .seconds(8))) { calls.withLock { $0 += 1 } }
    hand.advanceToTimer(andBeyondBy: 600)
    #expect(hand.timers == 1)
    call.cancel()
    #expect(hand.timers == 0)
    #expect(calls.withLock(\.self) == 0)
  }

  @Test("a cancelled sleep ends")
  func cancelled() async {
    let hand = ManualClock()
    let clock = SteadyClock(of: hand)
    // The sleep does not end without the cancellation.
    hand.eachTick { _ in hand.advance(by: 11) }
    let sleeper = Task { try await clock.sleep(for: .seconds(86_400)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
