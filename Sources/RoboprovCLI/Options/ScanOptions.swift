import Application
import ArgumentParser

/// Options for the adapters, for commands that scan until they are stopped.
struct ScanOptions: ParsableArguments {
  @Option(parsing: .upToNextOption, help: RadioOptions.adapterHelp)
  var adapter: [String] = Preferences.current.adapters

  @Option(
    help: ArgumentHelp("How long to wait for an adapter to be ready, in seconds.", valueName: "seconds"))
  var adapterWait = 30.0

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Scan for this many seconds. Default: until Ctrl-C.", valueName: "seconds"))
  var seconds: Double?

  @OptionGroup var hosts: HostOptions

  func validate() throws {
    try Self.check(adapterWait, "--adapter-wait")
    try Self.check(seconds, "--for")
  }

  /// How long to scan; nil until the command is stopped.
  var duration: Duration? { seconds.map { .seconds($0) } }

  /// The adapters to use.
  var choice: AdapterChoice { AdapterChoice(names: adapter, wait: .seconds(adapterWait)) }

  /// Checks an option that takes seconds.
  static func check(_ seconds: Double?, _ name: String, from least: Double = 0.1) throws {
    guard let seconds else { return }
    guard seconds.isFinite, (least...86_400).contains(seconds) else {
      throw ValidationError(
        "\(name) takes seconds, \(least == least.rounded() ? "\(Int(least))" : "\(least)") to 86400")
    }
  }
}
