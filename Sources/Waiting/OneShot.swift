public import Synchronization

/// A value that is set at most once. Any number of tasks can wait for it.
public final class OneShot<Value: Sendable>: Sendable {
  @usableFromInline enum State {
    /// The waiting tasks, in order of arrival.
    case open([(ticket: Int, continuation: CheckedContinuation<Value?, Never>)], next: Int)
    case fulfilled(Value)
  }

  @usableFromInline let state = Mutex(State.open([], next: 0))

  /// Creates a value that is not set.
  @inlinable public init() {}

  /// Sets the value. Only the first call has an effect. Waiting tasks resume in order of arrival.
  /// - Returns: Whether this was the first call.
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

  /// Waits for the value. Returns nil if the waiting task is cancelled first. A value that is already set is
  /// returned even in a cancelled task.
  @inlinable @discardableResult
  public func value() async -> Value? {
    let ticket = ticket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(ticket, $0) { Task.isCancelled } }
    } onCancel: {
      removeWaiter(ticket)?.resume(returning: nil)
    }
  }

  /// Waits for the value even if the task is cancelled. Use it only where the wait is bounded.
  @inlinable @discardableResult
  public func valueEvenIfCancelled() async -> Value {
    let ticket = ticket()
    let value = await withCheckedContinuation { wait(ticket, $0) { false } }
    guard let value else { preconditionFailure("a wait that cannot be cancelled was cancelled") }
    return value
  }

  /// The value; nil if it is not set.
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
  /// Sets the value. Only the first call has an effect.
  @discardableResult
  public func fulfill() -> Bool { fulfill(()) }
}
