import Bluetooth
import EventLoop
import DBus

extension BlueZCentral {
  /// Runs work that must be done even if the calling task is cancelled, and waits for it.
  ///
  /// A cancelled task cannot send messages any more, so the work runs in another task on the connection's
  /// loop, which begins and ends within this call. The work must be bounded in time.
  nonisolated func shielded<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> Result {
    await Task(executorPreference: executor.tasks) { await work() }.value
  }
}
