/// What is due at some instant, the earliest first: a binary heap ordered by (instant, sequence), so that of two entries
/// that are due at the same instant, the one that was added first comes first.
public struct TimerQueue<Instant: Comparable, Value> {
  /// A number that is never given out twice.
  public typealias ID = UInt64

  @usableFromInline struct Entry {
    @usableFromInline var instant: Instant
    @usableFromInline var id: ID

    @inlinable init(instant: Instant, id: ID) {
      self.instant = instant
      self.id = id
    }

    @inlinable static func < (a: Self, b: Self) -> Bool {
      (a.instant, a.id) < (b.instant, b.id)
    }
  }

  @usableFromInline var lastID: ID = 0
  /// May hold entries that were removed; they are dropped on the way out.
  @usableFromInline var heap: [Entry] = []
  /// Looked up only, never iterated: its order decides nothing.
  @usableFromInline var values: [ID: Value] = [:]

  /// An empty queue.
  @inlinable public init() {}

  /// Whether nothing is due, ever.
  @inlinable public var isEmpty: Bool { values.isEmpty }

  /// The number of the next entry, for callers that need it before they add the entry.
  @inlinable public mutating func reserveID() -> ID {
    lastID += 1
    return lastID
  }

  /// Adds an entry under a number that was reserved.
  @inlinable public mutating func insert(_ value: Value, as id: ID, at instant: Instant) {
    values[id] = value
    heap.append(Entry(instant: instant, id: id))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Adds an entry.
  @inlinable public mutating func add(_ value: Value, at instant: Instant) -> ID {
    let id = reserveID()
    insert(value, as: id, at: instant)
    return id
  }

  /// When the first entry is due.
  @inlinable public var earliest: Instant? {
    mutating get {
      while let first = heap.first {
        if values[first.id] != nil { return first.instant }
        _ = popEntry()
      }
      return nil
    }
  }

  /// Takes out the entry that is due first.
  @inlinable public mutating func popFirst() -> (instant: Instant, value: Value)? {
    while let first = popEntry() {
      if let value = values.removeValue(forKey: first.id) { return (first.instant, value) }
    }
    return nil
  }

  /// Takes out the entry that is due first, if it is due at `now`.
  @inlinable public mutating func popFirst(dueAt now: Instant) -> Value? {
    guard let earliest, earliest <= now else { return nil }
    return popFirst()?.value
  }

  /// Takes out one entry before its time; nil when it is not there.
  @inlinable public mutating func remove(_ id: ID) -> Value? {
    defer { dropRemoved() }
    return values.removeValue(forKey: id)
  }

  /// A timeout that is cancelled long before its time would stay in the heap until then. Once the removed ones are in the
  /// majority, the heap is built anew without them.
  @inlinable mutating func dropRemoved() {
    guard heap.count > 64, heap.count > 2 * values.count else { return }
    heap = heap.filter { values[$0.id] != nil }
    // A sorted array is a heap.
    heap.sort { $0 < $1 }
  }

  @inlinable mutating func popEntry() -> Entry? {
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
