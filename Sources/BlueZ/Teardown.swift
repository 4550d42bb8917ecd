import Bluetooth
import EventLoop

extension BlueZCentral {
  /// Does work that must be done although the calling task is cancelled, and waits for it.
  ///
  /// A cancelled task cannot send anything any more, so this takes another one, on the connection's loop: it
  /// begins and ends within this call, and nothing outlives it. The work itself must be bounded in time.
  nonisolated func shielded<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> Result {
    await Task(executorPreference: executor.tasks) { await work() }.value
  }
}

/// The result of `work`, or nil when `limit` has passed on the clock first; `work` is then cancelled and its
/// end awaited.
func bounded<Result: Sendable>(
  by limit: Duration, on clock: any TimeSource, _ work: @escaping @Sendable () async -> Result
) async -> Result? {
  await withTaskGroup(of: Result?.self) { group in
    group.addTask { await work() }
    group.addTask {
      // Cancelled means that `work` was faster, or that the caller was cancelled: then `work` knows, too.
      try? await clock.sleep(for: limit)
      return nil
    }
    let first = await group.next() ?? nil
    group.cancelAll()
    if let first { return first }
    // The end of `work` may have come in the same moment.
    return await group.next() ?? nil
  }
}

/// The result of `work`, or the error that `obstacle` returns first: a call that may never be answered is
/// given up when what it needs is gone.
///
/// An answer that has arrived counts even if the obstacle is learnt of earlier.
func race<Success: Sendable>(
  _ work: @escaping @Sendable () async throws(CentralError) -> Success,
  against obstacle: @escaping @Sendable () async -> CentralError?
) async throws(CentralError) -> Success {
  let result = await withTaskGroup(of: Finish<Success>.self) { group -> Result<Success, CentralError> in
    group.addTask {
      do throws(CentralError) {
        return .work(.success(try await work()))
      } catch {
        return .work(.failure(error))
      }
    }
    group.addTask { .obstacle(await obstacle()) }
    var met: CentralError?
    for await finish in group {
      switch finish {
      case .work(.success(let value)):
        group.cancelAll()
        return .success(value)
      case .work(.failure(let error)):
        group.cancelAll()
        return .failure(met ?? error)
      case .obstacle(let error):
        guard let error else { continue }
        met = error
        group.cancelAll()
      }
    }
    return .failure(met ?? CentralError(.cancelled))
  }
  return try result.get()
}

/// Which of the two ended, and how.
private enum Finish<Success: Sendable>: Sendable {
  case work(Result<Success, CentralError>)
  case obstacle(CentralError?)
}
