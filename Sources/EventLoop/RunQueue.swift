import CLinux
import Glibc
import Synchronization

/// What waits to be run by one thread, first in first out. The run queue of the event loop and of virtual time.
///
/// The thread itself adds without a lock. What other threads add is taken over when everything before it has been run, and
/// wakes the thread if it sleeps.
///
/// `@unchecked Sendable`: `current`, `position` and `next` are touched only by the thread that `adopt` was called on, which
/// `add` makes sure of; everything else is behind `foreign`'s lock, atomic, or immutable.
package final class RunQueue: @unchecked Sendable {
  /// One thing to run. A job comes with its executor, which must live until the job has been run.
  package enum Item {
    /// A job of an actor that is pinned to this thread.
    case actorJob(UnownedJob, any SerialExecutor)
    /// A job of a task that prefers this thread.
    case taskJob(UnownedJob, any TaskExecutor)
    /// A function.
    case work(@Sendable () -> Void)
  }

  private struct Foreign {
    var items: [Item] = []
    var isSleeping = false
  }

  /// The eventfd on which the thread sleeps.
  package let wakeDescriptor: Int32
  /// The thread that runs the items, as a number; 0 before there is one.
  private let thread = Atomic<UInt>(0)
  private let foreign = Lock(Foreign())
  /// Whether `foreign` has items: asked before each batch without the lock.
  private let hasForeign = Atomic(false)

  private var current: [Item] = []
  private var position = 0
  private var next: [Item] = []

  /// An empty queue, of no thread yet.
  package init() {
    wakeDescriptor = clinux_wake_open()
    // Without descriptors left nothing of ours works; the caller has no way to go on from here.
    precondition(wakeDescriptor >= 0, "no eventfd: \(String(cString: strerror(errno)))")
  }

  deinit {
    close(wakeDescriptor)
  }

  // MARK: Any thread

  /// Whether the calling thread is the one that runs the items.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Adds an item behind all others.
  /// - Returns: whether another thread than the one that runs the items added it.
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

  /// Whether nothing waits to be run.
  package var isEmpty: Bool {
    position == current.count && next.isEmpty && !hasForeign.load(ordering: .acquiring)
  }

  /// Takes the next item of the batch; nil at its end.
  package func takeFromBatch() -> Item? {
    guard position < current.count else { return nil }
    defer { position += 1 }
    return current[position]
  }

  /// Begins the next batch: everything that has been added by now. Only at the end of the one before.
  /// - Returns: whether there is one.
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

  /// Announces that the thread is about to sleep on `wakeDescriptor`: from now on others wake it.
  /// - Returns: whether it may sleep.
  package func prepareToSleep() -> Bool {
    foreign.withLock { foreign in
      foreign.isSleeping = foreign.items.isEmpty
      return foreign.isSleeping
    }
  }

  /// The thread is awake again.
  /// - Parameter wasSignalled: whether `wakeDescriptor` is readable.
  package func endSleep(wasSignalled: Bool) {
    foreign.withLock { $0.isSleeping = false }
    if wasSignalled { clinux_wake_clear(wakeDescriptor) }
  }
}
