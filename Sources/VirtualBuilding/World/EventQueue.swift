import Bluetooth
import HeapModule

/// What will happen, ordered by (instant, sequence). What is ordered is small: the events themselves stay where they
/// are until they happen.
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

  /// Takes out the next event if it is due by `instant`.
  mutating func popFirst(dueBy instant: MonotonicInstant) -> Event? {
    guard let first = heap.min, first.instant <= instant else { return nil }
    heap.removeMin()
    freeSlots.append(first.slot)
    return events[first.slot].take()
  }
}
