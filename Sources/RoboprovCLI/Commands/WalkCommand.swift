import ArgumentParser
import Model
import Reporting

/// `roboprov walk`: one room after the other, in front of each sensor.
struct WalkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Provision one room after the other, in front of each sensor.",
    discussion: """
      roboprov walk building.yaml
      roboprov walk building.yaml --only floor:3
      roboprov walk building.yaml --simulate

      For each room that is not done: scan the label of its sensor (or type its 12 digits), or press Enter to take the sensor \
      that is clearly the nearest or was just switched on. The address goes into the manifest, the sensor is provisioned and \
      proved as `apply` does it, with the same record, and the next room follows. A rehearsal changes neither manifest nor record.

      Keys: r retry, s skip, u undo the address, l locate (signal strength), q quit, ? help. Without a terminal each of them is \
      a line, and `.` is Enter.

      \(ExitStatus.help)
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only these rooms, named as for `apply`.", valueName: "rooms ..."))
  var only: [String] = []

  @Flag(help: "No sound when a room ends.")
  var silent = false

  @OptionGroup var seal: SealOptions
  @OptionGroup var places: RecordOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  func run() async throws {
    let written = try ManifestSource.load(manifest, keepsEnvironment: true)
    _ = try ManifestFile(manifest)
    let chosen = try RoomSelectors(written.building).find(only, for: "--only")
    let scope = WorkScope(RoomSelection(only: chosen, unfinished: true))
    let source = try SecretResolver.resolve(written, for: scope, isRehearsal: simulation.simulate)
    let undertaking = try Undertaking(source, scope, seal, in: places.reports)
    if let words = undertaking.nothingLeft {
      Console.say(words)
      return
    }
    let walk = { @Sendable [self] in
      try await Radio.with(simulation, rehearsing: undertaking.subject) { setup in
        try await Preflight.awaitAdapter(
          undertaking, radio, setup, kernel: .ofThisHost(unless: simulation.simulate))
        return try await WalkSession(self, undertaking, setup).run()
      }
    }
    let status =
      simulation.simulate
      ? try await walk()
      : try await SleepInhibitor.holding(why: "Provisioning \(source.building.name.visible)") {
        try await walk()
      }
    if status != .done { throw status.exit }
  }
}
