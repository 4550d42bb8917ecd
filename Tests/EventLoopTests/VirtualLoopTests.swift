import Bluetooth
import EventLoop
import Foundation
import Testing

@Suite("A loop in virtual time", .timeLimit(.minutes(60)))
struct VirtualLoopTests {
  @Test("the clock jumps to the next timer")
  func jumps() async throws {
    let elapsed = try await LoopExecutor.runInVirtualTime {
      let clock = SystemClock()
      try await clock.sleep(for: .seconds(86_400))
      return clock.now.sinceZero
    }
    #expect(elapsed == .seconds(86_400))
  }

  @Test("work that may block runs on the loop, with a thread of its own in real time")
  func blockingWork() async throws {
    let isShared = try await LoopExecutor.runInVirtualTime {
      LoopExecutor.forBlockingWork() === LoopExecutor.current
    }
    #expect(isShared)
    let isSeparate = LoopExecutor.run { LoopExecutor.forBlockingWork() !== LoopExecutor.current }
    #expect(isSeparate)
  }

  /// A program that runs long enough for thousands of timers of the loop.
  private static func runProgram() async -> Int32 {
    await withCheckedContinuation { ended in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done"]
      process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { ended.resume(returning: -1) }
    }
  }

  @Test("the clock stands still while work outside the loop is under way, and other tasks go on")
  func outside() async throws {
    let (status, elapsed, ticks) = try await LoopExecutor.runInVirtualTime {
      let clock = SystemClock()
      return try await withThrowingTaskGroup(of: Void.self) { group in
        let (stream, tick) = AsyncStream.makeStream(of: Void.self)
        group.addTask {
          while (try? await clock.sleep(for: .milliseconds(1))) != nil { tick.yield() }
          tick.finish()
        }
        try await clock.sleep(for: .milliseconds(10))
        let before = clock.now
        let status = await LoopExecutor.waitingOutside { await Self.runProgram() }
        let elapsed = before.duration(to: clock.now)
        try await clock.sleep(for: .milliseconds(10))
        group.cancelAll()
        var ticks = 0
        for await _ in stream { ticks += 1 }
        return (status, elapsed, ticks)
      }
    }
    #expect(status == 0)
    #expect(elapsed == .zero)
    #expect((18...20).contains(ticks), "\(ticks)")
  }

  @Test("the clock of an outer loop stands still while an inner one runs")
  func nested() async throws {
    let elapsed = try await LoopExecutor.runInVirtualTime {
      let clock = SystemClock()
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { while (try? await clock.sleep(for: .milliseconds(1))) != nil {} }
        try await LoopExecutor.runInVirtualTime { try await SystemClock().sleep(for: .seconds(60)) }
        group.cancelAll()
        return clock.now.sinceZero
      }
    }
    #expect(elapsed == .zero)
  }
}
