import Application
import ArgumentParser
import Engine
import Host
import Model
import Reporting

/// `roboprov walk`: provisions room by room, while the operator stands in front of each sensor.
struct WalkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Provision room by room, while you stand in front of each sensor.",
    discussion: """
      roboprov walk building.yaml
      roboprov walk building.yaml --only floor:3
      roboprov walk building.yaml --phone --listen 192.168.178.20
      roboprov walk building.yaml --simulate

      For each room that is not done: scan the label of its sensor with a barcode scanner, type its 12 hex digits or, if it is \
      on air, its last four, or press Enter to take the sensor that is clearly the nearest or was just switched on. `walk` writes into the \
      manifest what `capture` does, provisions and verifies the sensor as `apply` does, and continues with the next \
      room. A rehearsal changes neither the manifest nor the record.

      With --phone the rooms are done by phones in the hands of those who walk; the computer with the adapters stays where it \
      is, or its gateways are on the floors. Scan the code that is shown: the first phone can work at once, each further one \
      after a question here. A phone gives the label, its last four characters or a photo of it, and provisions as the keys \
      do; it can change nothing else. The connection is not encrypted, so use a network that you trust.

      Keys: r retry, s skip, u undo the label, l locate (signal strength), i make it blink (if it can), q quit, ? help. Without \
      a terminal each key is a line, and `.` is Enter.

      \(ExitStatus.helpOfRuns)
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Select only these rooms, named as for `apply`.", valueName: "rooms ..."))
  var only: [String] = []

  @Flag(help: "Do not sound the terminal's bell when a room ends.")
  var silent = false

  @OptionGroup var phones: PhoneOptions
  @OptionGroup var seal: SealOptions
  @OptionGroup var record: RecordOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  func run() async throws {
    let written = try ManifestSource.load(manifest, keepsEnvironment: true)
    _ = try ManifestFile(manifest)
    let chosen = try RoomSelectors(written.building).find(only, for: "--only")
    let scope = WorkScope(RoomSelection(only: chosen, unfinished: true))
    var source = try SecretResolver.resolve(
      written, for: scope, isRehearsal: simulation.simulate, asking: SecretPrompt.ask)
    var prepared = try PreparedRun(
      source, scope, siteKey: seal.siteKey, in: record.reports, isRehearsal: simulation.simulate)
    if simulation.simulate, simulation.scenario == nil,
      source.supplyLabels(prepared.known, onlyOfProducts: true)
    {
      prepared = try PreparedRun(
        source, scope, siteKey: seal.siteKey, in: record.reports, isRehearsal: simulation.simulate)
    }
    if let words = prepared.nothingLeft {
      Console.say(words)
      return
    }
    let (known, rooms) = (prepared.known, prepared.source.building.rooms)
    let done = rooms.count { known.isDone($0) }
    let walk = Walk(prepared.selected, of: prepared.source.building, provisions: true) { room in
      known.device(of: room)?.address
    }
    let session = { @Sendable [self, prepared] in
      try await simulation.access.joining(radio.hosts, of: written.building).with(
        rehearsing: prepared.subject, at: KeyReader.isPossible || phones.phone ? .watched : .virtual
      ) { stack in
        try await Preflight.awaitAdapter(prepared, radio.choice, stack)
        let means = LabelSession.Means(
          stack: stack, adapters: radio.choice, scanTime: radio.scanTime, isRehearsal: simulation.simulate,
          provisioning: .init(keeping: record.keeping, siteKey: seal.siteKey, manifest: manifest) {
            LiveProgress(
              clock: $0,
              .init(detail: phones.phone ? .quiet : .normal, hidesEndings: true, takesKeys: false))
          })
        if phones.phone { return try await PhoneHost(phones.place).run(walk, prepared.source, means) }
        return try await WalkSession(
          prepared.source.building, clock: stack.clock, isRehearsal: simulation.simulate, done: done,
          isSilent: silent
        ).run(walk, prepared.source, means)
      }
    }
    let ending =
      simulation.simulate
      ? try await session()
      : try await SleepInhibitor.holding(why: "Provisioning \(source.building.name.visible)") {
        try await session()
      }
    let (walked, left) = (ending.walk.done, ending.walk.left)
    Console.data(
      "\(walked) of \(walked + left.count) rooms done in this walk; the building: \(done + walked) of \(rooms.count)\n"
    )
    if !left.isEmpty {
      Console.data("Left: \(Walk.list(left.map(\.name)))\n")
      let options = phones.words + simulation.words + record.keeping.reportsOption
      Console.data("Next: roboprov walk \(manifest.shellQuoted)\(options)\n")
    }
    if ending.wasInterrupted { throw ExitStatus.interrupted }
    if !left.isEmpty { throw ExitStatus.incomplete }
  }
}
