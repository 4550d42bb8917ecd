import CLinux
import Glibc
import Synchronization

/// The loop behind a `LoopExecutor`: jobs first, then sources, then timers; it sleeps when there is none of them. It is a class
/// of its own so that a thread that runs it keeps it, and not the executor, alive.
///
/// `@unchecked Sendable`: `sources`, `newSources` and `descriptors` are touched only on the thread that runs the loop; everything else is
/// safe from every thread.
final class EventLoop: @unchecked Sendable {
  /// Batches of jobs that lead to new jobs before sources and timers have their turn.
  private static let mostBatches = 64
  /// Turns without a look at the descriptors, while there is always something to do.
  private static let mostTurns = 16

  let queue = RunQueue()
  private let timers = Lock(TimerQueue<SuspendingClock.Instant, @Sendable () -> Void>())
  private let isStopped = Atomic(false)
  private var sources = LoopSources()
  /// Those that have not had a turn yet.
  private var newSources: [any LoopSource] = []
  private var descriptors: [pollfd] = []

  func runOnNewThread() {
    let context = Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    precondition(failure == 0, "no thread: \(String(cString: strerror(failure)))")
    pthread_detach(thread)
  }

  /// Ends the loop when nothing waits to be run any more.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    queue.wake()
  }

  // MARK: Timers

  func schedule(at instant: SuspendingClock.Instant, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    let id = timers.withLock { $0.add(body, at: instant) }
    // The loop looks at the timers after it has announced that it sleeps: so it has seen this one, or is woken.
    if !queue.isCurrent { queue.wake() }
    return LoopTimer(loop: self, id: id)
  }

  func cancel(_ timer: UInt64) {
    // Released outside of the lock: what the body holds may end with it.
    _ = timers.withLock { $0.remove(timer) }
  }

  private func callTimers() {
    guard timers.withLock({ !$0.isEmpty }) else { return }
    let now = SuspendingClock.now
    while let body = timers.withLock({ $0.popFirst(dueAt: now) }) { body() }
  }

  /// Nanoseconds until the first timer is due; -1 without any.
  private func timeToFirstTimer() -> Int64 {
    guard let instant = timers.withLock({ $0.earliest }) else { return -1 }
    let left = SuspendingClock.now.duration(to: instant).components
    if left.seconds < 0 || left.attoseconds < 0 { return 0 }
    // Rounded up, so that the timer is due when the time is over. A year is as good as for ever.
    return min(left.seconds, 31_536_000) * 1_000_000_000 + left.attoseconds / 1_000_000_000 + 1
  }

  // MARK: The loop

  func run() {
    queue.adopt()
    var turns = 0
    while true {
      runJobs()
      let hasMore = takeTurns()
      callTimers()
      if isStopped.load(ordering: .acquiring), queue.isEmpty { return }
      turns += 1
      let isIdle = queue.isEmpty && !hasMore
      guard isIdle || turns >= Self.mostTurns else { continue }
      turns = 0
      wait(mayBlock: isIdle)
    }
  }

  /// From now on the source has its turns, until it ends. Only on the loop's thread.
  func serve(_ source: any LoopSource) {
    newSources.append(source)
  }

  private func takeTurns() -> Bool {
    for source in newSources { sources.add(source) }
    newSources.removeAll()
    return sources.takeTurns()
  }

  private func runJobs() {
    for _ in 0..<Self.mostBatches {
      guard queue.beginBatch() else { return }
      while let item = queue.takeFromBatch() { run(item) }
    }
  }

  private func run(_ item: RunQueue.Item) {
    switch item {
    case .actorJob(let job, let executor): job.runSynchronously(on: executor.asUnownedSerialExecutor())
    case .taskJob(let job, let executor): job.runSynchronously(on: executor.asUnownedTaskExecutor())
    case .work(let work): work()
    }
  }

  /// Looks which descriptors are ready; with nothing to do, waits for one, for a job of another thread or for a timer.
  private func wait(mayBlock: Bool) {
    let mayBlock = mayBlock && queue.prepareToSleep() && !isStopped.load(ordering: .acquiring)
    descriptors.removeAll(keepingCapacity: true)
    descriptors.append(pollfd(fd: queue.wakeDescriptor, events: Int16(POLLIN), revents: 0))
    sources.appendDescriptors(to: &descriptors)
    clinux_wait(&descriptors, Int32(descriptors.count), mayBlock ? timeToFirstTimer() : 0)
    queue.endSleep(wasSignalled: descriptors[0].revents != 0)
    sources.note(descriptors[1...])
  }
}
