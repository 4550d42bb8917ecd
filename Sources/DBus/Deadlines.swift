/// Deadlines of calls, the earliest first: a binary heap. A call that is answered leaves its deadline behind, until
/// those outnumber the ones still of use.
struct Deadlines {
  private var heap: [(at: SuspendingClock.Instant, serial: UInt32)] = []

  /// The earliest one.
  var first: SuspendingClock.Instant? { heap.first?.at }

  mutating func add(_ serial: UInt32, at instant: SuspendingClock.Instant) {
    heap.append((instant, serial))
    var child = heap.count - 1
    while child > 0, heap[child].at < heap[(child - 1) / 2].at {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes out one that has passed.
  mutating func popPassed(at now: SuspendingClock.Instant) -> UInt32? {
    guard let first = heap.first, first.at <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while 2 * parent + 1 < heap.count {
      let left = 2 * parent + 1
      let right = left + 1
      let least = right < heap.count && heap[right].at < heap[left].at ? right : left
      guard heap[least].at < heap[parent].at else { break }
      heap.swapAt(parent, least)
      parent = least
    }
    return first.serial
  }

  /// Forgets those nobody waits for, once they are the greater part.
  mutating func prune(waiting: Int, isWaiting: (UInt32) -> Bool) {
    guard heap.count > 2 * waiting + 64 else { return }
    let live = heap.filter { isWaiting($0.serial) }
    heap = []
    for deadline in live { add(deadline.serial, at: deadline.at) }
  }
}
