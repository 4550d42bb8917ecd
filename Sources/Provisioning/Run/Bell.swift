import Synchronization

/// Wakes one waiting task; rung before anybody waits, it is heard all the same, once.
final class Bell: Sendable {
  private struct State {
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func ring() {
    let waiter = state.withLock { state in
      let waiter = state.waiter
      state.waiter = nil
      state.isRung = waiter == nil
      return waiter
    }
    waiter?.resume()
  }

  /// Returns when it was rung, or when the task is cancelled. One task at a time.
  func wait() async {
    await withTaskCancellationHandler {
      await wait { Task.isCancelled }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiter
        state.waiter = nil
        return waiter
      }
      waiter?.resume()
    }
  }

  /// Returns when it was rung, whether or not the task is cancelled. One task at a time.
  func waitOn() async {
    await wait { false }
  }

  private func wait(unless isOver: @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        precondition(state.waiter == nil, "one task waits for a bell at a time")
        if state.isRung || isOver() {
          state.isRung = false
          return true
        }
        state.waiter = continuation
        return false
      }
      if isNow { continuation.resume() }
    }
  }
}
