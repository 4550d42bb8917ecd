import ArgumentParser

/// How fast the engine is, in a virtual building in virtual time: `make bench`.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "roboprov-bench",
    abstract: "Measure the engine in a virtual building.",
    subcommands: [TableCommand.self, RunCommand.self, MatchCommand.self],
    defaultSubcommand: TableCommand.self)
}

/// One run of the engine.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Provision one building and print what was measured.")

  @OptionGroup var course: Course

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let measured = try await course.run()
    print(try json ? measured.json() : measured.lines)
  }
}
