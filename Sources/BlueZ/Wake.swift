import Synchronization

/// One wait for something to change: whoever waits re-reads the state it waits for after waking up, so
/// waking up once too often costs nothing.
final class Wake: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case fired
  }

  private let state = Mutex(State.idle)

  /// Ends the wait, also one that has not begun yet.
  func fire() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      defer { state = .fired }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume()
  }

  /// Returns when `fire` was called or the task is cancelled. There is one waiter.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let fired = state.withLock { state in
          if case .fired = state { return true }
          state = .waiting(continuation)
          return false
        }
        if fired { continuation.resume() }
      }
    } onCancel: {
      fire()
    }
  }
}

/// Those who wait for a change of one thing.
struct Wakes {
  private var waiting: [ObjectIdentifier: Wake] = [:]

  /// Whether nobody waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// A new wait.
  mutating func add() -> Wake {
    let wake = Wake()
    waiting[ObjectIdentifier(wake)] = wake
    return wake
  }

  /// Forgets a wait that is over.
  mutating func remove(_ wake: Wake) {
    waiting[ObjectIdentifier(wake)] = nil
  }

  /// Ends all waits. Their order does not matter: each looks at the same state.
  mutating func fireAll() {
    let all = waiting.values
    waiting = [:]
    for wake in all { wake.fire() }
  }
}
