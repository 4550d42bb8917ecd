package import Model

/// The number of rooms of a run that are not excluded, by the kind of their outcome.
package struct RunTally: Hashable, Sendable {
  package internal(set) var total = 0
  private var counts: [Outcome.Kind: Int] = [:]

  package var done: Int { counts[.done, default: 0] }
  package var failed: Int { counts[.failed, default: 0] }
  package var action: Int { counts[.action, default: 0] }
  package var other: Int { counts[.other, default: 0] }
  package var ended: Int { counts.values.reduce(0, +) }
  package var left: Int { total - ended }

  /// Counts a room in another kind than before; nil means that it has no outcome.
  mutating func move(from before: Outcome.Kind?, to kind: Outcome.Kind?) {
    if let before { counts[before, default: 0] -= 1 }
    if let kind { counts[kind, default: 0] += 1 }
  }
}

extension Outcome {
  /// The meaning of an outcome for the person on site.
  package enum Kind: Hashable, Sendable {
    case done
    case failed
    /// Operator action is required before the next attempt.
    case action
    /// Without an attempt, or cancelled.
    case other
  }

  package var kind: Kind {
    switch self {
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned: .done
    case .failed, .unreachable: .failed
    case .actionRequired, .unconfirmed, .ambiguous: .action
    case .pending, .skipped, .cancelled: .other
    }
  }
}

extension RoomReport {
  /// The kind of its outcome; nil without one, and for an excluded room.
  var ending: Outcome.Kind? { isFinished && !isExcluded ? outcome.kind : nil }
}
