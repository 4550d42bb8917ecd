import Bluetooth
import CLinux
import EventLoop
import Glibc
import Synchronization

/// One thread that runs every job of a simulation in the order they became runnable, and lets time pass
/// only when there is nothing left to do: the event loop without the events.
///
/// What threads share is behind `time`'s lock or atomic. A `pthread`-backed lock and not `Synchronization.Mutex`, which the
/// thread sanitizer cannot see.
final class VirtualExecutor: TaskExecutor {
  /// What a finished loop has to say.
  struct Ending {
    var deadlockedAt: MonotonicInstant?
    var foreignJobs: Int
  }

  private typealias Sleepers = TimerQueue<MonotonicInstant, Sleeper>

  /// What happens when the time has come.
  private enum Sleeper {
    /// A task sleeps: it goes on with whether it slept to the end.
    case task(CheckedContinuation<Bool, Never>)
    /// A timer without a task.
    case timer(@Sendable () -> Void)
  }

  private struct Time {
    var now = MonotonicInstant(sinceZero: .zero)
    var sleepers = Sleepers()
    /// The loop has ended, or is waking whoever is left: nobody falls asleep any more.
    var isOver = false
  }

  /// How many jobs a body that was cancelled (after a deadlock) or has ended may still run.
  private static let lastJobs = 100_000

  private let jobs = RunQueue()
  private let foreignJobs = Atomic(0)
  private let time = Lock(Time())
  /// The body has ended.
  private let isDone = Atomic(false)
  private let isCancelled = Atomic(false)

  var now: MonotonicInstant { time.withLock { $0.now } }

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    if jobs.add(.taskJob(UnownedJob(job), self)) { foreignJobs.add(1, ordering: .relaxed) }
  }

  // MARK: Sleeping

  /// Sleeps; true when woken by the time, false when by cancellation.
  func sleep(until deadline: MonotonicInstant) async -> Bool {
    let id = time.withLock { $0.sleepers.reserveID() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        // Asked under the lock that the cancellation handler takes too: it can come before or after,
        // not in between.
        let isCancelled = time.withLock { time in
          if Task.isCancelled || time.isOver { return true }
          time.sleepers.insert(.task(wake), as: id, at: max(deadline, time.now))
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
    let id = time.withLock { time in
      let id = time.sleepers.reserveID()
      if !time.isOver { time.sleepers.insert(.timer(body), as: id, at: max(deadline, time.now)) }
      return id
    }
    return VirtualCall(executor: self, id: id)
  }

  /// Takes out a sleeper or a timer before its time; nothing happens when its time has come.
  fileprivate func remove(_ id: UInt64) {
    let removed = time.withLock { $0.sleepers.remove(id) }
    if case .task(let wake)? = removed { wake.resume(returning: false) }
  }

  // MARK: The loop

  /// Asks for the body to be cancelled; done by the loop between two jobs, on its own thread.
  func cancelBody() {
    isCancelled.store(true, ordering: .releasing)
  }

  /// The body has ended.
  func finish() {
    isDone.store(true, ordering: .releasing)
  }

  /// Runs a body, whose first job is enqueued already, and all that comes of it, to its end on the calling thread.
  func loop(_ body: Task<Void, Never>) -> Ending {
    jobs.adopt()
    var deadlockedAt: MonotonicInstant?
    var hasPassedOnCancellation = false
    while !isDone.load(ordering: .acquiring) {
      if !hasPassedOnCancellation, isCancelled.load(ordering: .acquiring) {
        hasPassedOnCancellation = true
        body.cancel()
      }
      guard !runNextJob(), !wakeNextSleeper(), !awaitForeignJob() else { continue }
      // Let the body end in an orderly way if cancelling brings it to its senses, then report.
      deadlockedAt = now
      body.cancel()
      runLastJobs()
      break
    }
    runLastJobs()
    return Ending(deadlockedAt: deadlockedAt, foreignJobs: foreignJobs.load(ordering: .acquiring))
  }

  private func runNextJob() -> Bool {
    if let item = jobs.takeFromBatch() {
      run(item)
      return true
    }
    guard jobs.beginBatch(), let item = jobs.takeFromBatch() else { return false }
    run(item)
    return true
  }

  private func run(_ item: RunQueue.Item) {
    guard case .taskJob(let job, let executor) = item else {
      preconditionFailure("only tasks run in virtual time")
    }
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
  }

  private func wakeNextSleeper() -> Bool {
    let sleeper: Sleeper? = time.withLock { time in
      guard let first = time.sleepers.popFirst() else { return nil }
      time.now = max(time.now, first.instant)
      return first.value
    }
    switch sleeper {
    case .task(let wake): wake.resume(returning: true)
    case .timer(let body): body()
    case nil: return false
    }
    return true
  }

  /// Before a deadlock is declared: whoever left the simulation may be on the way back, and "escaped" is the
  /// better diagnosis. This is the one wait in real time, and only a run that fails anyway comes here.
  private func awaitForeignJob() -> Bool {
    guard jobs.prepareToSleep() else { return true }
    var descriptor = pollfd(fd: jobs.wakeDescriptor, events: Int16(POLLIN), revents: 0)
    clinux_wait(&descriptor, 1, 250_000_000)
    jobs.endSleep(wasSignalled: descriptor.revents != 0)
    return !jobs.isEmpty
  }

  /// Runs what is still runnable, waking all sleepers as if cancelled, so that nothing stays suspended.
  private func runLastJobs() {
    time.withLock { $0.isOver = true }
    for _ in 0..<Self.lastJobs {
      if runNextJob() { continue }
      guard let sleeper = time.withLock({ $0.sleepers.popFirst() }) else { return }
      if case .task(let wake) = sleeper.value { wake.resume(returning: false) }
    }
  }
}

/// A timer of a run in virtual time.
private struct VirtualCall: ScheduledCall {
  let executor: VirtualExecutor
  let id: UInt64

  func cancel() { executor.remove(id) }
}
