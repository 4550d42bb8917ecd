import ArgumentParser
import Bluetooth
import Engine
import Foundation
import Model
import Reporting

/// `roboprov scan`: what can be provisioned.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the devices that can be provisioned.",
    discussion: """
      Listens for --listen seconds, or with --watch until Ctrl-C, and lists address, profile, RSSI, age and state: \
      what waits to be provisioned, and what is at work and could be given other settings as it is.
      """)

  @OptionGroup var radio: RadioOptions

  @Flag(help: "Listen until Ctrl-C, and say at once when a device is heard for the first time.")
  var watch = false

  @OptionGroup var simulation: SimulationOptions

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func run() async throws {
    let scan = try await Radio.with(simulation, rehearsing: nil) { setup in
      try await Interruptions().cancelling { try await listen(setup) }
    }
    switch output {
    case .json: Console.data(scan.json.pretty + "\n")
    case .text: Console.data(scan.table)
    }
  }

  private func listen(_ setup: Radio.Setup) async throws -> ScanResult {
    let heard = try await Survey.listen(
      setup, radio, for: watch ? nil : .seconds(radio.listen), isSimulated: simulation.simulate
    ) { [watch] sighting in
      if watch { Console.say(ScanResult.line(sighting, at: setup.clock.now)) }
    }
    return ScanResult(adapter: heard.adapter, devices: heard.air.writable, at: setup.clock.now)
  }
}
