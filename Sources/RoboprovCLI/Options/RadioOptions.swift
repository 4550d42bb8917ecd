import Application
import ArgumentParser

/// Options for the adapters and the scan time.
struct RadioOptions: ParsableArguments {
  static let adapterHelp = ArgumentHelp(
    "The adapters to use. Default: all that are ready. With a manifest, its names for them work, too.",
    valueName: "hciN or address ...")

  @Option(parsing: .upToNextOption, help: Self.adapterHelp)
  var adapter: [String] = Preferences.current.adapters

  /// In seconds.
  static let usualScanTime = 10.0

  @Option(help: ArgumentHelp("The scan time in seconds.", valueName: "seconds"))
  var scanTime = usualScanTime

  @Option(
    help: ArgumentHelp("How long to wait for an adapter to be ready, in seconds.", valueName: "seconds"))
  var adapterWait = 30.0

  @OptionGroup var hosts: HostOptions

  /// The adapters to use.
  var choice: AdapterChoice { AdapterChoice(names: adapter, wait: .seconds(adapterWait)) }

  func validate() throws {
    try ScanOptions.check(scanTime, "--scan-time")
    try ScanOptions.check(adapterWait, "--adapter-wait")
  }
}
