import ArgumentParser
import Bluetooth
import DBus
import Model
import Simulation
import VirtualBuilding

/// `roboprov simulate`: a virtual building for any BlueZ client, or campaigns of random ones for ourselves.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Serve a virtual building as org.bluez on a bus of its own; or try roboprov in many.",
    usage: """
      roboprov simulate <scenario.yaml> [--seed <n>]
      roboprov simulate --campaign <buildings> [--seed <n>]
                        [--disturbances <which>] [--output <output>]
      """,
    discussion: """
      With a scenario: serves that building until Ctrl-C. Prints the bus address; any BlueZ client works on it that is \
      told so:
        DBUS_SYSTEM_BUS_ADDRESS=<address> bluetoothctl
        DBUS_SYSTEM_BUS_ADDRESS=<address> roboprov apply building.yaml

      With --campaign: provisions so many random buildings in virtual time. In each, first with sensors that fail and \
      runs that are disturbed and killed; then nothing is wrong any more, and every room must get done. What must hold \
      all the same is checked at each event. Prints the seed of each building in which something did not, and last a \
      line of counts. The exit status is 0 when everything held.
      """)

  @Argument(help: ArgumentHelp("The virtual building to serve.", valueName: "scenario.yaml"))
  var scenario: String?

  @Option(help: ArgumentHelp("Provision so many random buildings instead.", valueName: "buildings"))
  var campaign: Int?

  @Option(
    help: ArgumentHelp(
      "What everything random follows from: instead of the one in the scenario, or 1 for a campaign.",
      valueName: "n"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "With --campaign: what goes wrong during runs: all, or short-outages of adapters and the stack only.",
      valueName: "which"), transform: Self.disturbances)
  var disturbances: Trial.Disturbances?

  @Option(help: "With --campaign: what goes to stdout.")
  var output: OutputFormat?

  private static func disturbances(_ text: String) throws -> Trial.Disturbances {
    guard let disturbances = Trial.Disturbances(rawValue: text) else {
      let names = Trial.Disturbances.allCases.map(\.rawValue).joined(separator: " or ")
      throw ValidationError("'\(text)' is not among what can go wrong: use \(names)")
    }
    return disturbances
  }

  func validate() throws {
    switch (scenario, campaign) {
    case (nil, nil):
      throw ValidationError("name a scenario to serve, or give --campaign with a number of random buildings")
    case (_?, _?):
      throw ValidationError("--campaign draws its buildings at random: leave out the scenario, or --campaign")
    case (nil, let campaign?) where campaign < 1:
      throw ValidationError("--campaign takes a number of buildings from 1")
    case (_?, nil) where output != nil || disturbances != nil:
      throw ValidationError(
        "--output and --disturbances go with --campaign: a scenario has its own faults, and prints its bus address"
      )
    default:
      break
    }
  }

  func run() async throws {
    if let scenario {
      try await serve(scenario)
    } else if let campaign {
      try await CampaignRun(
        count: campaign, seed: seed ?? 1, disturbances: disturbances ?? .all, output: output ?? .text
      ).run()
    }
  }

  private func serve(_ scenario: String) async throws {
    let interruptions = Interruptions()
    defer { withExtendedLifetime(interruptions) {} }
    let rehearsal = try Rehearsal.load(scenario, seed: seed)
    try await rehearsal.serving { bus in
      Console.say(
        "Serving sensors: \(rehearsal.scenario.sensors.count), adapters: \(rehearsal.scenario.adapters.count). Ctrl-C ends it."
      )
      Console.data(bus.address + "\n")
      for await request in interruptions.requests where request == .stop { break }
    }
  }
}
