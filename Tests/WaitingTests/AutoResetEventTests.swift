import Testing
import Waiting

@Suite("A signal to one waiting task") struct AutoResetEventTests {
  @Test("is kept when nobody waits yet, once")
  func before() async {
    let event = AutoResetEvent()
    event.signal()
    event.signal()
    await event.wait()
    // Were two kept, the task would be over before it is cancelled, and this could not tell; so nothing is left here.
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

  @Test("lets a task go on that waits")
  func while_() async {
    let event = AutoResetEvent()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await event.wait() }
      event.signal()
      await group.waitForAll()
    }
  }

  @Test("a cancelled task waits no longer, and takes no signal away from the next one")
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

  @Test("goes back and forth without losing one")
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

  /// Whether nothing comes while other tasks get their turns.
  private func noValue(of shot: OneShot<Void>) async -> Bool {
    for _ in 0..<100 { await Task.yield() }
    return await withTaskGroup(of: Bool.self) { group in
      group.cancelAll()
      group.addTask { await shot.value() == nil }
      return await group.next() ?? false
    }
  }
}
