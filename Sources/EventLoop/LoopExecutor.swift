/// A single thread that runs jobs of tasks and actors, timers, and sources with file descriptors such as
/// D-Bus connections. A real run executes as a run in virtual time does: on one thread.
///
/// An actor that uses it as its `unownedExecutor` shares the thread with the sources: calls to the sources
/// need no thread switch, and their handlers may use `assumeIsolated`. Such an actor must keep a strong
/// reference to the executor. Tasks with the preference `tasks` run on the thread unless an actor decides
/// otherwise. Code on the loop must not block or compute for long, because nothing is received meanwhile.
package final class LoopExecutor: SerialExecutor {
  /// The loop of the current task; nil if the command does not run on one.
  @TaskLocal package static var current: LoopExecutor?

  private let loop: EventLoop
  package let tasks: LoopTasks

  private init(isVirtual: Bool = false) {
    loop = EventLoop(isVirtual: isVirtual)
    tasks = LoopTasks(loop)
  }

  deinit {
    loop.stop()
  }

  /// Starts a loop on a new thread. The thread ends when the last reference to the executor is gone.
  package static func startThread() -> LoopExecutor {
    let executor = LoopExecutor()
    executor.loop.runOnNewThread()
    return executor
  }

  /// A loop for work that may block, such as that of a disk or a terminal: on a new thread, so that the task's loop
  /// does not wait. In virtual time it is the task's loop, because the clock must not move on meanwhile.
  package static func forBlockingWork() -> LoopExecutor {
    if let current, current.isVirtual { return current }
    return startThread()
  }

  /// Runs `body`, which waits for something outside the loop: a program, a person. In virtual time the clock
  /// stands still meanwhile.
  package static func waitingOutside<Result: Sendable>(_ body: () async -> Result) async -> Result {
    guard let loop = current?.loop else { return await body() }
    loop.beginOutsideWork()
    defer { loop.endOutsideWork() }
    return await body()
  }

  /// Runs `body` and its child tasks on a loop on the calling thread. Returns when `body` does.
  package static func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
    let executor = LoopExecutor()
    let result = Lock<Result?>(nil)
    _ = Task(executorPreference: executor.tasks) {
      let value = await $current.withValue(executor) { await body() }
      result.withLock { $0 = value }
      executor.loop.stop()
    }
    executor.loop.run()
    guard let value = result.withLock({ $0 }) else {
      preconditionFailure("the loop ended before the body did")
    }
    return value
  }

  /// Runs `body` and its child tasks on a loop in virtual time, on a thread of its own: while there is a job or
  /// a message the clock stands still, then it jumps to the next timer. Everything that `body` uses must run on
  /// this loop and in this process, as a `SystemClock` and the connections of a `LocalBus` do, or wait in
  /// `waitingOutside`. The clock of an outer loop in virtual time stands still until this one has ended.
  /// - Throws: any error of `body`; `LoopDeadlock` if `body` waits for something that can never happen.
  package static func runInVirtualTime<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let executor = LoopExecutor(isVirtual: true)
    let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
    let isDeadlocked = Lock(false)
    // Created here so that it inherits the task-local values of the caller.
    let task = Task(executorPreference: executor.tasks) {
      let result: Swift.Result<Result, any Error>
      do {
        result = .success(try await $current.withValue(executor) { try await body() })
      } catch {
        result = .failure(error)
      }
      outcome.withLock { $0 = result }
      executor.loop.stop()
    }
    executor.loop.setDeadlockHandler {
      isDeadlocked.withLock { $0 = true }
      task.cancel()
    }
    let runOnThread = current?.isVirtual == true ? onThreadWithLargeStack : onSimulationThread
    await waitingOutside {
      await withTaskCancellationHandler {
        await withCheckedContinuation { ended in
          runOnThread { [loop = executor.loop] in
            loop.run()
            ended.resume()
          }
        }
      } onCancel: {
        task.cancel()
      }
    }
    if isDeadlocked.withLock({ $0 }) { throw LoopDeadlock() }
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("the loop ended before the body did")
    }
    return try result.get()
  }

  package var isVirtual: Bool { loop.isVirtual }

  /// The time of the loop's timers.
  package var now: SuspendingClock.Instant { loop.now }

  package func enqueue(_ job: consuming ExecutorJob) {
    loop.queue.add(.actorJob(UnownedJob(job), self))
  }

  /// Supports `assumeIsolated` while no job is running: in timers and in handlers of sources.
  package func checkIsolated() {
    precondition(loop.queue.isCurrent, "not on the loop's thread")
  }

  /// Whether the current thread is the loop's thread.
  package func isIsolatingCurrentContext() -> Bool? {
    loop.queue.isCurrent
  }

  /// Runs `work` on the thread, after everything that was enqueued before it.
  package func post(_ work: @escaping @Sendable () -> Void) {
    loop.queue.add(.work(work))
  }

  /// Sets a timer: calls `body` on the thread at `instant` or later, unless it is cancelled first.
  package func schedule(at instant: SuspendingClock.Instant, _ body: @escaping @Sendable () -> Void)
    -> LoopTimer
  {
    loop.schedule(at: instant, body)
  }

  /// Sets a timer that is due after `delay`.
  package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    schedule(at: now + delay, body)
  }

  /// Adds a source, which the thread serves until it ends or is deallocated. Call it on the loop's thread.
  package func serve(_ source: any LoopSource) {
    precondition(loop.queue.isCurrent, "not on the loop's thread")
    loop.serve(source)
  }
}

/// A run in virtual time waited although no job, message or timer was left.
package struct LoopDeadlock: Error {}

/// A loop as a task executor: it runs task code that belongs to no actor. It is separate from `LoopExecutor`
/// because the runtime must distinguish the two kinds of job. A job enqueued as an actor's job would be
/// enqueued again at each call of a nonisolated function.
package final class LoopTasks: TaskExecutor {
  private let loop: EventLoop

  fileprivate init(_ loop: EventLoop) {
    self.loop = loop
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    loop.queue.add(.taskJob(UnownedJob(job), self))
  }
}

package struct LoopTimer: Sendable {
  let loop: EventLoop
  let id: UInt64

  /// Cancels the timer. It has no effect if the body is running or has run. Any thread may call it.
  package func cancel() { loop.cancel(id) }
}
