import ArgumentParser
import Bluetooth
import Engine
import Families
import Foundation
import Model
import Reporting

/// `roboprov monitor`: which devices come and go, for programs.
struct MonitorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Print a line of JSON when a device is received, and when it has left.",
    discussion: """
      roboprov monitor
      roboprov monitor building.yaml --leave-after 60 >>presence.jsonl
      roboprov monitor building.yaml --for 3600 | jq .room_name

      Scans until Ctrl-C. `enter` is printed when a device of a known family, or of the building, is received for the first \
      time; `leave` when nothing was received of it for --leave-after seconds. An adapter that goes away is waited for: \
      `scan_ended` and `scan_started` say so, and the time between them counts as no silence. `roboprov schema monitor` \
      explains each field.
      """)

  @Argument(
    help: ArgumentHelp("The building, to print the room of each device.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "A device has left after so much silence. Most chips report a device once in a scan, and scans take 5 s.",
      valueName: "seconds"))
  var leaveAfter = 30.0

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long to scan; until Ctrl-C if absent.", valueName: "seconds"))
  var duration: Double?

  @OptionGroup var record: KnownRecordOptions

  @OptionGroup var radio: ScanOptions
  @OptionGroup var simulation: SimulationOptions

  func validate() throws {
    try ScanOptions.check(duration, "--for")
    try ScanOptions.check(leaveAfter, "--leave-after", from: 10)
  }

  func run() async throws {
    let known = try manifest.map { try KnownBuilding.load($0, reports: record.reports) }
    try await Radio.with(simulation, rehearsing: known?.subject) { setup in
      let feed = PresenceFeed(
        Presence(
          known?.ledger ?? AirLedger(profiles: DeviceProfiles.all), owners: known?.owners,
          leaveAfter: .seconds(leaveAfter)), setup)
      let reception = Reception(
        setup: setup, adapters: radio.adapters(of: known?.building), isSimulated: simulation.simulate,
        window: .init(silence: .seconds(5)))
      try await Interruptions().cancelling { [duration] in
        try await reception.run(
          for: duration.map { .seconds($0) }, every: .seconds(1), { await feed.tick() },
          { await feed.handle($0) })
      }
    }
  }
}
