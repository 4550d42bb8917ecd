import Synchronization

/// Wakes one waiting task; rung before anybody waits, it is heard all the same, once.
package final class Bell: Sendable {
  private struct State {
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// A bell that was not rung.
  package init() {}

  package func ring() {
    let waiter = state.withLock { state in
      let waiter = state.waiter
      state.waiter = nil
      state.isRung = waiter == nil
      return waiter
    }
    waiter?.resume()
  }

  /// Returns when it was rung, or when the task is cancelled. One task at a time.
  package func wait() async {
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
  package func waitOn() async {
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
