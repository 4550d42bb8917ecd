import ArgumentParser

/// Measures roboprov in virtual buildings: `make bench`.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "roboprov-bench",
    abstract: "Measure roboprov in virtual buildings.",
    subcommands: [
      TableCommand.self, RunCommand.self, MatchCommand.self, ManifestCommand.self, RecordCommand.self,
      StartCommand.self,
      BusCommand.self, ServeCommand.self,
    ],
    defaultSubcommand: TableCommand.self)
}

/// Measures one run of the engine.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Provision one building and print the measurements.")

  @OptionGroup var options: BuildingOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let measured = try await options.run()
    print(try json ? measured.json() : measured.lines)
  }
}
