import Bluetooth
import CLinux
import EventLoop
import Glibc
import Synchronization

/// A single thread that runs all jobs of a simulation in the order in which they became runnable. Time
/// advances only when there is no job left to run.
///
/// State shared between threads is atomic or protected by the lock of `time`. That lock is pthread-based
/// because the thread sanitizer does not support `Synchronization.Mutex`.
final class VirtualExecutor: TaskExecutor {
  /// The result of a finished loop.
  struct Ending {
    var deadlockedAt: MonotonicInstant?
    var foreignJobs: Int
  }

  private typealias Sleepers = TimerQueue<MonotonicInstant, Sleeper>

  /// What happens at the due time.
  private enum Sleeper {
    /// A sleeping task; resumed with true if it slept to the end.
    case task(CheckedContinuation<Bool, Never>)
    /// A timer without a task.
    case timer(@Sendable () -> Void)
  }

  private struct Time {
    var now = MonotonicInstant(sinceZero: .zero)
    var sleepers = Sleepers()
    /// The loop has ended or is resuming the remaining sleepers: no task can sleep any more.
    var isOver = false
  }

  /// The maximum number of jobs that run after the body has ended, or was cancelled because of a deadlock.
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

  /// Sleeps until `deadline`. Returns true when the time has come, false on cancellation.
  func sleep(until deadline: MonotonicInstant) async -> Bool {
    let id = time.withLock { $0.sleepers.reserveID() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        // Checked under the lock that the cancellation handler also takes, so that the handler runs either
        // before or after this block.
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

  /// Removes a sleeper or timer. Has no effect after its due time.
  fileprivate func remove(_ id: UInt64) {
    let removed = time.withLock { $0.sleepers.remove(id) }
    if case .task(let wake)? = removed { wake.resume(returning: false) }
  }

  // MARK: The loop

  /// Requests cancellation of the body. The loop cancels it between two jobs, on its own thread.
  func cancelBody() {
    isCancelled.store(true, ordering: .releasing)
  }

  /// Records that the body has ended.
  func finish() {
    isDone.store(true, ordering: .releasing)
  }

  /// Runs a body, whose first job is already enqueued, and all its jobs to the end on the calling thread.
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
      // Cancel the body so that it can end in an orderly way, then report the deadlock.
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

  /// Waits before a deadlock is reported: work that left the simulation may still return, and `escaped` is
  /// then the better diagnosis. This is the only wait in real time, and only a run that fails anyway reaches
  /// it.
  private func awaitForeignJob() -> Bool {
    guard jobs.prepareToSleep() else { return true }
    var descriptor = pollfd(fd: jobs.wakeDescriptor, events: Int16(POLLIN), revents: 0)
    clinux_wait(&descriptor, 1, 250_000_000)
    jobs.endSleep(wasSignalled: descriptor.revents != 0)
    return !jobs.isEmpty
  }

  /// Runs the remaining jobs and resumes all sleepers as if cancelled, so that no task stays suspended.
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
