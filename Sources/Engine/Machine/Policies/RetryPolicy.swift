import Bluetooth
import Model

/// The failed attempts at one device, by what they are charged to.
struct RetryBudget: Hashable, Sendable {
  /// Failed attempts that are charged to the device.
  private(set) var charged = 0
  /// Failed attempts that were the host's doing: the adapter or the stack went away, or the controller was full.
  private(set) var hostFailures = 0
  /// Attempts before which the stack had forgotten the device: nothing was sent.
  private(set) var timesForgotten = 0

  /// Charges a failed attempt.
  mutating func charge(_ failure: FailureClass) {
    switch failure {
    case .transient, .missing, .refused, .permanent, .cancelled: charged += 1
    case .host, .outOfSlots: hostFailures += 1
    case .forgotten: timesForgotten += 1
    }
  }

  /// Gives a device that was clearly heard again its retries back.
  mutating func renew() { charged = 0 }
}

/// Whether and when a failed attempt is followed by another one. Each class of failure has a budget of its own.
struct RetryPolicy: Hashable, Sendable {
  /// The back-off before the second attempt; it doubles with each further one.
  var firstPause = Duration.seconds(2)
  /// The longest back-off, jitter aside.
  var longestPause = Duration.seconds(30)
  /// Retries of a device that refuses in its own words.
  var refusalRetries = 1
  /// Failures of the host that one device may meet.
  var hostFailures = 5
  /// How often the stack may have forgotten one device before it is connected to.
  var forgotten = 20

  /// What follows a failed attempt.
  enum Decision: Hashable, Sendable {
    /// Another attempt, after this back-off.
    case retry(Duration)
    /// None: the budget of this class is spent. A run that watches waits until the device is clearly heard again.
    case exhausted
    /// None: trying again cannot help.
    case final
  }

  /// Decides.
  /// - Parameters:
  ///   - budget: with this failure charged.
  ///   - retries: what the room allows.
  ///   - jitter: chance, 0…1, that keeps devices from coming back in step.
  func decide(
    after failure: FailureClass, _ budget: RetryBudget, retries: Int, jitter: Double
  ) -> Decision {
    let hasMore =
      switch failure {
      case .permanent, .cancelled: false
      case .transient, .missing: budget.charged <= retries
      case .refused: budget.charged <= min(retries, refusalRetries)
      case .host, .outOfSlots: budget.hostFailures <= hostFailures
      case .forgotten: budget.timesForgotten <= forgotten
      }
    if hasMore {
      // Nothing was sent to a device that the stack had forgotten: it only has to be heard again.
      return .retry(failure == .forgotten ? .zero : pause(budget.charged, jitter))
    }
    switch failure {
    case .permanent, .cancelled: return .final
    case .transient, .missing, .refused, .host, .outOfSlots, .forgotten: return .exhausted
    }
  }

  /// The back-off after so many attempts that were charged to the device.
  private func pause(_ charged: Int, _ jitter: Double) -> Duration {
    let doubled = firstPause * (1 << min(max(charged - 1, 0), 8))
    return min(doubled, longestPause) * (1 + jitter / 2)
  }
}
