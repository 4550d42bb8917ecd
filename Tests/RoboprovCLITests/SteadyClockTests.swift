import Bluetooth
import Synchronization
import Testing

@testable import RoboprovCLI

/// A clock that a test turns by hand. Whoever sleeps on it sees it go on, tick by tick.
private final class HandClock: TimeSource {
  private struct State {
    var now = MonotonicInstant(sinceZero: .seconds(40_000))
    var deadlines: [MonotonicInstant] = []
  }

  private let state = Mutex(State())
  /// Told how many sleeps were begun, at each tick of one.
  private let ticked = Mutex<@Sendable (Int) -> Void>({ _ in })

  var now: MonotonicInstant { state.withLock(\.now) }
  var minimumResolution: Duration { .milliseconds(1) }

  /// Until when it was asked to sleep, each time.
  var deadlines: [MonotonicInstant] { state.withLock(\.deadlines) }

  func advance(by seconds: Double) {
    state.withLock { $0.now = $0.now.advanced(by: .seconds(seconds)) }
  }

  /// Has `action` called once a second while somebody sleeps.
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

@Suite("Time in which the program stood still does not count")
struct SteadyClockTests {
  private static let gaps: [([Double], Double)] = [
    ([1, 1, 1], 3), ([0.25], 0.25), ([10], 10), ([10, 10, 10], 30), ([10.25], 0), ([600], 0),
    ([1, 3600, 2], 3),
    ([3600, 3600, 5], 5),
  ]

  @Test("a gap counts up to ten seconds, and beyond that not at all", arguments: gaps)
  func counts(_ gaps: [Double], _ counted: Double) {
    let hand = HandClock()
    let clock = SteadyClock(of: hand)
    let start = clock.now
    for gap in gaps {
      hand.advance(by: gap)
      _ = clock.now
    }
    #expect(start.duration(to: clock.now) == .seconds(counted))
  }

  @Test("it never goes back")
  func monotonic() {
    let hand = HandClock()
    let clock = SteadyClock(of: hand)
    var last = clock.now
    for gap in [1, 11, 0, 9.5, 10.5, 100_000, 0.5] {
      hand.advance(by: gap)
      let now = clock.now
      #expect(now >= last)
      last = now
    }
  }

  @Test("a sleep lasts as long as it was meant to, however long the program stood still in it")
  func sleepGoesOn() async throws {
    let hand = HandClock()
    let clock = SteadyClock(of: hand)
    let stops = Mutex(2)
    hand.eachTick { sleeps in
      let now = clock.now.sinceZero
      // In the middle of each of the first two sleeps, ten minutes are missed.
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

  @Test("a sleep that no stop fell into is one sleep")
  func plainSleep() async throws {
    let hand = HandClock()
    let clock = SteadyClock(of: hand)
    hand.eachTick { _ in _ = clock.now }
    let start = hand.now
    try await clock.sleep(for: .seconds(30))
    #expect(hand.deadlines == [start.advanced(by: .seconds(30))])
    try await clock.sleep(until: clock.now, tolerance: nil)
    #expect(hand.deadlines.count == 1, "for what has come nobody sleeps")
  }

  @Test("a sleep that is cancelled ends")
  func cancelled() async {
    let hand = HandClock()
    let clock = SteadyClock(of: hand)
    // It would never be over.
    hand.eachTick { _ in hand.advance(by: 11) }
    let sleeper = Task { try await clock.sleep(for: .seconds(86_400)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
