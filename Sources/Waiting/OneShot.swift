public import Synchronization

/// A value that is set once and then stays, for any number of tasks that wait for it.
public final class OneShot<Value: Sendable>: Sendable {
  @usableFromInline enum State {
    /// Those who wait, in the order in which they came.
    case open([(ticket: Int, continuation: CheckedContinuation<Value?, Never>)], next: Int)
    case fulfilled(Value)
  }

  @usableFromInline let state = Mutex(State.open([], next: 0))

  /// Without a value.
  @inlinable public init() {}

  /// Sets the value; only the first one counts. Who waits goes on in the order in which they came.
  /// - Returns: whether this was the first.
  @inlinable @discardableResult
  public func fulfill(_ value: Value) -> Bool {
    let waiting = state.withLock { state -> [CheckedContinuation<Value?, Never>]? in
      guard case .open(let waiting, _) = state else { return nil }
      state = .fulfilled(value)
      return waiting.map { $0.continuation }
    }
    for continuation in waiting ?? [] { continuation.resume(returning: value) }
    return waiting != nil
  }

  /// The value, once it is set; nil when the waiting task is cancelled first. A value that is set already comes also
  /// to a cancelled task.
  @inlinable @discardableResult
  public func value() async -> Value? {
    let ticket = ticket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(ticket, $0) { Task.isCancelled } }
    } onCancel: {
      removeWaiter(ticket)?.resume(returning: nil)
    }
  }

  /// The value, once it is set, whether or not the waiting task is cancelled: for what ends in bounded time.
  @inlinable @discardableResult
  public func valueEvenIfCancelled() async -> Value {
    let ticket = ticket()
    let value = await withCheckedContinuation { wait(ticket, $0) { false } }
    guard let value else { preconditionFailure("a wait that nobody can cancel was cancelled") }
    return value
  }

  /// The value, if there is one by now.
  @inlinable public var peeked: Value? {
    state.withLock { state in
      if case .fulfilled(let value) = state { value } else { nil }
    }
  }

  @inlinable func ticket() -> Int {
    state.withLock { state in
      guard case .open(let waiting, let next) = state else { return 0 }
      state = .open(waiting, next: next + 1)
      return next
    }
  }

  @inlinable func wait(
    _ ticket: Int, _ continuation: CheckedContinuation<Value?, Never>, unless isCancelled: () -> Bool
  ) {
    let now: Value?? = state.withLock { state in
      switch state {
      case .fulfilled(let value): return .some(value)
      case .open where isCancelled(): return .some(nil)
      case .open(let waiting, let next):
        state = .open(waiting + [(ticket, continuation)], next: next)
        return nil
      }
    }
    if let now { continuation.resume(returning: now) }
  }

  @inlinable func removeWaiter(_ ticket: Int) -> CheckedContinuation<Value?, Never>? {
    state.withLock { state in
      guard case .open(var waiting, let next) = state,
        let index = waiting.firstIndex(where: { $0.ticket == ticket })
      else { return nil }
      let continuation = waiting.remove(at: index).continuation
      state = .open(waiting, next: next)
      return continuation
    }
  }
}

extension OneShot<Void> {
  /// Says that it has happened; only the first time counts.
  @discardableResult
  public func fulfill() -> Bool { fulfill(()) }
}
