package import Model

/// The result of a scenario.
package struct TestCaseResult: Sendable {
  /// The seed that repeats the scenario.
  package var seed: UInt64
  package var tally: Tally
  /// The first violations.
  package var violations: [Violation]
  /// The events up to the first violation.
  package var eventsBeforeViolation: [RunEvent]
  /// The journals of its runs, in order.
  package var journals: [[UInt8]]
}
