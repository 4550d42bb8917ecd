import Families
import FoundationEssentials
import Glibc
import Reporting
import Simulation
import VirtualBuilding

/// A campaign of random buildings: progress on stderr, violations and the counts on stdout.
struct CampaignRun {
  let count: Int
  let seed: UInt64
  let disturbances: TestCase.Disturbances
  let output: CampaignProgram.Output

  /// How a campaign ended.
  enum Ending {
    case held, violated, interrupted
  }

  func run() async -> Ending {
    let interruption = Interruption()
    StandardError.say("Provisioning random buildings: \(count). Ctrl-C ends it with the counts so far.")
    var broken: [BrokenBuilding] = []
    let campaign = Campaign(
      seed: seed, count: count, width: ProcessInfo.processInfo.activeProcessorCount,
      families: SimulatedFamilies(builtInFamilies, FirmwareFamily.all), disturbances: disturbances)
    let tally = await campaign.play { number, result in
      if !result.violations.isEmpty {
        let building = BrokenBuilding(result, disturbances)
        if output == .text { print(building.text, terminator: "") }
        broken.append(building)
      }
      let done = number + 1
      // Ten times in all: the tenths that are reached with this building.
      if done * 10 / count > number * 10 / count, done < count {
        StandardError.say("\(done) of \(count) buildings, broken: \(broken.count)")
      }
      return !interruption.hasCome
    }
    switch output {
    case .text: print(TallyWords.line(tally))
    case .json: print(CampaignJSON.form.value((seed, tally, broken)).pretty)
    }
    if tally.violations > 0 { return .violated }
    return tally.buildings < count ? .interrupted : .held
  }

}
