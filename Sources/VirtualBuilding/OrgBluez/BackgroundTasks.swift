import Synchronization

/// Work that outlives the call that began it, as children of one task: `run()` holds them all, and
/// when it is cancelled they are.
final class BackgroundTasks: Sendable {
  typealias Work = @Sendable () async -> Void

  private let source: AsyncStream<Work>
  private let feed: AsyncStream<Work>.Continuation

  init() {
    (source, feed) = AsyncStream.makeStream()
  }

  /// Begins work; it starts as soon as `run()` runs.
  /// - Returns: what ends it before its time.
  @discardableResult
  func start(_ work: @escaping Work) -> Handle {
    let handle = Handle()
    feed.yield {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await work() }
        group.addTask { await handle.ended.value() }
        await group.next()
        group.cancelAll()
      }
    }
    return handle
  }

  /// Runs what is started until this task is cancelled; returns when all of it has ended.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await work in source {
        group.addTask { await work() }
      }
      group.cancelAll()
    }
  }

  /// One piece of work.
  struct Handle: Sendable {
    fileprivate let ended = OneShot<Void>()

    /// Ends it; it sees its task cancelled.
    func cancel() { ended.fulfill(()) }
  }
}

/// A value that comes once, for anyone who waits.
final class OneShot<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Gives the value. Only the first one counts.
  func fulfill(_ value: Value) {
    let waiting = state.withLock { state -> [Int: CheckedContinuation<Value?, Never>] in
      guard state.value == nil else { return [:] }
      state.value = value
      defer { state.waiting = [:] }
      return state.waiting
    }
    for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume(returning: value) }
  }

  /// The value, once it is there; nil when the waiting task is cancelled first.
  @discardableResult
  func value() async -> Value? {
    let ticket = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: Value?? = state.withLock { state in
          if let value = state.value { return .some(value) }
          if Task.isCancelled { return .some(nil) }
          state.waiting[ticket] = continuation
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: nil)
    }
  }
}
