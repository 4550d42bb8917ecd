import Application
import Host
import Reporting
import ArgumentParser
import Bluetooth
import Engine
import FoundationEssentials
import Glibc
import Model

/// `roboprov inspect`: lists the services and values of one device, or the networks that it receives, or writes its
/// settings without a manifest.
struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract:
      "Connect to one device: list its services and values or WiFi networks, or write its settings.",
    discussion: """
      roboprov inspect C4:7C:8D:00:00:07
      roboprov inspect C4:7C:8D:00:00:07 --networks
      roboprov inspect C4:7C:8D:00:00:07 --set room_name='Room 7' --set minor=7
      roboprov inspect C4:7C:8D:00:00:07 --set room_name=Lab --set minor=9 --set wifi_ssid=Lab --set wifi_password=env:WIFI_LAB

      Decodes values as the device's family describes them. It does not read passwords. With --networks the device scans \
      with its own WiFi radio; it must wait to be provisioned. With --set it writes and verifies the \
      settings as `apply` does, as a building of one room with its own record in <dir>/device-<address>/. Give every setting \
      that the family requires. A password is never an argument: use wifi_password=env:NAME, file:PATH, prompt, or none for an \
      open network. For the device of a room use `roboprov apply`, which keeps the building's record.
      """)

  @Argument(help: ArgumentHelp("The device: its address or label.", valueName: "address"))
  var device: String

  @Argument(
    help: ArgumentHelp(
      "The building whose device families and adapter names apply.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @Flag(help: "List the WiFi networks that the device receives instead.")
  var networks = false

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Write this setting. Repeat the option for each setting.", valueName: "key=value"))
  var settings: [String] = []

  @Option(
    help: ArgumentHelp(
      "With --set: the device's family. Default: the family that its advertisement shows.", valueName: "name")
  )
  var profile: String?

  @Flag(help: "With --set: overwrite the settings of a beacon, even of one that belongs to a room.")
  var overwrite = false

  @OptionGroup var record: RecordOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func validate() throws {
    if settings.isEmpty, profile != nil || overwrite {
      throw ValidationError("--profile and --overwrite need --set")
    }
    if networks, !settings.isEmpty { throw ValidationError("give --networks or --set, not both") }
  }

  func run() async throws {
    let address = try DeviceArgument.address(device)
    // `--set` can take a password from the variable that the manifest names, too.
    let building = try manifest.map {
      try ManifestSource.load($0, keepsEnvironment: !settings.isEmpty).building
    }
    let status = try await simulation.access.joining(radio.hosts, of: building).with(
      rehearsing: building.map { KnownBuilding($0) }
    ) { stack in
      let link = DeviceLink(
        stack: stack, adapters: radio.choice, scanTime: radio.scanTime, building: building)
      if settings.isEmpty {
        try await show(address, link)
        return ExitStatus.done
      }
      let family = try await family(of: address, link)
      let device = try OneDevice(settings, for: family, of: building, at: address)
      return try await OneDeviceRun(
        keeping: record.keeping, adapters: radio.choice, scanTime: radio.scanTime, mayOverwrite: overwrite
      ).write(
        device, stack, asking: SecretPrompt.ask,
        on: { interruptions in LiveProgress(clock: stack.clock, ask: { interruptions.ask($0) }) }
      ) {
        RunOutput.show($0, after: $1, in: $2, as: output)
      }
    }
    if status != .done { throw status }
  }

  private func show(_ address: BluetoothAddress, _ link: DeviceLink) async throws {
    let (text, json) = try await link.with(address) { [networks] peripheral, sighting in
      if networks {
        let list = try await WiFiList.read(peripheral, sighting, link)
        return (list.text, list.json)
      }
      let inspection = try await Inspection.read(
        peripheral, sighting, as: link.families, on: link.stack.clock)
      return (inspection.text, inspection.json)
    }
    switch output {
    case .json: Console.data(json.pretty)
    case .text: Console.data(text)
    }
  }

  private func family(of address: BluetoothAddress, _ link: DeviceLink) async throws -> DeviceFamily {
    if let profile {
      if let family = link.families[FamilyID(rawValue: profile)] { return family }
      throw CommandFailure(
        .usage, "--profile: there is no family \(profile.visible)",
        advice: "The families: \(link.families.all.map(\.id.rawValue).joined(separator: ", ")).")
    }
    let sighting = try await Interruptions().cancelling { try await link.search(for: address) }
    if let family = sighting.family { return family }
    throw CommandFailure(
      .usage, "\(address): its advertisement does not show its family",
      advice: "Name the family with --profile.")
  }
}
