import Bluetooth
import Synchronization
import Testing
import VirtualBuilding
import VirtualTime

@Suite("Virtual time")
struct VirtualTimeTests {
  @Test("virtual time begins at zero, stands still while there is work, and then jumps to the next sleeper")
  func advances() async throws {
    let instants = try await VirtualTime.run { clock in
      var instants = [clock.now.sinceZero]
      for _ in 0..<1000 { await Task.yield() }
      instants.append(clock.now.sinceZero)
      try await clock.sleep(for: .seconds(3600))
      instants.append(clock.now.sinceZero)
      try await clock.sleep(for: .seconds(-1))
      instants.append(clock.now.sinceZero)
      return instants
    }
    #expect(instants == [.zero, .zero, .seconds(3600), .seconds(3600)])
  }

  @Test("sleepers wake in the order of their instants, and equal ones in the order of their start")
  func order() async throws {
    let woken = try await VirtualTime.run { clock in
      let log = Log()
      await withTaskGroup { group in
        for (index, milliseconds) in [30, 10, 20, 10, 0, 30].enumerated() {
          group.addTask {
            try? await clock.sleep(for: .milliseconds(milliseconds))
            await log.add("\(index)@\(clock.now.sinceZero / .milliseconds(1))")
          }
        }
      }
      return await log.lines
    }
    #expect(woken == ["4@0.0", "1@10.0", "3@10.0", "2@20.0", "0@30.0", "5@30.0"])
  }

  @Test("cancellation ends a sleep at once, and no other sleep")
  func cancellation() async throws {
    let (first, elapsed, other) = try await VirtualTime.run { clock in
      async let other: Duration = {
        try await clock.sleep(for: .seconds(7))
        return clock.now.sinceZero
      }()
      let first = await withTaskGroup(of: String.self) { group in
        group.addTask {
          do {
            try await clock.sleep(for: .seconds(1000))
            return "slept"
          } catch {
            return "\(type(of: error)) at \(clock.now.sinceZero / .seconds(1))"
          }
        }
        try? await clock.sleep(for: .seconds(2))
        group.cancelAll()
        return await group.next() ?? ""
      }
      return (first, clock.now.sinceZero, try await other)
    }
    #expect(first == "CancellationError at 2.0")
    #expect(elapsed == .seconds(2))
    #expect(other == .seconds(7))
  }

