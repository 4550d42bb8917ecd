import Bluetooth
import EventLoop

/// Runs asynchronous work in virtual time: on one thread, deterministically, as fast as the machine can.
///
/// Supported are child tasks, task groups, `async let`, actors, `AsyncStream` and continuations. Not
/// supported are bare `Task {}`, `Task.detached`, the main actor, and other threads or queues: such work runs
/// outside, in real time, and is reported when it returns to the simulation. Two timers with the *same*
/// instant fire in the order in which they were set. Use distinct instants where that order matters, because
/// the number of executor hops before a timer is set differs between debug and release builds.
package enum VirtualTime {
  /// Runs `body` to its end and returns its value. The clock starts at zero.
  ///
  /// Cancelling the calling task cancels `body`. When `body` has ended, tasks that still sleep are resumed as
  /// if cancelled.
  /// - Throws: any error of `body`; `VirtualTimeError`, which has precedence.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable (VirtualClock) async throws -> Value
  ) async throws -> Value {
    let executor = VirtualExecutor()
    let outcome = Lock<Result<Value, any Error>?>(nil)
    // Created here and not on the simulation's thread, so that the task inherits the caller's task-local
    // values. Swift Testing uses these to assign an issue to its test.
    let task = Task(executorPreference: executor) {
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(VirtualClock(executor: executor)))
      } catch {
        result = .failure(error)
      }
      outcome.withLock { $0 = result }
      executor.finish()
    }
    let ending = await withTaskCancellationHandler {
      await withCheckedContinuation { (done: CheckedContinuation<VirtualExecutor.Ending, Never>) in
        onSimulationThread { done.resume(returning: executor.loop(task)) }
      }
    } onCancel: {
      executor.cancelBody()
    }
    if ending.foreignJobs > 0 { throw VirtualTimeError.escaped(jobs: ending.foreignJobs) }
    if let instant = ending.deadlockedAt { throw VirtualTimeError.deadlock(at: instant) }
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("the loop ended before the body did")
    }
    return try result.get()
  }
}
