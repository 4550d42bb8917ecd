import CLinux
import Glibc
import Synchronization

/// The first-in, first-out run queue of one thread. The event loop and virtual time use it.
///
/// The thread itself adds items without a lock. Items from other threads are taken when all earlier items
/// have run, and wake the thread if it sleeps.
///
/// `@unchecked Sendable`: only the thread that called `adopt` uses `current`, `position` and `next`; `add`
/// checks this. Everything else is protected by the lock of `foreign`, atomic, or immutable.
package final class RunQueue: @unchecked Sendable {
  /// An item to run. A job keeps a reference to its executor, which must live until the job has run.
  package enum Item {
    /// A job of an actor that is pinned to this thread.
    case actorJob(UnownedJob, any SerialExecutor)
    /// A job of a task that prefers this thread.
    case taskJob(UnownedJob, any TaskExecutor)
    case work(@Sendable () -> Void)
  }

  private struct Foreign {
    var items: [Item] = []
    var isSleeping = false
  }

  /// The eventfd on which the thread sleeps.
  package let wakeDescriptor: Int32
  /// The `pthread_t` of the thread that runs the items; 0 before `adopt`.
  private let thread = Atomic<UInt>(0)
  private let foreign = Lock(Foreign())
  /// Whether `foreign` has items. Checked before each batch without taking the lock.
  private let hasForeign = Atomic(false)

  private var current: [Item] = []
  private var position = 0
  private var next: [Item] = []

  /// Creates an empty queue without a thread.
  package init() {
    wakeDescriptor = clinux_wake_open()
    // A process without free file descriptors cannot continue.
    precondition(wakeDescriptor >= 0, "cannot create an eventfd: \(String(cString: strerror(errno)))")
  }

  deinit {
    close(wakeDescriptor)
  }

  // MARK: Any thread

  /// Whether the calling thread is the one that runs the items.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Appends an item.
  /// - Returns: Whether the call came from a thread other than the one that runs the items.
  @discardableResult
  package func add(_ item: sending Item) -> Bool {
    if isCurrent {
      next.append(item)
      return false
    }
    let mustWake = foreign.withLock { foreign in
      foreign.items.append(item)
      hasForeign.store(true, ordering: .releasing)
      defer { foreign.isSleeping = false }
      return foreign.isSleeping
    }
    if mustWake { clinux_wake_signal(wakeDescriptor) }
    return thread.load(ordering: .relaxed) != 0
  }

  /// Wakes the thread if it sleeps.
  package func wake() {
    let mustWake = foreign.withLock { foreign in
      defer { foreign.isSleeping = false }
      return foreign.isSleeping
    }
    if mustWake { clinux_wake_signal(wakeDescriptor) }
  }

  // MARK: The thread that runs the items

  /// Makes the calling thread the one that runs the items.
  package func adopt() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
  }

  package var isEmpty: Bool {
    position == current.count && next.isEmpty && !hasForeign.load(ordering: .acquiring)
  }

  /// Takes the next item of the current batch; nil at its end.
  package func takeFromBatch() -> Item? {
    guard position < current.count else { return nil }
    defer { position += 1 }
    return current[position]
  }

  /// Starts the next batch: everything that has been added so far. Call it only when the current batch is
  /// empty.
  /// - Returns: Whether there is a batch.
  package func beginBatch() -> Bool {
    current.removeAll(keepingCapacity: true)
    position = 0
    swap(&current, &next)
    if hasForeign.exchange(false, ordering: .acquiring) {
      let items = foreign.withLock { foreign in
        defer { foreign.items = [] }
        return foreign.items
      }
      current.append(contentsOf: items)
    }
    return !current.isEmpty
  }

  /// Announces that the thread will sleep on `wakeDescriptor`: other threads wake it from now on.
  /// - Returns: Whether it may sleep.
  package func prepareToSleep() -> Bool {
    foreign.withLock { foreign in
      foreign.isSleeping = foreign.items.isEmpty
      return foreign.isSleeping
    }
  }

  /// Records that the thread is awake again.
  /// - Parameter wasSignalled: Whether `wakeDescriptor` is readable.
  package func endSleep(wasSignalled: Bool) {
    foreign.withLock { $0.isSleeping = false }
    if wasSignalled { clinux_wake_clear(wakeDescriptor) }
  }
}
