import Application
import Host
import VirtualBuilding
import Model
import ArgumentParser

/// `roboprov simulate`: serves a virtual building to any BlueZ client.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Serve a virtual building as org.bluez on a bus of its own.",
    discussion: """
        roboprov simulate manifests/demo-scenario.yaml
        roboprov simulate building-scenario.yaml --seed 7

      Serves the building until Ctrl-C and prints the address of its bus. Every BlueZ client works on it:
        DBUS_SYSTEM_BUS_ADDRESS=<address> bluetoothctl
        DBUS_SYSTEM_BUS_ADDRESS=<address> roboprov apply building.yaml

      These clients measure their timeouts in real time, so the scenario should have the speed 1, which is the default.
      """)

  @Argument(help: ArgumentHelp("The virtual building to serve.", valueName: "scenario.yaml"))
  var scenario: String

  @Option(help: ArgumentHelp("The seed of all random values, instead of the scenario's.", valueName: "n"))
  var seed: UInt64?

  func run() async throws {
    let interruptions = Interruptions()
    defer { withExtendedLifetime(interruptions) {} }
    let rehearsal = try Rehearsal.load(scenario, seed: seed)
    if rehearsal.speed != 1 {
      Console.say(
        "warning: this building runs at \(rehearsal.speed) × real time. A client that measures its timeouts in real time sees "
          + "failures that no sensor has. Remove `speed` from \(scenario) to serve other clients.")
    }
    try await rehearsal.servingPrograms { building in
      Console.say(
        "Serving sensors: \(rehearsal.scenario.sensors.count), adapters: \(rehearsal.scenario.adapters.count). Stop with Ctrl-C."
      )
      Console.data(building.busAddress + "\n")
      for await request in interruptions.requests where request == .stop { break }
    }
  }
}
