import Waiting

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
    func cancel() { ended.fulfill() }
  }
}
