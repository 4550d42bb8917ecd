import Synchronization

final class Countdown: Sendable {
  private let left: Mutex<Int>

  init(_ left: Int) { self.left = Mutex(left) }

  /// Whether the count was above 0.
  func takeOne() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }
}
