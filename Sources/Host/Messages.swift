import Glibc
import Model
import Reporting

/// What a command tells a person besides its result: warnings, findings, and what it waits for.
package enum Messages {
  /// A line.
  package static func say(_ line: String) { Surroundings.write(line.visible + "\n", to: STDERR_FILENO) }

  /// Lines of a view.
  package static func say(lines: [String]) {
    Surroundings.write(lines.map { $0.visibleLine + "\n" }.joined(), to: STDERR_FILENO)
  }
}
