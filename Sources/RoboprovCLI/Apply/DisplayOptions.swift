import ArgumentParser
import Reporting

/// Options for the display of a run.
struct DisplayOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Show only failures and the summary.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Show a line for each event, as in the device logs.")
  var verbose = false

  func validate() throws {
    if quiet, verbose {
      throw ValidationError("--quiet shows less and --verbose shows more: give only one")
    }
  }

  /// The level of detail of the progress.
  func progress(_ output: ApplyOutput) -> LiveProgress.Options {
    LiveProgress.Options(
      detail: quiet ? .quiet : verbose ? .verbose : .normal, writesEvents: output == .json)
  }
}
