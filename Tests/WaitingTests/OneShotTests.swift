import Testing
import Waiting

@Suite("A value that is set once") struct OneShotTests {
  @Test("is there for who comes later")
  func before() async {
    let shot = OneShot<Int>()
    #expect(shot.fulfill(1))
    #expect(await shot.value() == 1)
    #expect(await shot.valueEvenIfCancelled() == 1)
  }

  @Test("is the first one only")
  func first() async {
    let shot = OneShot<Int>()
    #expect(shot.fulfill(1))
    #expect(!shot.fulfill(2))
    #expect(await shot.value() == 1)
  }

  @Test("comes to all who wait")
  func everybody() async {
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

  @Test("is nil to a task that is cancelled while it waits, and to no other")
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

  @Test("comes to a cancelled task when it is there, or when the task waits all the same")
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
