import Glibc

/// A value behind a `pthread_mutex_t`. `Synchronization.Mutex` would do, but the thread sanitizer does not see
/// it and reports races that are none.
///
/// `@unchecked Sendable`: the value is only ever touched with the mutex held, and goes in and out by `sending`.
final class Lock<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

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
