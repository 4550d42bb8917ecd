import EventLoop

/// A result that is given once and awaited once, in either order. Whatever is given later is not taken.
final class OneShot<Result: Sendable>: Sendable {
  private struct State {
    var result: Result?
    var waiter: CheckedContinuation<Result, Never>?
  }
  private let state = Lock(State())

  /// - Returns: whether this was the first.
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

  /// Waits for the result; what cancellation means is the giver's business.
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
