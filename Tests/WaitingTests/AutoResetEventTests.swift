import Testing
import Waiting

@Suite("AutoResetEvent: a signal to one waiting task") struct AutoResetEventTests {
  @Test("a signal without a waiting task is stored, at most once")
  func before() async {
    let event = AutoResetEvent()
    event.signal()
    event.signal()
    await event.wait()
    // If two signals were stored, the task would end before its cancellation unnoticed. So none is left here.
    let isOver = OneShot<Void>()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await event.waitEvenIfCancelled()
        isOver.fulfill()
      }
      #expect(await noValue(of: isOver))
      event.signal()
      await group.waitForAll()
    }
    #expect(await isOver.value() != nil)
  }

  @Test("a signal resumes the waiting task")
  func waiting() async {
    let event = AutoResetEvent()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await event.wait() }
      event.signal()
      await group.waitForAll()
    }
  }

  @Test("a cancelled task stops waiting and does not consume the next task's signal")
  func cancellation() async {
    let event = AutoResetEvent()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await event.wait() }
      group.cancelAll()
      await group.waitForAll()
    }
    event.signal()
    await event.waitEvenIfCancelled()
  }

  @Test("two tasks that signal each other alternately lose no signal")
  func pingPong() async {
    let (ping, pong) = (AutoResetEvent(), AutoResetEvent())
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<1000 {
          await ping.wait()
          pong.signal()
        }
      }
      group.addTask {
        for _ in 0..<1000 {
          ping.signal()
          await pong.wait()
        }
      }
      await group.waitForAll()
    }
  }

  /// Whether no value arrives while other tasks run.
  private func noValue(of shot: OneShot<Void>) async -> Bool {
    for _ in 0..<100 { await Task.yield() }
    return await withTaskGroup(of: Bool.self) { group in
      group.cancelAll()
      group.addTask { await shot.value() == nil }
      return await group.next() ?? false
    }
  }
}
