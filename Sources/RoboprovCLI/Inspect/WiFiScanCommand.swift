import Application
import Model
import Session
import Reporting
import ArgumentParser
import Bluetooth
import FoundationEssentials

/// `roboprov wifi-scan`: lists the WiFi networks that sensors receive.
struct WiFiScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wifi-scan",
    abstract: "List the WiFi networks that sensors receive.",
    discussion: """
      roboprov wifi-scan C4:7C:8D:00:00:07
      roboprov wifi-scan C4:7C:8D:00:00:07 C4:7C:8D:00:00:08 --output json

      Connects to one sensor after the other and starts a scan of the sensor's own WiFi radio. The sensors must be in \
      provisioning mode. Each sensor lists at most 10 networks, the strongest first. Exit status \
      \(ExitStatus.incomplete.rawValue) if a sensor gave no list.
      """)

  @Argument(help: ArgumentHelp("The sensors, by their addresses or labels.", valueName: "address"))
  var devices: [String]

  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let addresses = try devices.map(DeviceArgument.address)
    let lists = try await simulation.access.with { stack in
      let link = DeviceLink(stack: stack, adapters: radio.choice, scanTime: radio.scanTime)
      var lists: [WiFiList] = []
      for address in addresses { lists.append(try await list(of: address, link)) }
      return lists
    }
    switch output {
    case .json: Console.data(WiFiList.form.value(lists).pretty)
    case .text: Console.data(WiFiList.text(lists))
    }
    if lists.contains(where: { $0.result != .networks }) { throw ExitStatus.incomplete }
  }

  /// The list of one sensor. A failure concerns this sensor only: the next ones are still asked for their
  /// lists.
  private func list(of address: BluetoothAddress, _ link: DeviceLink) async throws -> WiFiList {
    do {
      return try await link.with(address) { peripheral, sighting in
        let driver = (sighting.family?.id).flatMap { BuiltIn.drivers[$0] } ?? BuiltIn.drivers[0]
        guard let listNetworks = driver.listNetworks else {
          return WiFiList(address, sighting, nil)
        }
        let scan = try await link.ask { () async throws(CentralError) in
          try await listNetworks(peripheral, link.stack.clock)
        }
        return WiFiList(address, sighting, scan)
      }
    } catch let failure as CommandFailure where failure.status == .incomplete {
      Console.fail(failure)
      return WiFiList(address, failure)
    }
  }
}
