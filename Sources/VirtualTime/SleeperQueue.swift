import Bluetooth

/// Sleeping tasks and timers: a binary heap ordered by (instant, sequence), so that of two that are due at the same
/// instant, the one that was set first comes first.
struct SleeperQueue {
  /// A number that is never given out twice.
  typealias SleeperID = UInt64

  /// What happens when the time has come.
  enum Wake {
    /// A task sleeps: it goes on with whether it slept to the end.
    case task(CheckedContinuation<Bool, Never>)
    /// A timer without a task.
    case call(@Sendable () -> Void)
  }

  private struct Entry {
    var instant: MonotonicInstant
    var id: SleeperID

    static func < (a: Self, b: Self) -> Bool {
      (a.instant, a.id) < (b.instant, b.id)
    }
  }

  /// May hold entries of sleepers that were cancelled; they are dropped on the way out.
  private var heap: [Entry] = []
  /// Looked up only, never iterated: its order decides nothing.
  private var waking: [SleeperID: Wake] = [:]

  /// Nobody sleeps.
  var isEmpty: Bool { waking.isEmpty }

  mutating func insert(_ id: SleeperID, until instant: MonotonicInstant, _ wake: Wake) {
    waking[id] = wake
    heap.append(Entry(instant: instant, id: id))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out the sleeper who is to wake first.
  mutating func popFirst() -> (instant: MonotonicInstant, wake: Wake)? {
    while let first = popEntry() {
      if let wake = waking.removeValue(forKey: first.id) { return (first.instant, wake) }
    }
    return nil
  }

  /// Takes out one sleeper before its time; nil when it is not asleep.
  mutating func remove(_ id: SleeperID) -> Wake? {
    defer { dropGhosts() }
    return waking.removeValue(forKey: id)
  }

  /// A timeout that is cancelled long before its time would lie in the heap until then; once the
  /// cancelled ones are in the majority, the heap is built anew without them.
  private mutating func dropGhosts() {
    guard heap.count > 64, heap.count > 2 * waking.count else { return }
    heap = heap.filter { waking[$0.id] != nil }
    // A sorted array is a heap.
    heap.sort { $0 < $1 }
  }

  private mutating func popEntry() -> Entry? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
