package import Model

/// A stage of an attempt, folded from the events so far. Compact: a report of a building holds all of all its runs.
package struct StageReport: Hashable, Sendable {
  package let stage: Stage
  package let setting: SettingName?
  /// When it began, since the run began.
  package let begin: ShortDuration

  private let allowed: ShortDuration
  private var took: ShortDuration?
  private var boxedFailure: Boxed<FailureReason>?

  init(_ fact: StageStarted, at elapsed: Duration) {
    stage = fact.stage
    setting = fact.setting
    begin = ShortDuration(elapsed)
    allowed = ShortDuration(seconds: fact.timeout)
  }

  package var timeout: Double { allowed.seconds }
  /// Its length in seconds; nil if its end is not on record.
  package var seconds: Double? { took?.seconds }
  /// The failure; nil without a failure, and without an end on record.
  package var failure: FailureReason? { boxedFailure?.value }

  /// Whether its end is on record.
  package var isEnded: Bool { took != nil }

  mutating func end(_ fact: StageEnded) {
    took = ShortDuration(seconds: fact.seconds)
    boxedFailure = fact.failure.map { Boxed($0) }
  }
}
