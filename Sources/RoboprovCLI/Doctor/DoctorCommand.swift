import Application
import Host
import Model
import Reporting
import Manifest
import ArgumentParser
import Bluetooth
import Engine
import FoundationEssentials
import Glibc
import Journal

/// `roboprov doctor`: checks this computer, and what a building needs from it.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check that this computer is ready for a run; show the command that corrects each problem.",
    discussion: """
      roboprov doctor
      roboprov doctor building.yaml
      roboprov doctor building.yaml --scan-time 30 --output json
      roboprov doctor --host floor-3=pi@gw3

      Lists the adapters, with controller, USB port and links to devices. Checks D-Bus, bluetoothd and its settings, the adapters, the clock, the free space for reports and the file permissions. \
      With a manifest, or `--host`, it also checks the other computers whose adapters are used. With a manifest it also checks the adapters, passwords and addresses that the building needs, and scans for --scan-time \
      seconds to find which rooms' devices it receives from here. It writes nothing to any device and records nothing. Exit \
      status \(ExitStatus.unavailable.rawValue) if a finding is an error.
      """)

  @Argument(
    help: ArgumentHelp("Also check what this building needs.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @Option(
    help: ArgumentHelp("With a manifest: scan for this many seconds. Default: 10.", valueName: "seconds"))
  var scanTime: Double?

  @Option(
    help: ArgumentHelp("The reports directory, with the record of earlier runs.", valueName: "dir"),
    completion: .directory)
  var reports = Preferences.current.reports

  @OptionGroup var seal: SealOptions
  @OptionGroup var hosts: HostOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func validate() throws {
    guard let scanTime else { return }
    guard manifest != nil else {
      throw ValidationError("--scan-time sets the scan time for a building's devices: name its manifest")
    }
    try ScanOptions.check(scanTime, "--scan-time")
  }

  func run() async throws {
    let manifest = try manifest.map {
      try ManifestSource.load($0, keepsEnvironment: true, warnsOfOthers: false)
    }
    var building = manifest.map { BuildingFacts($0, in: reports) }
    let host = HostFacts.system(isSimulated: simulation.simulate, reports: reports, files: files(manifest))
    let subject = building.map { KnownBuilding($0.building, $0.known) }
    let (radio, reception) = try await simulation.access.joining(hosts, of: manifest?.building)
      .attempting(rehearsing: subject) {
        [building] opened in
        try await Interruptions().cancelling { try await look(opened, building) }
      }
    building?.reception = reception
    let diagnosis = Diagnosis(host: host, radio: radio, building: building)
    let findings = diagnosis.findings
    switch output {
    case .json: Console.data(diagnosis.json(of: HostEnvironment.hostName, findings).pretty)
    case .text: Console.data(lines: findings.lines(Screen.standardOutput.style))
    }
    if findings.contains(where: { $0.severity == .error }) { throw ExitStatus.unavailable }
  }

  private func files(_ source: ManifestSource?) -> [FileFacts] {
    let manifests = (source?.files ?? []).map { file in
      FileFacts(of: file, .manifest(hasPasswords: source?.passwords.files.contains(file) == true))
    }
    return manifests + [FileFacts(of: SiteKey.path(seal.siteKey), .siteKey)]
  }

  /// Reads the state of the stack and, with a manifest, scans for the building's devices.
  private func look(
    _ opened: Result<BluetoothStack, CentralError>, _ building: BuildingFacts?
  ) async throws -> (RadioFacts, HostFact<BuildingFacts.ScanReception>?) {
    switch opened {
    case .failure(let error):
      return (RadioFacts(failure: error), building.map { _ in .unknown("Bluetooth is not available") })
    case .success(let stack):
      let radio = await RadioFacts.read(stack.central, stack.clock, of: stack.hosts)
      if Task.isCancelled { throw ExitStatus.interrupted }
      guard let building else { return (radio, nil) }
      return (radio, try await receive(building, radio.ready, stack))
    }
  }

  /// Scans on every ready adapter that no run has claimed.
  private func receive(
    _ facts: BuildingFacts, _ ready: [Adapter], _ stack: BluetoothStack
  ) async throws -> HostFact<BuildingFacts.ScanReception> {
    guard !ready.isEmpty else { return .unknown("no adapter can be used") }
    let seconds = scanTime ?? 10
    let log = AirLog(Verification.ledger(for: facts.rooms, of: facts.building.families))
    do {
      let scans = try await stack.scan(
        AdapterChoice(names: [], wait: .seconds(1)), for: .seconds(seconds), into: [log])
      if Task.isCancelled { throw ExitStatus.interrupted }
      return .known(
        .init(
          seconds: seconds, adapters: scans.filter(\.isComplete).map(\.name),
          rooms: RoomReception(facts.rooms, facts.known, air: await log.air)))
    } catch let failure as CommandFailure {
      return .unknown(failure.message)
    }
  }
}
