import Application
import ArgumentParser
import Engine
import FoundationEssentials
import Host

/// `roboprov monitor`: reports devices that appear and leave, for programs.
struct MonitorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Print a line of JSON when a device appears and when it has left.",
    discussion: """
      roboprov monitor
      roboprov monitor building.yaml --leave-after 60 >>presence.jsonl
      roboprov monitor building.yaml --for 3600 | jq .room_name

      Scans on all adapters until Ctrl-C. Prints `enter` when it receives a device of a known family, or of the building, for the first time, \
      and `leave` when it has received nothing from the device for --leave-after seconds. If an adapter is lost it waits \
      for it and prints `scan_ended` and `scan_started`; the time between them does not count as silence of the devices that \
      this adapter received last.
      """)

  @Argument(
    help: ArgumentHelp("Also print the room of each device of this building.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "Report that a device has left after this many seconds without an advertisement; at least 10.",
      valueName: "seconds"))
  var leaveAfter = 30.0

  @OptionGroup var record: KnownRecordOptions

  @OptionGroup var radio: ScanOptions
  @OptionGroup var simulation: SimulationOptions

  func validate() throws { try ScanOptions.check(leaveAfter, "--leave-after", from: 10) }

  func run() async throws {
    let known = try manifest.map { try KnownBuilding.load($0, reports: record.reports) }
    try await simulation.access.joining(radio.hosts, of: known?.building).with(
      rehearsing: known, at: radio.duration == nil ? .watched : .virtual
    ) {
      stack in
      let feed = PresenceFeed(
        Presence(
          known?.ledger ?? AirLedger(families: BuiltIn.families), owners: known?.owners,
          leaveAfter: .seconds(leaveAfter)), stack)
      let reception = Reception(
        stack: stack, adapters: radio.choice, building: known?.building,
        window: ScanWindow(silence: .seconds(5)))
      try await Interruptions().cancelling { [duration = radio.duration] in
        try await reception.run(
          for: duration, every: .seconds(1), { await feed.tick() },
          { await feed.handle($0) })
      }
    }
  }
}
