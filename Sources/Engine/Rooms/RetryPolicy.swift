import Model

/// The failed attempts at one device, by what they are charged to.
struct RetryBudget: Hashable, Sendable {
  /// Failed attempts that are charged to the device.
  private(set) var charged = 0
  /// Failed attempts that the host caused: the adapter or the stack was lost, or the controller had no free
  /// slot.
  private(set) var hostFailures = 0
  /// Attempts that sent nothing because the stack had forgotten the device.
  private(set) var timesForgotten = 0
  /// Attempts that ended with a restart of the device.
  private(set) var restarts = 0

  mutating func charge(_ failure: FailureClass) {
    switch failure.exemption {
    case nil: charged += 1
    case .hostLost, .adapterFull: hostFailures += 1
    case .deviceForgotten: timesForgotten += 1
    case .deviceRestarts: restarts += 1
    }
  }

  /// Restores the retries of a device that was clearly received again.
  mutating func renew() { charged = 0 }
}

/// Whether and when another attempt follows a failed one. Each failure class has its own budget.
enum RetryPolicy {
  /// The back-off before the second attempt; it doubles with each further one.
  static let firstPause = Duration.seconds(2)
  /// The longest back-off, without jitter.
  static let longestPause = Duration.seconds(30)
  /// Retries of a device that refuses explicitly.
  static let refusalRetries = 1
  /// How many failures of the host one device may meet.
  static let hostFailures = 5
  /// How often the stack may have forgotten one device before its connection.
  static let forgotten = 7
  /// How often a device may restart for its settings.
  static let restarts = 3

  enum Decision: Hashable, Sendable {
    /// Another attempt follows after this back-off.
    case retry(Duration)
    /// No attempt follows: the budget of this class is spent. A watching run waits until the device is
    /// clearly received again.
    case exhausted
    /// No attempt follows: a further one cannot succeed.
    case final
  }

  /// Decides what follows a failed attempt.
  /// - Parameters:
  ///   - budget: the budget with this failure charged.
  ///   - retries: the retries that the room allows.
  ///   - jitter: a random number, 0…1, that keeps devices from retrying in step.
  static func decide(
    after failure: FailureClass, _ budget: RetryBudget, retries: Int, jitter: Double
  ) -> Decision {
    let hasMore =
      switch failure {
      case .permanent, .cancelled: false
      case .transient, .missing: budget.charged <= retries
      case .refused: budget.charged <= min(retries, refusalRetries)
      case .host, .outOfSlots: budget.hostFailures <= hostFailures
      case .forgotten: budget.timesForgotten <= forgotten
      case .restarting: budget.restarts <= restarts
      }
    if hasMore {
      // A device that the stack had forgotten was sent nothing: it only has to be received again. One that it forgets
      // each time takes no connection.
      let count = failure == .forgotten ? budget.timesForgotten - 1 : budget.charged
      return .retry(failure == .forgotten && count == 0 ? .zero : pause(count, jitter))
    }
    switch failure {
    case .permanent, .cancelled: return .final
    case .transient, .missing, .refused, .host, .outOfSlots, .forgotten, .restarting: return .exhausted
    }
  }

  /// The back-off after this many failures.
  private static func pause(_ failures: Int, _ jitter: Double) -> Duration {
    firstPause.doubled(after: max(failures, 1), atMost: longestPause) * (1 + jitter / 2)
  }
}
