import ArgumentParser
import Reporting

/// Options for the display and the sounds of a run.
struct DisplayOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Show only failures and the summary.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Show a line for each event, as in the device logs.")
  var verbose = false

  @Flag(help: "Sound the terminal's bell when a room ends.")
  var bell = false

  @Option(
    help: ArgumentHelp(
      """
      Run this command whenever a room ends, with the room and its outcome as JSON on its standard input (`roboprov schema \
      notify`). The run does not wait for it.
      """, valueName: "command"))
  var notify: String?

  func validate() throws {
    if quiet, verbose {
      throw ValidationError("--quiet shows less and --verbose shows more: give only one")
    }
  }

  /// The level of detail of the progress.
  func progress(_ output: ApplyOutput) -> LiveProgress.Options {
    LiveProgress.Options(
      detail: quiet ? .quiet : verbose ? .verbose : .normal, rings: bell, writesEvents: output == .json)
  }
}
