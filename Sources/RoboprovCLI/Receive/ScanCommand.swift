import Application
import Host
import Reporting
import ArgumentParser
import Engine
import FoundationEssentials

/// `roboprov scan`: lists the devices on air, with their rooms.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the devices that can be provisioned; with a manifest also the room of each device.",
    discussion: """
      roboprov scan
      roboprov scan building.yaml --watch
      roboprov scan --expect stock.csv --scan-time 30

      Scans on all adapters for --scan-time seconds, or with --watch until Ctrl-C, and lists address, profile, RSSI in dBm, age in seconds and \
      state. With a manifest it lists all devices of known families, first those without a room. With --expect it compares a \
      delivery with the devices that it receives. Exit status \(ExitStatus.incomplete.rawValue) if one of them is missing.
      """)

  @Argument(
    help: ArgumentHelp("Also show the room of each device of this building.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "A CSV table of delivered devices; addresses or labels are in its only column, or in one named address, MAC or label.",
      valueName: "stock.csv"))
  var expect: String?

  @OptionGroup var record: KnownRecordOptions

  @OptionGroup var radio: RadioOptions

  @Flag(help: "Scan until Ctrl-C, and print each device when its first advertisement arrives.")
  var watch = false

  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let known = try manifest.map { try KnownBuilding.load($0, reports: record.reports) }
    let stock = try expect.map(StockList.init)
    for entry in stock?.repeated ?? [] {
      Console.say("roboprov: warning: \(stock?.file ?? ""):\(entry.line): \(entry.address) is listed twice")
    }
    let scan = try await simulation.access.joining(radio.hosts, of: known?.building).with(
      rehearsing: known, at: watch ? .watched : .virtual
    ) {
      stack in
      try await Interruptions().cancelling { try await survey(stack, known, stock) }
    }
    switch output {
    case .json: Console.data(scan.json.pretty)
    case .text: Console.data(scan.text)
    }
    if let stock = scan.stock, !stock.missing.isEmpty { throw ExitStatus.incomplete }
  }

  private func survey(
    _ stack: BluetoothStack, _ known: KnownBuilding?, _ stock: StockList?
  ) async throws -> ScanResult {
    let log = AirLog(
      known?.ledger ?? AirLedger(families: BuiltIn.families),
      expecting: stock?.entries.map(\.address) ?? []
    )
    let owners = known?.owners
    let adapters = try await stack.scan(
      radio.choice, for: watch ? nil : .seconds(radio.scanTime), of: known?.building, into: [log]
    ) { [watch] sighting in
      if watch { Console.say(ScanResult.Device(sighting, owners, at: stack.clock.now).line) }
    }
    let expected = await log.expected
    return ScanResult(
      adapters, await log.air, owners: owners,
      stock: stock.map { StockCheck($0, received: expected) }, at: stack.clock.now)
  }
}
