/// Entries ordered by due time: a binary heap ordered by (instant, sequence number). Of two entries with the
/// same instant, the one that was added first comes first.
public struct TimerQueue<Instant: Comparable, Value> {
  /// The sequence number of an entry; never reused.
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
  /// May contain removed entries, which are dropped when they reach the front.
  @usableFromInline var heap: [Entry] = []
  /// Used only for lookup, never iterated, so its order decides nothing.
  @usableFromInline var values: [ID: Value] = [:]

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Whether there is no entry.
  @inlinable public var isEmpty: Bool { values.isEmpty }

  /// Reserves the number of an entry, for callers that need it before they insert the entry.
  @inlinable public mutating func reserveID() -> ID {
    lastID += 1
    return lastID
  }

  /// Inserts an entry with a reserved number.
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

  /// Adds an entry and returns its number.
  @inlinable public mutating func add(_ value: Value, at instant: Instant) -> ID {
    let id = reserveID()
    insert(value, as: id, at: instant)
    return id
  }

  /// The instant of the first entry; nil if there is none.
  @inlinable public var earliest: Instant? {
    mutating get {
      while let first = heap.first {
        if values[first.id] != nil { return first.instant }
        _ = popEntry()
      }
      return nil
    }
  }

  /// Removes and returns the first entry.
  @inlinable public mutating func popFirst() -> (instant: Instant, value: Value)? {
    while let first = popEntry() {
      if let value = values.removeValue(forKey: first.id) { return (first.instant, value) }
    }
    return nil
  }

  /// Removes and returns the first entry if it is due at `now`.
  @inlinable public mutating func popFirst(dueAt now: Instant) -> Value? {
    guard let earliest, earliest <= now else { return nil }
    return popFirst()?.value
  }

  /// Removes an entry before it is due; nil if it does not exist.
  @inlinable public mutating func remove(_ id: ID) -> Value? {
    defer { dropRemoved() }
    return values.removeValue(forKey: id)
  }

  /// Rebuilds the heap when more than half of its entries have been removed. Otherwise a cancelled timeout
  /// would stay in the heap until its due time.
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
