import Bluetooth
import HeapModule

/// Future events ordered by (instant, sequence). Only small entries are sorted; the events themselves are not
/// moved.
struct EventQueue<Event> {
  private struct Entry: Comparable {
    var instant: MonotonicInstant
    var sequence: UInt64
    var slot: Int

    static func < (a: Self, b: Self) -> Bool {
      (a.instant, a.sequence) < (b.instant, b.sequence)
    }

    static func == (a: Self, b: Self) -> Bool { a.sequence == b.sequence }
  }

  private var heap = Heap<Entry>()
  private var nextSequence: UInt64 = 0
  private var events: [Event?] = []
  private var freeSlots: [Int] = []

  /// When the next event is due.
  var first: MonotonicInstant? { heap.min?.instant }

  mutating func insert(_ event: Event, at instant: MonotonicInstant) {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
      events[slot] = event
    } else {
      slot = events.count
      events.append(event)
    }
    heap.insert(Entry(instant: instant, sequence: nextSequence, slot: slot))
    nextSequence += 1
  }

  /// Removes and returns the next event if it is due at `instant`.
  mutating func popFirst(dueBy instant: MonotonicInstant) -> Event? {
    guard let first = heap.min, first.instant <= instant else { return nil }
    heap.removeMin()
    freeSlots.append(first.slot)
    return events[first.slot].take()
  }
}
