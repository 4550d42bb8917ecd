import Waiting

/// Work that outlives the call that started it, as child tasks of `run()`. They are cancelled when `run()`
/// is.
final class BackgroundTasks: Sendable {
  typealias Work = @Sendable () async -> Void

  private let source: AsyncStream<Work>
  private let feed: AsyncStream<Work>.Continuation

  init() {
    (source, feed) = AsyncStream.makeStream()
  }

  /// Starts work; it begins as soon as `run()` runs.
  /// - Returns: A handle that cancels it.
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

  /// Runs the work until this task is cancelled; returns when all of it has ended.
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

    func cancel() { ended.fulfill() }
  }
}
