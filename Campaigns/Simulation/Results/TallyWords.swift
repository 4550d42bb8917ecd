import Bluetooth
import Model

/// The counts of a campaign on one line.
package enum TallyWords {
  package static func line(_ tally: Tally) -> String {
    let outcomes = Outcome.allCases.compactMap { outcome in
      tally.outcomes[outcome].map { "\(outcome.rawValue) \($0)" }
    }.joined(separator: ", ")
    let hours = (tally.virtualTime.inSeconds / 360).rounded() / 10
    let wait = (tally.longestWait.inSeconds * 10).rounded() / 10
    return
      "violations: \(tally.violations); buildings: \(tally.buildings), rooms: \(tally.rooms), runs: \(tally.runs) "
      + "(killed: \(tally.deaths)), disturbances: \(tally.disturbances), events: \(tally.events); outcomes: "
      + "\(outcomes.isEmpty ? "none" : outcomes); virtual hours: \(hours), longest wait: \(wait) s"
  }
}
