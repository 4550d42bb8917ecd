import FoundationEssentials
import Model

/// A building in which something did not hold.
package struct BrokenBuilding {
  package let result: TestCaseResult
  private let disturbances: TestCase.Disturbances

  package init(_ result: TestCaseResult, _ disturbances: TestCase.Disturbances) {
    self.result = result
    self.disturbances = disturbances
  }

  /// The command that repeats it.
  package var again: String {
    "roboprov-campaign 1 --seed \(result.seed)"
      + (disturbances == .all ? "" : " --disturbances \(disturbances.rawValue)")
  }

  /// The violations, the events before them, and the command that repeats them.
  package var text: String {
    var lines = ["A building violated an invariant. To repeat it:", "  \(again)"]
    lines += result.violations.map { "  \($0)" }
    if result.tally.violations > result.violations.count {
      lines.append("  and \(result.tally.violations - result.violations.count) more")
    }
    lines.append("  The last events before the first of them:")
    lines += events.map { "    \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The events as the journal has them, but for its chain.
  package var events: [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return result.eventsBeforeViolation.compactMap { event in
      try? encoder.text(of: event)
    }
  }
}
