import Synchronization

/// An event for one waiting task. Each signal releases the waiting task once. A signal without a waiting task
/// is stored, at most one. A waiting task checks its condition again, so an extra release does no harm.
package final class AutoResetEvent: Sendable {
  private enum State {
    case unset
    case set
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.unset)

  /// Creates an event without a signal.
  package init() {}

  /// Releases the waiting task, or the next task that waits.
  package func signal() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard case .awaited(let waiter) = state else {
        state = .set
        return nil
      }
      state = .unset
      return waiter
    }
    waiter?.resume()
  }

  /// Waits for a signal or for cancellation of the task. Only one task may wait at a time.
  package func wait() async {
    await withTaskCancellationHandler {
      await wait { Task.isCancelled }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard case .awaited(let waiter) = state else { return nil }
        state = .unset
        return waiter
      }
      waiter?.resume()
    }
  }

  /// Waits for a signal, even if the task is cancelled. Only one task may wait at a time.
  package func waitEvenIfCancelled() async {
    await wait { false }
  }

  private func wait(unless isCancelled: @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        switch state {
        case .awaited: preconditionFailure("only one task may wait for an event")
        case .set:
          state = .unset
          return true
        case .unset where isCancelled():
          return true
        case .unset:
          state = .awaited(continuation)
          return false
        }
      }
      if isNow { continuation.resume() }
    }
  }
}
