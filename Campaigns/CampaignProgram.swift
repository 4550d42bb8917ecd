import ArgumentParser
import Simulation

/// Provisions random buildings in virtual time and checks the invariants at each event (`make campaign`).
@main
struct CampaignProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "roboprov-campaign",
    abstract: "Provision random buildings in virtual time and check every invariant.",
    discussion: """
        roboprov-campaign 2000
        roboprov-campaign 1 --seed 4711
        roboprov-campaign 500 --disturbances short-outages --output json

      In each building the sensors fail and the runs are disturbed and killed. Then the faults stop, and every room must be \
      provisioned. Prints the seed of each building that violates an invariant, and a line of counts at the end. The exit \
      status is 0 when nothing was violated.
      """)

  /// What goes to stdout.
  enum Output: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  @Argument(help: "How many buildings, from 1.")
  var buildings: Int

  @Option(help: ArgumentHelp("The seed of the first building.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    help: """
      What happens to the runs: all disturbances on one laptop, the same on two-laptops, with shared-addresses or with \
      several-hosts, or only short-outages of adapters and of the stack.
      """)
  var disturbances = TestCase.Disturbances.all

  @Option(help: "What goes to stdout.")
  var output = Output.text

  func validate() throws {
    if buildings < 1 { throw ValidationError("name a number of buildings from 1") }
  }

  func run() async throws {
    let run = CampaignRun(count: buildings, seed: seed, disturbances: disturbances, output: output)
    switch await run.run() {
    case .held: break
    case .violated: throw ExitCode(1)
    case .interrupted: throw ExitCode(130)
    }
  }
}

extension TestCase.Disturbances: ExpressibleByArgument {}
