/// One thread for everything: jobs of tasks and actors, timers, and sources with file descriptors, such as connections to
/// a bus. A real run is what a run in virtual time is.
///
/// An actor that pins itself to it (`unownedExecutor`) shares the thread with the sources: its calls to them cost no change
/// of thread, and their handlers may `assumeIsolated` into it. It must keep a strong reference to the executor. Tasks whose
/// preference is `tasks` run on the thread wherever they belong to no pinned actor. Nothing on the loop may block or
/// compute for long: while it does, nothing is received.
public final class LoopExecutor: SerialExecutor {
  /// The loop that the current task belongs to, where a command runs on one.
  @TaskLocal public static var current: LoopExecutor?

  private let loop = EventLoop()
  /// The thread as a preference of tasks.
  public let tasks: LoopTasks

  private init() {
    tasks = LoopTasks(loop)
  }

  deinit {
    loop.stop()
  }

  /// A loop on a new thread, which lives as long as the executor is referred to.
  public static func startThread() -> LoopExecutor {
    let executor = LoopExecutor()
    executor.loop.runOnNewThread()
    return executor
  }

  /// Runs `body`, and whatever it makes of itself, on a loop on the calling thread, and returns when `body` does.
  public static func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
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

  /// Takes a job from the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.queue.add(.actorJob(UnownedJob(job), self))
  }

  /// For `assumeIsolated` where no job is running: in timers, and in handlers of sources.
  public func checkIsolated() {
    precondition(loop.queue.isCurrent, "not on the loop's thread")
  }

  /// Whether the current thread is this one.
  public func isIsolatingCurrentContext() -> Bool? {
    loop.queue.isCurrent
  }

  /// Runs `work` on the thread, after everything that was enqueued before.
  public func post(_ work: @escaping @Sendable () -> Void) {
    loop.queue.add(.work(work))
  }

  /// Sets a timer: calls `body` on the thread, at the instant or after it, unless it is cancelled before.
  public func schedule(at instant: SuspendingClock.Instant, _ body: @escaping @Sendable () -> Void)
    -> LoopTimer
  {
    loop.schedule(at: instant, body)
  }

  /// The same, so long from now.
  public func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    schedule(at: .now + delay, body)
  }

  /// From here on the thread serves this source too, until it ends or nobody refers to it. Call it on the thread.
  public func serve(_ source: any LoopSource) {
    precondition(loop.queue.isCurrent, "not on the loop's thread")
    loop.serve(source)
  }
}

/// A loop as a preference of tasks: where their code runs that belongs to no actor. Apart from the `LoopExecutor`, so that
/// the runtime is told of each job what it is; a job that claims to be an actor's is enqueued again at each call of a
/// function that belongs to none.
public final class LoopTasks: TaskExecutor {
  private let loop: EventLoop

  fileprivate init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// Takes a job from the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.queue.add(.taskJob(UnownedJob(job), self))
  }
}

/// A timer of a loop.
public struct LoopTimer: Sendable {
  let loop: EventLoop
  let id: UInt64

  /// The body is not called, unless it is being called or was already. May be called from any thread.
  public func cancel() { loop.cancel(id) }
}
