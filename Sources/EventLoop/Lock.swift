public import Glibc

/// A value protected by a `pthread_mutex_t`. The thread sanitizer does not support `Synchronization.Mutex`
/// and reports false races for it.
///
/// `@unchecked Sendable`: the value is accessed only while the mutex is held, and passes in and out as
/// `sending`.
public final class Lock<Value>: @unchecked Sendable {
  @usableFromInline var value: Value
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates a lock that protects `value`.
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

  /// Runs `body` with the value while the lock is held. `body` must be short and must not take the lock
  /// again.
  @inlinable public func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
