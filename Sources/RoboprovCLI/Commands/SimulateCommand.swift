import ArgumentParser
import Bluetooth
import DBus
import VirtualBuilding

/// `roboprov simulate`: a virtual building for any BlueZ client.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Serve a virtual building as org.bluez on a bus of its own, until Ctrl-C.",
    discussion: """
      Prints the bus address; any BlueZ client works on it that is told so:
        DBUS_SYSTEM_BUS_ADDRESS=<address> bluetoothctl
        DBUS_SYSTEM_BUS_ADDRESS=<address> roboprov apply building.yaml
      """)

  @Argument(help: ArgumentHelp("The virtual building.", valueName: "scenario.yaml"))
  var scenario: String

  @Option(help: ArgumentHelp("Its chance, instead of the one in the scenario.", valueName: "n"))
  var seed: UInt64?

  func run() async throws {
    let interruptions = Interruptions()
    let rehearsal = try Rehearsal.load(scenario, seed: seed)
    try await rehearsal.serving { bus in
      Console.say(
        "Serving sensors: \(rehearsal.scenario.sensors.count), adapters: \(rehearsal.scenario.adapters.count). Ctrl-C ends it."
      )
      Console.data(bus.address + "\n")
      for await _ in interruptions.stream { break }
    }
  }
}
