import Bluetooth

/// What will happen, ordered by (instant, sequence): a binary heap.
struct EventQueue<Event> {
  private struct Entry {
    var instant: MonotonicInstant
    var sequence: UInt64
    var event: Event

    static func < (a: Self, b: Self) -> Bool {
      (a.instant, a.sequence) < (b.instant, b.sequence)
    }
  }

  private var heap: [Entry] = []
  private var nextSequence: UInt64 = 0

  /// When the next event is due.
  var first: MonotonicInstant? { heap.first?.instant }

  mutating func insert(_ event: Event, at instant: MonotonicInstant) {
    heap.append(Entry(instant: instant, sequence: nextSequence, event: event))
    nextSequence += 1
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out the next event if it is due by `instant`.
  mutating func popFirst(dueBy instant: MonotonicInstant) -> Event? {
    guard let first = heap.first, first.instant <= instant else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first.event }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      guard least != parent else { return first.event }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
