import Application
import Reporting
import ArgumentParser
import Bluetooth

/// `roboprov adapters`: lists the Bluetooth adapters of this computer.
struct AdaptersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapters",
    abstract: "List the Bluetooth adapters with their state, controller, USB port and links.",
    discussion: """
      roboprov adapters
      roboprov adapters building.yaml
      roboprov adapters --output json

      With a manifest it also shows the manifest's names for the adapters, and lists named adapters that are not present. A \
      link is a connection to a device, made by any program. `roboprov doctor` shows the problems of an adapter and how to \
      correct them.
      """)

  @Argument(
    help: ArgumentHelp("Also show this building's names for the adapters.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let building = try manifest.map { try ManifestSource.load($0).building }
    let subject = building.map { KnownBuilding($0) }
    let files = ControllerFiles.ofThisHost(unless: simulation.simulate)
    let listing = try await simulation.access.with(rehearsing: subject) { stack in
      do throws(CentralError) {
        return try await AdapterListing.read(stack.central, files, for: building)
      } catch {
        throw RadioMessages.failure(error)
      }
    }
    switch output {
    case .json: Console.data(listing.json.pretty)
    case .text: Console.data(listing.table(hasManifest: building != nil))
    }
    for line in listing.missingLines { Console.say(line) }
  }
}
