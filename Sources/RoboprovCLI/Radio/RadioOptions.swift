import ArgumentParser
import Model

/// Options about the adapter and listening.
struct RadioOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "The adapters to use, one or more; all that are ready if absent. With a manifest also by its names for them.",
      valueName: "hciN or address ..."))
  var adapter: [String] = Preferences.current.adapters

  @Option(help: ArgumentHelp("The scan time in seconds.", valueName: "seconds"))
  var scanTime = 10.0

  @Option(
    help: ArgumentHelp("How long to wait for an adapter to be ready, in seconds.", valueName: "seconds"))
  var adapterWait = 30.0

  /// The adapters to use; a name of a building's own stands for the adapter that its manifest says.
  func adapters(of building: Building? = nil) -> [AdapterReference] {
    adapter.map { building?.adapter(named: $0) ?? AdapterReference($0) }
  }

  func validate() throws {
    try ScanOptions.check(scanTime, "--scan-time")
    try ScanOptions.check(adapterWait, "--adapter-wait")
  }
}
