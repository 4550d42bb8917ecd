import Glibc
import Reporting
import Model
package import Manifest

/// What the application tells a person besides its result: warnings, findings, and what it waits for.
package enum Messages {
  /// A line.
  package static func say(_ line: String) { Surroundings.write(line.visible + "\n", to: STDERR_FILENO) }

  /// Lines of a view.
  package static func say(lines: [String]) {
    Surroundings.write(lines.map { $0.visibleLine + "\n" }.joined(), to: STDERR_FILENO)
  }

  /// The findings about a manifest.
  package static func show(_ reading: ManifestReading) {
    show(findings: reading.rendered(isColored: Surroundings.hasColor(STDERR_FILENO)))
  }

  /// Rendered findings.
  static func show(findings text: String) {
    say(lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
  }
}
