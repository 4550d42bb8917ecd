import ArgumentParser
import Bluetooth
import Engine
import Foundation
import Model
import Reporting

/// `roboprov verify`: is every room's beacon on air now, from its own device?
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract:
      "Check that every room's beacon is on air now, from its own device; write nothing to any device.",
    discussion: """
      roboprov verify building.yaml
      roboprov verify building.yaml --for 600
      roboprov verify building.yaml --output json

      Scans for 10 s, or for as long as --for says, in scans of 5 s each. Lists rooms whose device is missing, weak, waiting or \
      sends another identity, and beacons of this building that no room has. What was heard becomes evidence in the \
      building's report. Exit status \(ExitStatus.incomplete.rawValue) unless every room with a beacon is on air.
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Option(name: .customLong("for"), help: ArgumentHelp("How long to scan.", valueName: "seconds"))
  var duration = 10.0

  @OptionGroup var places: RecordOptions
  @OptionGroup var seal: SealOptions
  @OptionGroup var radio: RadioOptions

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  /// Chips that report each device once in a scan tell in each scan again whether it is on air.
  private static let window = 5.0

  func validate() throws {
    guard duration.isFinite, (1...86_400).contains(duration) else {
      throw ValidationError("--for takes seconds, 1 to 86400")
    }
  }

  func run() async throws {
    let amendment = try Amendment(manifest, in: places, sealedBy: seal)
    guard let source = amendment.building.source else {
      throw CommandFailure(
        .usage, "\(manifest.visible) is no manifest: what should be on air is not known",
        cure: "Name the building's manifest.")
    }
    let rooms = source.building.rooms.filter { amendment.standing.rooms[$0.id]?.retirement == nil }
    let windows = try await Radio.withSystem { setup in
      try await Interruptions().cancelling { try await scan(setup, rooms, of: source.building) }
    }
    let verification = Verification(rooms, Known(standing: amendment.standing), windows: windows)
    let planned = rooms.map { $0.planned(sealedBy: nil) }
    try await amendment.commit(.verify, verification.rooms.map(Fact.roomVerified), about: planned)
    show(verification, rooms, amendment)
    if verification.rooms.contains(where: \.needsAction) { throw ExitStatus.incomplete.exit }
  }

  /// Scans window by window.
  private func scan(_ setup: Radio.Setup, _ rooms: [Room], of building: Building) async throws -> [AirLedger]
  {
    let count = max(1, Int((duration / Self.window).rounded()))
    return try await Survey.windows(
      count, of: .seconds(duration / Double(count)), in: Verification.ledger(for: rooms), setup, radio,
      for: building, isSimulated: false)
  }

  private func show(_ verification: Verification, _ rooms: [Room], _ amendment: Amendment) {
    let names = Dictionary(uniqueKeysWithValues: rooms.map { ($0.id, $0.name) })
    let named = verification.rooms.map { (name: names[$0.room] ?? $0.room.rawValue, room: $0) }
    switch output {
    case .json:
      Console.data(
        VerificationJSON.value(
          building: amendment.building.id, run: amendment.run.id, named, unexpected: verification.unexpected
        ).pretty)
    case .text:
      let screen = Screen.standardOutput
      let lines = VerificationView.lines(
        named, unexpected: verification.unexpected,
        style: screen.style)
      Console.data(lines: lines)
    }
  }
}
