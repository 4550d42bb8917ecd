import Bluetooth
import Foundation
import Synchronization

/// One thread that runs every job of a simulation in the order they became runnable, and lets time pass
/// only when there is nothing left to do.
///
/// `@unchecked Sendable` is right because all mutable state is touched only with `condition` locked, or, like the
/// batch in hand, by the one thread that `loop` runs on (`thread` itself is written once, before any job exists).
/// A `pthread`-backed lock and not `Synchronization.Mutex`, which the thread sanitizer cannot see.
final class VirtualExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// What a finished loop has to say.
  struct Ending {
    var deadlockedAt: MonotonicInstant?
    var foreignJobs: Int
  }

  /// How many jobs a body that was cancelled (after a deadlock) or has ended may still run.
  private static let lastJobs = 100_000

  private let condition = NSCondition()
  private var thread: pthread_t?
  /// Runnable, and not yet in hand.
  private var jobs: [UnownedJob] = []
  /// What the loop has in hand, taken over at once: a lock for each batch instead of one for each job.
  private var batch: [UnownedJob] = []
  private var nextInBatch = 0
  private var foreignJobs = 0
  private var sleepers = SleeperQueue()
  private var nextSleeper: SleeperQueue.SleeperID = 0
  private var instant = MonotonicInstant(sinceZero: .zero)
  /// The body has ended.
  private var isDone = false
  /// The loop has ended, or is waking whoever is left: nobody falls asleep any more.
  private var isOver = false
  private var cancellation = Cancellation.none
  /// `isDone` or `cancellation` has changed: asked between any two jobs, without a lock.
  private let hasNews = Atomic(false)

  private enum Cancellation { case none, asked, passedOn }

  var now: MonotonicInstant { condition.withLock { instant } }

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      // Before there is a thread, there is one job: the body's first, which is no stranger.
      if let thread, pthread_equal(thread, pthread_self()) == 0 {
        foreignJobs += 1
        condition.signal()
      }
      jobs.append(job)
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Whether the caller is on the simulation's thread.
  func checkIsolated() {
    let thread = condition.withLock { self.thread }
    precondition(thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false, "not on the virtual thread")
  }

  // MARK: Sleeping

  /// Sleeps; true when woken by the time, false when by cancellation.
  func sleep(until deadline: MonotonicInstant) async -> Bool {
    let id = condition.withLock {
      nextSleeper += 1
      return nextSleeper
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        // Asked under the lock that the cancellation handler takes too: it can come before or after,
        // not in between.
        let isCancelled = condition.withLock {
          if Task.isCancelled || isOver { return true }
          sleepers.insert(id, until: max(deadline, instant), .task(wake))
          return false
        }
        if isCancelled { wake.resume(returning: false) }
      }
    } onCancel: {
      remove(id)
    }
  }

  /// Sets a timer that calls `body` on this thread.
  func schedule(at deadline: MonotonicInstant, _ body: @escaping @Sendable () -> Void) -> any ScheduledCall {
    condition.withLock {
      nextSleeper += 1
      if !isOver { sleepers.insert(nextSleeper, until: max(deadline, instant), .call(body)) }
      return VirtualCall(executor: self, id: nextSleeper)
    }
  }

  /// Takes out a sleeper or a timer before its time; nothing happens when its time has come.
  fileprivate func remove(_ id: SleeperQueue.SleeperID) {
    if case .task(let wake)? = condition.withLock({ sleepers.remove(id) }) { wake.resume(returning: false) }
  }

  // MARK: The loop

  /// Asks for the body to be cancelled; done by the loop between two jobs, on its own thread.
  func cancelBody() {
    condition.withLock { if cancellation == .none { cancellation = .asked } }
    hasNews.store(true, ordering: .releasing)
  }

  /// The body has ended.
  func finish() {
    condition.withLock { isDone = true }
    hasNews.store(true, ordering: .releasing)
  }

  /// Runs a body, whose first job is enqueued already, and all that comes of it, to its end on the calling thread.
  func loop(_ body: Task<Void, Never>) -> Ending {
    condition.withLock { thread = pthread_self() }
    var deadlockedAt: MonotonicInstant?
    while true {
      if hasNews.load(ordering: .relaxed), hasNews.exchange(false, ordering: .acquiringAndReleasing) {
        if condition.withLock({ isDone }) { break }
        if takeCancellation() { body.cancel() }
      }
      guard !runNextJob(), !wakeNextSleeper(), !awaitForeignJob() else { continue }
      // Let the body end in an orderly way if cancelling brings it to its senses, then report.
      deadlockedAt = now
      body.cancel()
      runLastJobs()
      break
    }
    runLastJobs()
    return Ending(deadlockedAt: deadlockedAt, foreignJobs: condition.withLock { foreignJobs })
  }

  private func takeCancellation() -> Bool {
    condition.withLock {
      guard cancellation == .asked else { return false }
      cancellation = .passedOn
      return true
    }
  }

  private func runNextJob() -> Bool {
    if nextInBatch == batch.count {
      batch.removeAll(keepingCapacity: true)
      nextInBatch = 0
      condition.withLock { swap(&jobs, &batch) }
      if batch.isEmpty { return false }
    }
    let job = batch[nextInBatch]
    nextInBatch += 1
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    return true
  }

  private func wakeNextSleeper() -> Bool {
    let wake: SleeperQueue.Wake? = condition.withLock {
      guard let first = sleepers.popFirst() else { return nil }
      instant = max(instant, first.instant)
      return first.wake
    }
    switch wake {
    case .task(let wake): wake.resume(returning: true)
    case .call(let body): body()
    case nil: return false
    }
    return true
  }

  /// Before a deadlock is declared: whoever left the simulation may be on the way back, and "escaped" is the
  /// better diagnosis. This is the one wait in real time, and only a run that fails anyway comes here.
  private func awaitForeignJob() -> Bool {
    condition.withLock {
      if jobs.isEmpty { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.25)) }
      return !jobs.isEmpty
    }
  }

  /// Runs what is still runnable, waking all sleepers as if cancelled, so that nothing stays suspended.
  private func runLastJobs() {
    condition.withLock { isOver = true }
    for _ in 0..<Self.lastJobs {
      if runNextJob() { continue }
      guard let sleeper = condition.withLock({ sleepers.popFirst() }) else { return }
      if case .task(let wake) = sleeper.wake { wake.resume(returning: false) }
    }
  }
}

/// A timer of a run in virtual time.
private struct VirtualCall: ScheduledCall {
  let executor: VirtualExecutor
  let id: SleeperQueue.SleeperID

  func cancel() { executor.remove(id) }
}
