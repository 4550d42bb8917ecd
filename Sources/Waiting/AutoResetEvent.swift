import Synchronization

/// Lets one waiting task go on for each signal. A signal before anybody waits is kept, one at most: whoever waits looks
/// again at what it waits for, so going on once too often costs nothing.
public final class AutoResetEvent: Sendable {
  private enum State {
    case unset
    case set
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.unset)

  /// Without a signal.
  public init() {}

  /// Lets the waiting task go on, or the next one that waits.
  public func signal() {
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

  /// Returns when there is a signal, or when the task is cancelled. One task at a time.
  public func wait() async {
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

  /// Returns when there is a signal, whether or not the task is cancelled. One task at a time.
  public func waitEvenIfCancelled() async {
    await wait { false }
  }

  private func wait(unless isCancelled: @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        switch state {
        case .awaited: preconditionFailure("one task waits for an event at a time")
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
