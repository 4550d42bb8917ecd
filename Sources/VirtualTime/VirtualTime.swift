import Bluetooth
import EventLoop
import Foundation

/// Runs asynchronous work in virtual time: on one thread, deterministically, as fast as the machine can.
///
/// Covered are child tasks, task groups, `async let`, actors, `AsyncStream`, continuations. Not covered are bare
/// `Task {}`, `Task.detached`, the main actor and any thread or queue of one's own: such work runs
/// outside, in real time, and is reported when it comes back. Two timers at the *same* instant wake in
/// the order in which they were set; give timers distinct instants where that order could matter, because the number
/// of hops before setting one differs between debug and release builds.
public enum VirtualTime {
  /// Runs `body` to its end and returns what it returns. The clock begins at zero.
  ///
  /// Cancelling the calling task cancels `body`. When `body` has ended, whatever it left asleep is woken as
  /// if cancelled.
  /// - Throws: what `body` throws; `VirtualTimeError`, which has precedence.
  public static func run<Value: Sendable>(
    _ body: @escaping @Sendable (VirtualClock) async throws -> Value
  ) async throws -> Value {
    let executor = VirtualExecutor()
    let outcome = Lock<Result<Value, any Error>?>(nil)
    // Made here and not on the simulation's thread, so that it inherits the caller's task-local values: by
    // these a test knows which test an issue belongs to.
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
        let thread = Thread { done.resume(returning: executor.loop(task)) }
        thread.name = "virtual-time"
        // Deeply nested synchronous calls of a body get what the main thread would give them.
        thread.stackSize = 8 << 20
        thread.start()
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
