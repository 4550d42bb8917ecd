import Foundation
import Synchronization

/// Where words go: data to stdout, everything else to stderr. Nothing below the command line prints.
struct Console: Sendable {
  /// Data, for people or programs.
  static func data(_ text: String) { write(text, to: .standardOutput) }

  /// A line for the person at the terminal.
  static func say(_ text: String) { write(text + "\n", to: .standardError) }

  /// An error, and what to do next.
  static func fail(_ failure: CommandFailure) { say("roboprov: error: " + failure.text) }

  /// Writes all of it, in one call where the system takes it in one. A reader that has gone away is no
  /// error of ours.
  static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }
}
