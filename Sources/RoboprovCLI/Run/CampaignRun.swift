import Bluetooth
import Foundation
import Model
import Reporting
import Simulation
import Synchronization

/// A campaign of random buildings: progress on stderr, what did not hold and the counts on stdout.
struct CampaignRun {
  let count: Int
  let seed: UInt64
  let disturbances: Trial.Disturbances
  let output: OutputFormat

  /// - Throws: the exit status, when something did not hold or a person stopped it.
  func run() async throws {
    let wasInterrupted = Mutex(false)
    let interruptions = Interruptions {
      wasInterrupted.withLock { $0 = true }
      Console.say(lines: ["", "Stopping: ending the buildings in hand (Ctrl-C again: at once)"])
    }
    Console.say("Provisioning random buildings: \(count). Ctrl-C ends it with the counts so far.")
    var broken: [BrokenBuilding] = []
    let campaign = Campaign(
      seed: seed, count: count, width: ProcessInfo.processInfo.activeProcessorCount,
      disturbances: disturbances)
    let tally = await campaign.play { number, result in
      if !result.violations.isEmpty {
        let building = BrokenBuilding(result, disturbances)
        if output == .text { Console.data(building.text) }
        broken.append(building)
      }
      let done = number + 1
      // Ten times in all: the tenths that are reached with this building.
      if done * 10 / count > number * 10 / count, done < count {
        Console.say("\(done) of \(count) buildings, broken: \(broken.count)")
      }
      return !wasInterrupted.withLock { $0 }
    }
    // Alive until here: what it watches for would end the process else.
    withExtendedLifetime(interruptions) {}
    switch output {
    case .text: Console.data(TallyWords.line(tally) + "\n")
    case .json: Console.data(CampaignJSON.form.value((seed, tally, broken)).pretty + "\n")
    }
    if tally.violations > 0 { throw ExitStatus.unexpected.exit }
    if tally.buildings < count { throw ExitStatus.interrupted.exit }
  }
}

/// A building in which something did not hold.
struct BrokenBuilding {
  let result: TrialResult
  private let disturbances: Trial.Disturbances

  init(_ result: TrialResult, _ disturbances: Trial.Disturbances) {
    self.result = result
    self.disturbances = disturbances
  }

  /// The command that repeats it.
  var again: String {
    "roboprov simulate --campaign 1 --seed \(result.seed)"
      + (disturbances == .all ? "" : " --disturbances \(disturbances.rawValue)")
  }

  /// What did not hold, how it came to that, and how to have it again.
  var text: String {
    var lines = ["A building broke the rules; to have it again:", "  \(again)"]
    lines += result.violations.map { "  \($0)" }
    if result.tally.violations > result.violations.count {
      lines.append("  and \(result.tally.violations - result.violations.count) more")
    }
    lines.append("  The last events before the first of them:")
    lines += story.map { "    \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The events as the journal has them, but for its chain.
  var story: [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return result.story.compactMap { event in
      try? encoder.text(of: event)
    }
  }
}

/// The counts of a campaign on one line.
enum TallyWords {
  static func line(_ tally: Tally) -> String {
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
