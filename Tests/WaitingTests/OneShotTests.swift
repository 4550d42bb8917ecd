import Testing
import Waiting

@Suite("OneShot: a value that is set once") struct OneShotTests {
  @Test("a task that waits after the value was set gets it")
  func before() async {
    let shot = OneShot<Int>()
    #expect(shot.fulfill(1))
    #expect(await shot.value() == 1)
    #expect(await shot.valueEvenIfCancelled() == 1)
  }

  @Test("only the first value counts")
  func first() async {
    let shot = OneShot<Int>()
    #expect(shot.fulfill(1))
    #expect(!shot.fulfill(2))
    #expect(await shot.value() == 1)
  }

  @Test("all waiting tasks get the value")
  func allWaiters() async {
    let shot = OneShot<Int>()
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<10 { group.addTask { await shot.value() } }
      for _ in 0..<10 { group.addTask { await shot.valueEvenIfCancelled() } }
      group.addTask {
        shot.fulfill(7)
        return 7
      }
      for await value in group { #expect(value == 7) }
    }
  }

  @Test("a task that is cancelled while it waits gets nil, and other tasks do not")
  func cancelled() async {
    let shot = OneShot<Int>()
    await withTaskGroup(of: Int?.self) { other in
      other.addTask { await shot.value() }
      await withTaskGroup(of: Int?.self) { group in
        group.addTask { await shot.value() }
        group.cancelAll()
        for await value in group { #expect(value == nil) }
      }
      shot.fulfill(7)
      for await value in other { #expect(value == 7) }
    }
  }

  @Test("a cancelled task gets a value that is set, or waits for it if it asks for that")
  func shielded() async {
    let set = OneShot<Int>()
    set.fulfill(1)
    let late = OneShot<Int>()
    await withTaskGroup(of: Int?.self) { group in
      group.cancelAll()
      group.addTask { await set.value() }
      group.addTask { await late.valueEvenIfCancelled() }
      late.fulfill(1)
      for await value in group { #expect(value == 1) }
    }
  }
}