  @Test("a task that is already cancelled does not sleep")
  func cancelledBefore() async throws {
    let elapsed = try await VirtualTime.run { clock in
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        group.addTask { try? await clock.sleep(for: .seconds(5)) }
      }
      return clock.now.sinceZero
    }
    #expect(elapsed == .zero)
  }

  @Test("the run throws the error of its body")
  func throwing() async {
    struct Mishap: Error {}
    await #expect(throws: Mishap.self) {
      try await VirtualTime.run { clock in
        try await clock.sleep(for: .seconds(1))
        throw Mishap()
      }
    }
  }

  @Test(
    "timers are called in the order of instants and, if equal, of setting; a passed one is called soon"
  )
  func timers() async throws {
    let called = try await VirtualTime.run { clock in
      let calls = Calls()
      try await clock.sleep(for: .seconds(1))
      for (index, milliseconds) in [30, 10, 20, 10, -900, 30].enumerated() {
        _ = clock.schedule(at: clock.now.advanced(by: .milliseconds(milliseconds))) {
          calls.add("\(index)@\(clock.now.sinceZero / .milliseconds(1))")
        }
      }
      calls.add("set")
      try await clock.sleep(for: .seconds(1))
      return calls.lines
    }
    #expect(
      called == ["set", "4@1000.0", "1@1010.0", "3@1010.0", "2@1020.0", "0@1030.0", "5@1030.0"])
  }

  @Test("timers and sleepers share one order")
  func timersAmongSleepers() async throws {
    let order = try await VirtualTime.run { clock in
      let calls = Calls()
      async let sleeper: Void = {
        try await clock.sleep(for: .seconds(2))
        calls.add("sleeper")
      }()
      _ = clock.schedule(at: clock.now.advanced(by: .seconds(1))) {
        calls.add("first")
        _ = clock.schedule(at: clock.now.advanced(by: .seconds(2))) { calls.add("second") }
      }
      try await sleeper
      try await clock.sleep(for: .seconds(2))
      return calls.lines
    }
    #expect(order == ["first", "sleeper", "second"])
  }

  @Test("a cancelled timer is not called, nor is any timer after the end of the run")
  func cancelledTimers() async throws {
    let calls = Calls()
    try await VirtualTime.run { clock in
      let timer = clock.schedule(at: clock.now.advanced(by: .seconds(1))) { calls.add("cancelled") }
      _ = clock.schedule(at: clock.now.advanced(by: .seconds(2))) { calls.add("due") }
      _ = clock.schedule(at: clock.now.advanced(by: .seconds(4))) { calls.add("after the end") }
      timer.cancel()
      timer.cancel()
      try await clock.sleep(for: .seconds(3))
    }
    #expect(calls.lines == ["due"])
  }

  @Test("a run with a timer that can end the wait is not deadlocked")
  func timerEndsWait() async throws {
    let elapsed = try await VirtualTime.run { clock in
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      _ = clock.schedule(at: clock.now.advanced(by: .seconds(60))) { continuation.finish() }
      for await _ in stream {}
      return clock.now.sinceZero
    }
    #expect(elapsed == .seconds(60))
  }

  @Test("a deadlock is reported if the last timer does not end the wait")
  func deadlockAfterTimer() async {
    await #expect(throws: VirtualTimeError.deadlock(at: .init(sinceZero: .seconds(60)))) {
      try await VirtualTime.run { clock in
        _ = clock.schedule(at: clock.now.advanced(by: .seconds(60))) {}
        let (never, _) = AsyncStream<Int>.makeStream()
        for await _ in never {}
      }
    }
  }

  @Test("a scaled clock scales timers, and none is early", arguments: [0.3, 1, 7, 10, 1000.0 / 3])
  func scaledTimers(_ factor: Double) async throws {
    let late = try await VirtualTime.run { base in
      try await base.sleep(for: .seconds(1.1))
      let clock = ScaledClock(base, factor: factor)
      let calls = Calls()
      for index in 1...50 {
        let instant = clock.now.advanced(by: .microseconds(index * 1_234_567))
        _ = clock.schedule(at: instant) {
          let late = instant.duration(to: clock.now)
          calls.add(late >= .zero && late <= .microseconds(1) ? "due" : "\(late)")
        }
        _ = clock.schedule(at: instant) { calls.add("cancelled") }.cancel()
      }
      try await clock.sleep(for: .seconds(100))
      return calls.lines
    }
    #expect(late == Array(repeating: "due", count: 50))
  }

  @Test("the body sees the caller's task-local values")
  func taskLocals() async throws {
    let seen = try await Marked.$mark.withValue("caller's") {
      try await VirtualTime.run { _ in Marked.mark }
    }
    #expect(seen == "caller's")
  }

  @Test("a deadlock is reported instead of blocking without end")
  func deadlock() async {
    await #expect(throws: VirtualTimeError.deadlock(at: .init(sinceZero: .seconds(3)))) {
      try await VirtualTime.run { clock in
        try await clock.sleep(for: .seconds(3))
        let (never, _) = AsyncStream<Int>.makeStream()
        for await _ in never {}
      }
    }
  }

  @Test("a deadlock is reported even if the body ignores its cancellation")
  func ignoredCancellation() async {
    let kept = Kept()
    await #expect(throws: VirtualTimeError.deadlock(at: .init(sinceZero: .zero))) {
      try await VirtualTime.run { _ in await kept.wait() }
    }
    await kept.release()
  }

  @Test("work that leaves the simulation is reported")
  func escape() async {
    let error = await #expect(throws: VirtualTimeError.self) {
      try await VirtualTime.run { clock in
        // A task sleeps all the time, so that there is no deadlock, however long the others take.
        async let _: Void = { while true { try await clock.sleep(for: .seconds(1)) } }()
        // A task that has ended before it is awaited does not count. On a busy machine this can be any short
        // one.
        for yields in 0..<100 {
          await Task.detached { for _ in 0..<yields * 100 { await Task.yield() } }.value
        }
      }
    }
    guard case .escaped(let jobs) = error else {
      Issue.record("not an escape: \(String(describing: error))")
      return
    }
    #expect(jobs > 0)
  }

  @Test("cancelling the task that runs a body cancels the body")
  func outerCancellation() async {
    let task = Task {
      try await VirtualTime.run { clock in
        while true { try await clock.sleep(for: .seconds(1)) }
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("sleepers are resumed at the end of the run, and no task can sleep afterwards")
  func leftovers() async throws {
    let leftover = try await VirtualTime.run { clock in
      let leftover = Task { (try? await clock.sleep(for: .seconds(10))) == nil ? "woken" : "slept" }
      try await clock.sleep(for: .seconds(1))
      return leftover
    }
    #expect(await leftover.value == "woken")
  }

  @Test("the order of events is the same each time, also if several runs execute at once")
  func determinism() async throws {
    let hashes = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for _ in 0..<12 { group.addTask { try await busyBuilding(seed: 7) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(hashes.count == 12)
    #expect(Set(hashes).count == 1)
    #expect(try await busyBuilding(seed: 8) != hashes[0])
  }

  @Test("a run supports 10,000 sleepers, each with a timeout that does not expire")
  func many() async throws {
    let (done, elapsed) = try await VirtualTime.run { clock in
      var generator = SeededGenerator(seed: 1)
      let naps = (0..<10_000).map { _ in generator.duration(in: .milliseconds(1)...(.seconds(9))) }
      let done = await withTaskGroup(of: Bool.self) { group in
        for nap in naps {
          group.addTask { await beatsTimeout(nap: nap, timeout: .seconds(10), clock: clock) }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      return (done, clock.now.sinceZero)
    }
    #expect(done == 10_000)
    #expect(elapsed < .seconds(9.01))
  }
}

/// Devices that race timeouts, hop between actors and draw random numbers. The hash covers the order of all
/// events.
private func busyBuilding(seed: UInt64) async throws -> UInt64 {
  try await VirtualTime.run { clock in
    let log = Log()
    let generator = SeededGenerator(seed: seed)
    await withTaskGroup { group in
      for device in 0..<200 {
        group.addTask {
          var own = generator.split("device/\(device)")
          for step in 0..<10 {
            let nap = own.duration(in: .milliseconds(1)...(.seconds(2)))
            let inTime = await beatsTimeout(nap: nap, timeout: .seconds(1), clock: clock)
            await log.add("\(device) \(step) \(inTime) \(clock.now.sinceZero)")
          }
        }
      }
    }
    return await log.hash
  }
}

private func beatsTimeout(nap: Duration, timeout: Duration, clock: VirtualClock) async -> Bool {
  await withTaskGroup(of: Bool.self) { group in
    group.addTask { (try? await clock.sleep(for: nap)) != nil }
    group.addTask {
      try? await clock.sleep(for: timeout)
      return false
    }
    defer { group.cancelAll() }
    return await group.next() ?? false
  }
}

private enum Marked {
  @TaskLocal static var mark = "nobody's"
}

/// A list of timer calls. It is not an actor, because timers cannot await.
private final class Calls: Sendable {
  private let entries = Mutex<[String]>([])
  var lines: [String] { entries.withLock(\.self) }
  func add(_ line: String) { entries.withLock { $0.append(line) } }
}

private actor Log {
  private(set) var lines: [String] = []
  /// FNV-1a over the lines, because Swift's own hashes differ between processes.
  var hash: UInt64 {
    lines.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
  }

  func add(_ line: String) { lines.append(line) }
}

/// Waits for a release, ignoring cancellation.
private actor Kept {
  private var waiting: CheckedContinuation<Void, Never>?

  func wait() async {
    await withCheckedContinuation { waiting = $0 }
  }

  func release() {
    waiting?.resume()
    waiting = nil
  }
}
