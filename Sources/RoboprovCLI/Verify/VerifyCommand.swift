import Application
import ArgumentParser
import Bluetooth
import Engine
import FoundationEssentials
import Host
import Model
import Reporting

/// `roboprov verify`: checks that every room's beacon is on air, sent by the room's own device.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract:
      "Check that every room's beacon is on air now, sent by its own device; write nothing to any device.",
    discussion: """
      roboprov verify building.yaml
      roboprov verify building.yaml --for 600
      roboprov verify building.yaml --output json

      Scans on all adapters for --for seconds, in scan windows of 5 s. Lists the rooms whose device is missing, weak, waiting for \
      provisioning or sends another identity, and beacons of this building that belong to no room. The sightings become evidence \
      in the building's report. A room whose device was last received by an adapter that did not scan is not searched: it is \
      listed, and its record stays as it is. Exit status \(ExitStatus.incomplete.rawValue) unless the beacon of every room that has one is on air.
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Option(name: .customLong("for"), help: ArgumentHelp("Scan for this many seconds.", valueName: "seconds"))
  var duration = 10.0

  @OptionGroup var record: RecordOptions
  @OptionGroup var seal: SealOptions
  @OptionGroup var radio: RadioOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  /// Length of a scan window, in seconds. Some chips report each device only once per scan: each window
  /// reports it again.
  private static let window = 5.0

  func validate() throws {
    guard duration.isFinite, (1...86_400).contains(duration) else {
      throw ValidationError("--for takes 1 to 86400 seconds")
    }
  }

  func run() async throws {
    let amendment = try Amendment(manifest, in: record.keeping, siteKey: seal.siteKey)
    guard let source = amendment.building.source else {
      throw CommandFailure(
        .usage, "\(manifest.visible) is not a manifest, and only a manifest defines the expected beacons",
        advice: "Name the building's manifest: `roboprov verify building.yaml`.")
    }
    let rooms = source.building.rooms.filter { amendment.lastKnown.rooms[$0.id]?.retirement == nil }
    let (windows, adapters, names) = try await BluetoothAccess.system.joining(
      radio.hosts, of: source.building
    ).with { stack in
      try await Interruptions().cancelling { try await scan(stack, rooms, of: source.building) }
    }
    let verification = Verification(
      rooms, Known(lastKnown: amendment.lastKnown), windows: windows, by: adapters)
    let planned = rooms.map { $0.planned(sealedBy: nil) }
    let report = try await amendment.commit(
      .verify, verification.rooms.map(Fact.roomVerified), about: planned)
    show(verification, rooms, amendment, by: adapters, names)
    if output == .text, let next = amendment.next(after: report) ?? again(verification) {
      Console.data("\n\(next)\n")
    }
    if verification.rooms.contains(where: \.needsAction) { throw ExitStatus.incomplete }
  }

  /// The same with all adapters, if some rooms were not searched.
  private func again(_ verification: Verification) -> String? {
    guard verification.rooms.contains(where: { $0.finding == .notSearched }) else { return nil }
    return "Next: roboprov verify \(manifest.shellQuoted)\(record.keeping.reportsOption)"
  }

  /// - Returns: What each scan window received, the adapters that scanned, and the names of all adapters.
  private func scan(_ stack: BluetoothStack, _ rooms: [Room], of building: Building) async throws
    -> ([AirLedger], [AdapterScan], [AdapterID: String])
  {
    let ledger = Verification.ledger(for: rooms, of: building.families)
    let logs = (0..<max(1, Int((duration / Self.window).rounded()))).map { _ in AirLog(ledger) }
    let present = try? await stack.central.adapters()
    let scans = try await stack.scan(
      radio.choice, for: .seconds(duration / Double(logs.count)), of: building, into: logs)
    // Half a search finds no room missing.
    if Task.isCancelled { throw ExitStatus.interrupted }
    var windows: [AirLedger] = []
    for log in logs { windows.append(await log.air) }
    return (windows, scans, Dictionary((present ?? []).map { ($0.id, $0.name) }) { first, _ in first })
  }

  private func show(
    _ verification: Verification, _ rooms: [Room], _ amendment: Amendment, by adapters: [AdapterScan],
    _ adapterNames: [AdapterID: String]
  ) {
    let names = Dictionary(uniqueKeysWithValues: rooms.map { ($0.id, $0.name) })
    let named = verification.rooms.map { (name: names[$0.room] ?? $0.room.rawValue, room: $0) }
    switch output {
    case .json:
      Console.data(
        VerificationJSON.value(
          building: amendment.building.id, run: amendment.run.id, by: adapters, named,
          unexpected: verification.unexpected
        ).pretty)
    case .text:
      let screen = Screen.standardOutput
      let lines = VerificationView.lines(
        named, unexpected: verification.unexpected, adapters: adapterNames,
        seen: amendment.lastKnown.rooms.compactMapValues { $0.lastWrite?.seen?.at },
        times: .here, style: screen.style)
      Console.data(lines: lines)
    }
  }
}
