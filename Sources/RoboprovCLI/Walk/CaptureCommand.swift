import Application
import Host
import Reporting
import ArgumentParser
import Engine
import FoundationEssentials
import Model

/// `roboprov capture`: reads device labels and writes their addresses or names into the manifest.
struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Read device labels room by room, and write their addresses or names into the manifest.",
    discussion: """
      roboprov capture building.yaml
      roboprov capture building.yaml --only floor:3
      roboprov capture building.yaml --offline
      roboprov capture building.yaml --phone --listen 192.168.178.20

      Asks for the label of each room that names no device, in the order of the manifest. Scan it with a barcode scanner or type \
      it: 12 hex digits, with or without separators, also inside the text of a QR code, or the last four if the device is on air. \
      Each label is compared with the devices \
      on air and saved at once, so that Ctrl-C loses nothing; a rehearsal (--simulate) saves nothing. `u` undoes the last step, \
      `s` skips a room, `q` quits; without a terminal each is a line.

      The QR code of some devices (\(BuiltIn.labelled)) has the device's name, which goes into the manifest (`device`), and its \
      secrets, which go into the file of labels that the manifest names: `pop: { labels: ./labels.json }` under `defaults`. \
      Only you can read that file. Scanned codes are not shown.

      With --phone the labels are read with phones, as in `walk --phone`.
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Flag(help: "Also ask for the labels of rooms that name their device.")
  var all = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Select only these rooms, named as for `apply`: 'Room 301', 'Room 3*', floor:3, tag:suite.",
      valueName: "rooms ..."), completion: .rooms)
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take the secrets of a delivery list (.xlsx, .ods, CSV: name or address, and `pop` or another secret) into the file of labels, and end.",
      valueName: "file"), completion: .file())
  var from: String?

  @OptionGroup var table: TableOptions

  @Flag(help: "Use no Bluetooth: do not compare the labels with the devices on air.")
  var offline = false

  @OptionGroup var phones: PhoneOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func validate() throws {
    if offline, simulation.simulate {
      throw ValidationError("--offline and --simulate exclude each other: give only one")
    }
    if from == nil, let option = table.given.first { throw ValidationError("\(option) needs --from") }
  }

  func run() async throws {
    let source = try ManifestSource.load(manifest, labelsFollow: true)
    _ = try ManifestFile(manifest)
    if let from { return try take(from, for: source.building) }
    let unlabelled = try source.building.unlabelled()
    let rooms = try selected(source.building, unlabelled)
    let walk = Walk(rooms, of: source.building, unlabelled: unlabelled, provisions: false)
    let ending = try await ending(of: walk, rooms, source)
    let outcome = CaptureOutcome(
      ending.walk, building: source.building, air: ending.air, isRehearsal: simulation.simulate)
    switch output {
    case .json: Console.data(outcome.json.pretty)
    case .text:
      Console.data(outcome.text)
      if outcome.missing.isEmpty {
        Console.data("Next: roboprov plan \(manifest.shellQuoted)\(simulation.words)\n")
      }
    }
    if ending.wasInterrupted { throw ExitStatus.interrupted }
    if !outcome.missing.isEmpty { throw ExitStatus.incomplete }
  }

  /// Takes the secrets of a delivery list into the file of labels.
  private func take(_ list: String, for building: Building) throws {
    let chosen = try RoomSelectors(building).find(only, for: "--only")
    let rooms = building.rooms.filter { only.isEmpty || chosen.contains($0.id) }
    let delivery = try DeliveryList(
      RoomSpreadsheet(list, sheet: table.sheet), named: list, for: rooms, given: table.columns)
    for words in delivery.words { Console.say(words) }
    if !simulation.simulate { try delivery.write() }
    Console.data(
      "\(delivery.count.counted("label")) \(simulation.simulate ? "read, none saved" : "in \(delivery.file.visible)").\n"
        + "Next: roboprov capture \(manifest.shellQuoted)\(simulation.words)\n")
  }

  /// The rooms whose labels are read, in the manifest's order.
  private func selected(_ building: Building, _ unlabelled: Set<RoomID>) throws -> [Room] {
    let chosen = try RoomSelectors(building).find(only, for: "--only")
    return building.rooms.filter { room in
      guard only.isEmpty || chosen.contains(room.id) else { return false }
      // Other rooms need no label: they are matched by nearness, or are configured elsewhere.
      return all || unlabelled.contains(room.id)
        || room.device == nil && (room.near == nil || room.awaitsLabel) && !room.isRegistered
    }
  }

  private func ending(
    of walk: Walk, _ rooms: [Room], _ source: ManifestSource
  ) async throws -> LabelSession.Ending {
    guard !rooms.isEmpty else {
      Console.say(
        "\(only.isEmpty ? "Every room" : "Each of these rooms") has its device; --all reads their labels again."
      )
      return LabelSession.Ending(walk: walk)
    }
    let subject = rehearsed(rooms, source)
    let talk = { @Sendable [self] (stack: BluetoothStack?) in
      let means = LabelSession.Means(
        stack: stack, adapters: radio.choice, scanTime: radio.scanTime, isRehearsal: simulation.simulate)
      if phones.phone { return try await PhoneHost(phones.place).run(walk, source, means) }
      return try await WalkSession(
        source.building, clock: stack?.clock, isRehearsal: simulation.simulate
      ).run(walk, source, means)
    }
    if offline { return try await talk(nil) }
    do {
      return try await simulation.access.joining(radio.hosts, of: source.building).with(
        rehearsing: subject, at: KeyReader.isPossible || phones.phone ? .watched : .virtual
      ) { stack in
        _ = try await Interruptions().cancelling { try await radio.choice.ready(stack, of: source.building) }
        return try await talk(stack)
      }
    } catch let failure as CommandFailure where failure.status == .unavailable {
      throw CommandFailure(
        .unavailable, failure.message,
        advice: (failure.advice.map { $0 + "\n" } ?? "")
          + "To read labels without Bluetooth, add --offline.")
    }
  }

  /// The virtual building of a rehearsal without a scenario, in which each room's device has a label.
  private func rehearsed(_ rooms: [Room], _ source: ManifestSource) -> KnownBuilding? {
    guard simulation.simulate, simulation.scenario == nil else { return nil }
    var supplied = source
    _ = supplied.supplyLabels(Known())
    let labels = supplied.building.rooms.filter { room in rooms.contains { $0.id == room.id } }.compactMap(
      \.address)
    if let label = labels.first { Console.say("The label of the first room is \(label). Nothing is saved.") }
    return KnownBuilding(supplied.building)
  }
}
