import EventLoop
import Testing

@Suite("The timer queue")
struct TimerQueueTests {
  @Test("the earliest entry comes first, and of equal ones the one that was added first")
  func order() {
    var queue = TimerQueue<Int, String>()
    for (index, instant) in [3, 1, 2, 1, 3].enumerated() { _ = queue.add("\(index)", at: instant) }
    #expect(queue.earliest == 1)
    var values: [String] = []
    while let first = queue.popFirst() { values.append("\(first.value)@\(first.instant)") }
    #expect(values == ["1@1", "3@1", "2@2", "0@3", "4@3"])
    #expect(queue.isEmpty)
    #expect(queue.earliest == nil)
  }

  @Test("an entry is returned only when it is due")
  func due() {
    var queue = TimerQueue<Int, String>()
    _ = queue.add("a", at: 1)
    _ = queue.add("b", at: 2)
    #expect(queue.popFirst(dueAt: 0) == nil)
    #expect(queue.popFirst(dueAt: 1) == "a")
    #expect(queue.popFirst(dueAt: 1) == nil)
    #expect(queue.popFirst(dueAt: 5) == "b")
  }

  @Test("a removed entry is never returned, however many are removed")
  func removal() {
    var queue = TimerQueue<Int, Int>()
    let ids = (0..<1000).map { queue.add($0, at: 1000 - $0) }
    for (number, id) in ids.enumerated() where number % 10 != 0 {
      #expect(queue.remove(id) == number)
      #expect(queue.remove(id) == nil)
    }
    #expect(queue.earliest == 10)
    var values: [Int] = []
    while let first = queue.popFirst() { values.append(first.value) }
    #expect(values == stride(from: 990, through: 0, by: -10).map(\.self))
  }
}
