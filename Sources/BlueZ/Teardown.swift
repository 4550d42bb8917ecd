import Bluetooth
import EventLoop
import DBus

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
