import CLinux
import Glibc

/// The thread of one connection, as an executor: jobs in the order in which they came, and between them the
/// connection's reading, writing and deadlines.
///
/// An actor that pins itself to it (`unownedExecutor`) shares the connection's thread: its calls to the
/// connection cost no switch, signal handlers may `assumeIsolated` into it, and what it hears comes in the order
/// of the wire. It must keep a strong reference to the `BusThread`. The thread lives as long as that, and outlives
/// the connection. Nothing on it may block or compute for long.
public final class BusThread: SerialExecutor {
  private let loop: BusLoop
  /// For tasks that are to start on this thread.
  let tasks: BusTasks
  /// The same, for others who live on it.
  public var taskExecutor: any TaskExecutor { tasks }

  init() {
    loop = BusLoop()
    tasks = BusTasks(loop)
    loop.start()
  }

  deinit {
    loop.stop()
  }

  /// Takes a job from the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.add(.actorJob(UnownedJob(job), self))
  }

  /// For `assumeIsolated` where no job is running: in signal handlers.
  public func checkIsolated() {
    precondition(loop.isCurrent, "not on the bus thread")
  }

  /// Whether the current thread is this one.
  public func isIsolatingCurrentContext() -> Bool? {
    loop.isCurrent
  }

  /// Runs `work` on the thread, after everything that was enqueued before.
  func post(_ work: @escaping @Sendable () -> Void) {
    loop.add(.work(work))
  }

  /// From here on the thread serves this connection too, as long as it exists. Call it on the thread.
  func serve(_ connection: Connection) {
    loop.serve(connection)
  }
}

/// The thread as a preference of tasks: where their code runs that belongs to no actor. Apart from the `BusThread`, so
/// that the runtime is told of each job what it is.
final class BusTasks: TaskExecutor {
  private let loop: BusLoop

  fileprivate init(_ loop: BusLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    loop.add(.taskJob(UnownedJob(job), self))
  }
}

/// What a connection waits for between two turns of the loop.
struct BusInterest {
  /// The socket.
  var descriptor: Int32
  /// Whether something waits to be written.
  var wantsToWrite: Bool
  /// Whether there is more to be handled, without reading.
  var hasMore: Bool
  /// When the next call runs out of time.
  var deadline: SuspendingClock.Instant?
}

/// The loop behind a `BusThread`. It is a class of its own so that the running thread keeps it, and not the
/// executor, alive.
///
/// `@unchecked Sendable`: what threads share is behind `queue`'s lock or immutable after `start`; `connection` is
/// touched on the loop's thread alone.
private final class BusLoop: @unchecked Sendable {
  enum Item {
    /// With the executor, which must live until the job has run.
    case actorJob(UnownedJob, BusThread)
    case taskJob(UnownedJob, BusTasks)
    case work(@Sendable () -> Void)
  }

  private struct Queue {
    var items: [Item] = []
    var isSleeping = false
    var isStopped = false
    var thread: pthread_t?
  }

  /// Rounds of jobs that lead to new jobs before the socket gets its turn.
  private static let mostRounds = 64

  private let queue = Lock(Queue())
  private let wake: Int32
  private weak var connection: Connection?

  init() {
    wake = clinux_wake_open()
    // Without descriptors left nothing of ours works; the caller has no way to go on from here.
    precondition(wake >= 0, "no eventfd: \(String(cString: strerror(errno)))")
  }

  deinit {
    close(wake)
  }

  func start() {
    let context = Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<BusLoop>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    precondition(failure == 0, "no thread: \(String(cString: strerror(failure)))")
    pthread_detach(thread)
  }

  var isCurrent: Bool {
    queue.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  func serve(_ connection: Connection) {
    self.connection = connection
  }

  func add(_ item: sending Item) {
    let mustWake = queue.withLock { queue in
      queue.items.append(item)
      defer { queue.isSleeping = false }
      return queue.isSleeping
    }
    if mustWake { clinux_wake_signal(wake) }
  }

  func stop() {
    let mustWake = queue.withLock { queue in
      queue.isStopped = true
      defer { queue.isSleeping = false }
      return queue.isSleeping
    }
    if mustWake { clinux_wake_signal(wake) }
  }

  private func run() {
    queue.withLock { $0.thread = pthread_self() }
    var isReady = false
    while true {
      runJobs()
      let interest = advance(isReady: isReady)
      guard !queue.withLock({ $0.isStopped && $0.items.isEmpty }) else { return }
      isReady = sleep(interest)
    }
  }

  private func runJobs() {
    for _ in 0..<Self.mostRounds {
      let items = queue.withLock { queue in
        let items = queue.items
        queue.items = []
        return items
      }
      if items.isEmpty { return }
      for item in items {
        switch item {
        case .actorJob(let job, let executor):
          job.runSynchronously(on: executor.asUnownedSerialExecutor())
        case .taskJob(let job, let executor):
          job.runSynchronously(on: executor.asUnownedTaskExecutor())
        case .work(let work):
          work()
        }
      }
    }
  }

  /// In a function of its own, so that the connection is not kept alive while the thread sleeps.
  private func advance(isReady: Bool) -> BusInterest? {
    guard let connection else { return nil }
    return connection.assumeIsolated { $0.advance(isReady: isReady) }
  }

  /// Waits for the socket, for a job or for a deadline.
  /// - Returns: whether the socket has something to read, or room to write.
  private func sleep(_ interest: BusInterest?) -> Bool {
    let maySleep = queue.withLock { queue in
      queue.isSleeping = queue.items.isEmpty && !queue.isStopped && interest?.hasMore != true
      return queue.isSleeping
    }
    // poll(2) passes over a negative descriptor.
    var descriptors = [
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: interest?.descriptor ?? -1,
        events: Int16(POLLIN) | (interest?.wantsToWrite == true ? Int16(POLLOUT) : 0), revents: 0),
    ]
    poll(&descriptors, 2, maySleep ? Self.milliseconds(until: interest?.deadline) : 0)
    queue.withLock { $0.isSleeping = false }
    if descriptors[0].revents != 0 { clinux_wake_clear(wake) }
    return descriptors[1].revents != 0
  }

  /// Rounded up, so that the deadline has passed when the time is over; -1 for ever.
  private static func milliseconds(until deadline: SuspendingClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = SuspendingClock.now.duration(to: deadline)
    if left <= .zero { return 0 }
    return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
  }
}
