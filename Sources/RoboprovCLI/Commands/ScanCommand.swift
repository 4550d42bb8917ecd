import ArgumentParser
import Bluetooth
import Engine
import Families
import Foundation
import Model
import Reporting

/// `roboprov scan`: which devices are there, and whose they are.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the devices that can be provisioned; with a manifest also the rooms that they belong to.",
    discussion: """
      roboprov scan
      roboprov scan building.yaml --watch
      roboprov scan --expect stock.csv --listen 30

      Scans for --listen seconds, or with --watch until Ctrl-C, and lists address, profile, RSSI, age and state. With a manifest \
      it lists all devices of known families, those of no room first. With --expect it compares a delivery with what it \
      receives, and exits with \(ExitStatus.incomplete.rawValue) if a device is missing.
      """)

  @Argument(
    help: ArgumentHelp("The building, to show the room of each device.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "A table of the devices of a delivery: addresses or labels in the only column, or in one named address, MAC or label.",
      valueName: "stock.csv"))
  var expect: String?

  @OptionGroup var record: KnownRecordOptions

  @OptionGroup var radio: RadioOptions

  @Flag(help: "Scan until Ctrl-C, and print each device when it is received for the first time.")
  var watch = false

  @OptionGroup var simulation: SimulationOptions

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func run() async throws {
    let known = try manifest.map { try KnownBuilding.load($0, reports: record.reports) }
    let stock = try expect.map(StockList.init)
    for entry in stock?.repeated ?? [] {
      Console.say("roboprov: warning: \(stock?.file ?? ""):\(entry.line): \(entry.address) is listed twice")
    }
    let scan = try await Radio.with(simulation, rehearsing: known?.subject) { setup in
      try await Interruptions().cancelling { try await listen(setup, known, stock) }
    }
    switch output {
    case .json: Console.data(scan.json.pretty + "\n")
    case .text: Console.data(scan.text)
    }
    if let stock = scan.stock, !stock.missing.isEmpty { throw ExitStatus.incomplete.exit }
  }

  private func listen(
    _ setup: Radio.Setup, _ known: KnownBuilding?, _ stock: StockList?
  ) async throws -> ScanResult {
    let log = AirLog(
      known?.ledger ?? AirLedger(profiles: DeviceProfiles.all), expecting: stock?.entries.map(\.address) ?? []
    )
    let received = try await Survey.listen(
      setup, radio, for: watch ? nil : .seconds(radio.listen), of: known?.building, into: log,
      isSimulated: simulation.simulate
    ) { [watch] sighting in
      if watch { Console.say(ScanResult.Device(sighting, known?.owners, at: setup.clock.now).line) }
    }
    let expected = await log.expected
    return ScanResult(
      adapter: received.adapter, received.air, owners: known?.owners,
      stock: stock.map { StockCheck($0, received: expected) }, at: setup.clock.now)
  }
}
