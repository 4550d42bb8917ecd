import CLinux
import Glibc
import Synchronization

/// The loop of a `LoopExecutor`. It runs jobs, then sources, then timers, and sleeps when there is nothing to
/// do. In virtual time it does not sleep: its clock jumps to the next timer. It is a separate class so that the
/// thread keeps the loop alive, but not the executor.
///
/// `@unchecked Sendable`: only the loop's thread uses `sources`, `newSources` and `descriptors`. Everything
/// else is thread-safe.
final class EventLoop: @unchecked Sendable {
  /// The maximum number of consecutive job batches before sources and timers run.
  private static let mostBatches = 64
  /// The maximum number of iterations without polling the descriptors while there is always work.
  private static let mostTurns = 16

  let queue = RunQueue()
  private let timers = Lock(TimerQueue<SuspendingClock.Instant, @Sendable () -> Void>())
  private let isStopped = Atomic(false)
  /// The instant at which a virtual clock stands; nil in real time.
  private let virtualNow: Lock<SuspendingClock.Instant>?
  /// How much work outside a loop in virtual time is under way; its clock stands still meanwhile.
  private let outsideWork = Atomic(0)
  /// Called once if nothing can happen in virtual time any more: no job, no source and no timer is left.
  private let onDeadlock = Lock<(@Sendable () -> Void)?>(nil)
  private var sources = LoopSources()
  /// Sources that have not run yet.
  private var newSources: [any LoopSource] = []
  private var descriptors: [pollfd] = []

  init(isVirtual: Bool = false) {
    virtualNow = isVirtual ? Lock(.now) : nil
  }

  func runOnNewThread() {
    onThreadOfItsOwn { self.run() }
  }

  var isVirtual: Bool { virtualNow != nil }

  /// The time of the loop's timers.
  var now: SuspendingClock.Instant { virtualNow?.withLock { $0 } ?? .now }

  func setDeadlockHandler(_ handler: @escaping @Sendable () -> Void) {
    onDeadlock.withLock { $0 = handler }
  }

  func beginOutsideWork() { outsideWork.add(1, ordering: .releasing) }

  func endOutsideWork() {
    outsideWork.subtract(1, ordering: .releasing)
    queue.wake()
  }

  /// Stops the loop once the queue is empty.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    queue.wake()
  }

  // MARK: Timers

  func schedule(at instant: SuspendingClock.Instant, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    let id = timers.withLock { $0.add(body, at: instant) }
    // The loop checks the timers after `prepareToSleep`, so it either sees this timer or is woken.
    if !queue.isCurrent { queue.wake() }
    return LoopTimer(loop: self, id: id)
  }

  func cancel(_ timer: UInt64) {
    // The body is released outside the lock, because its deinitialisers may run then.
    _ = timers.withLock { $0.remove(timer) }
  }

  private func callTimers() {
    guard timers.withLock({ !$0.isEmpty }) else { return }
    let now = now
    while let body = timers.withLock({ $0.popFirst(dueAt: now) }) { body() }
  }

  /// Nanoseconds until the first timer is due; -1 if there is none.
  private func timeToFirstTimer() -> Int64 {
    guard let instant = timers.withLock({ $0.earliest }) else { return -1 }
    let left = SuspendingClock.now.duration(to: instant).components
    if left.seconds < 0 || left.attoseconds < 0 { return 0 }
    // Rounded up, so that the timer is due when the wait ends. The wait is limited to one year.
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
      if isIdle, let virtualNow { advance(virtualNow) } else { wait(mayBlock: isIdle) }
    }
  }

  /// Jumps to the next timer, unless work outside the loop is under way. Without a timer, waits for a job from
  /// another thread, and then reports a deadlock.
  private func advance(_ now: Lock<SuspendingClock.Instant>) {
    let isHeld = outsideWork.load(ordering: .acquiring) > 0
    if !isHeld, let next = timers.withLock({ $0.earliest }) {
      return now.withLock { $0 = max($0, next) }
    }
    guard queue.prepareToSleep() else { return }
    descriptors = [pollfd(fd: queue.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    clinux_wait(&descriptors, 1, isHeld ? -1 : 250_000_000)
    queue.endSleep(wasSignalled: descriptors[0].revents != 0)
    guard !isHeld, queue.isEmpty else { return }
    onDeadlock.withLock { handler in
      defer { handler = nil }
      return handler
    }?()
  }

  /// Adds a source, which runs until it ends. Call it on the loop's thread.
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

  /// Polls the descriptors. If `mayBlock`, waits for a descriptor, a job from another thread, or a timer.
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
