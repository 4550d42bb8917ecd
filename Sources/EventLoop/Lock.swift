public import Glibc

/// A value behind a `pthread_mutex_t`. `Synchronization.Mutex` would do, but the thread sanitizer does not see
/// it and reports races that are none.
///
/// `@unchecked Sendable`: the value is only ever touched with the mutex held, and goes in and out by `sending`.
public final class Lock<Value>: @unchecked Sendable {
  @usableFromInline var value: Value
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// A lock with its value.
  @inlinable public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  @inlinable deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value, and with the lock held: it must be short, and must not take the lock again.
  @inlinable public func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
