import EventLoop

/// A result that is set once and awaited once, in either order. Later results are ignored.
final class OneShot<Result: Sendable>: Sendable {
  private struct State {
    var result: Result?
    var waiter: CheckedContinuation<Result, Never>?
  }
  private let state = Lock(State())

  /// - Returns: Whether this was the first result.
  @discardableResult
  func give(_ result: Result) -> Bool {
    let (first, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Result, Never>?) in
      guard state.result == nil else { return (false, nil) }
      state.result = result
      defer { state.waiter = nil }
      return (true, state.waiter)
    }
    waiter?.resume(returning: result)
    return first
  }

  var isGiven: Bool { state.withLock { $0.result != nil } }

  /// Waits for the result. It ignores cancellation; the caller of `give` must handle it.
  func take() async -> Result {
    await withCheckedContinuation { continuation in
      let early = state.withLock { state -> Result? in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let early { continuation.resume(returning: early) }
    }
  }
}
