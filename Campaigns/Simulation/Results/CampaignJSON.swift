import Bluetooth
import Model
package import Reporting

/// `roboprov-campaign --output json`: the counts of a campaign, and what did not hold.
package enum CampaignJSON {
  package static let schema = "roboprov/campaign/1"

  /// The document, field by field.
  package static let form = OutputForm<(seed: UInt64, tally: Tally, broken: [BrokenBuilding])>(
    "campaign", "The counts of a campaign of random buildings, and its violations."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("seed", "The seed that everything follows from, in decimal.") { String($0.seed) }
    Field("buildings", "How many buildings were provisioned.") { $0.tally.buildings }
    Field("rooms", "How many rooms these have.") { $0.tally.rooms }
    Field("runs", "How many runs there were.") { $0.tally.runs }
    Field("killed_runs", "How many of them were killed.") { $0.tally.deaths }
    Field("disturbances", "The number of disturbances of runs.") { $0.tally.disturbances }
    Field("events", "How many events were recorded.") { $0.tally.events }
    Field("outcomes", "How many rooms ended in which way, over all runs.", form: outcomes) { $0.tally }
    Field("virtual_seconds", "How long all of it took in virtual time.") { $0.tally.virtualTime.inSeconds }
    Field("digest", "A digest of every outcome of every run, in hex: the same for each build.") {
      String($0.tally.digest, radix: 16)
    }
    Field("longest_wait_seconds", "How long a device that was ready waited at most.") {
      $0.tally.longestWait.inSeconds
    }
    Field("violations", "How many rules were broken.") { $0.tally.violations }
    Field("broken", "The buildings in which a rule was broken.", each: broken) { $0.broken }
  }

  private static let outcomes = OutputForm<Tally>("outcomes", "The number of rooms with each outcome.") {
    Outcome.counts { $0.outcomes[$1] ?? 0 }
  }

  private static let broken = OutputForm<BrokenBuilding>(
    "broken_building", "A building in which a rule was broken."
  ) {
    Field("seed", "Its seed, in decimal.") { String($0.result.seed) }
    Field("again", "The command that repeats it.") { $0.again }
    Field("violations", "The violations; the first ones, if there are many.", each: violation) {
      $0.result.violations
    }
    Field("events", "The events before the first violation, each an event as text.") { $0.events }
  }

  private static let violation = OutputForm<Violation>("violation", "A violation of an invariant.") {
    Field("rule", "What was violated.") { $0.rule }
    Field("text", "How, for people.") { $0.text }
    Field("room", "The room; null when it is about none.") { $0.room }
    Field("device", "The device; null when it is about none.") { $0.device }
    Field("run", "The run, counted from 1; 0 when it is about none.") { $0.run }
    Field("event", "The event at which it was found; 0 when it was found after the last.") { $0.event }
  }
}

extension Violation.Rule: OutputNames {
  package static let definition = "rule"
  package static let about = "An invariant of every run, also of one with faults."
  package var documentation: String {
    switch self {
    case .ownSettings:
      "Every value that reaches a device is its own room's, and every device that one reaches is a room's."
    case .leftAlone: "A device that is at work, or has all wanted settings, is not written."
    case .registeredUntouched: "No device that another installation configured is connected to."
    case .slots: "An adapter holds at most its slots, and all adapters at most the permitted links."
    case .oneOutcome: "Each selected room has exactly one outcome, and it is reported as recorded."
    case .proof: "Success is claimed on evidence only, and the device agrees."
    case .truth:
      "The report of a room is true: a device that was changed is not reported as unchanged."
    case .intent: "A binding is on record before the first write, and `save_submitted` before each change."
    case .replay: "The record read back from disk has the events that happened."
    case .secrecy: "Nothing secret is on record."
    case .identity: "No run gives two devices the same identity."
    case .tidiness: "A run leaves no link, no open attempt, and no device in the stack's storage."
    case .wait: "A device that is ready waits for a limited time only."
    case .ending: "A run ends."
    case .liveness: "After all faults have ended, every room becomes done."
    case .record:
      "If the manifest is unchanged, the record contradicts neither the manifest nor itself."
    }
  }
}
