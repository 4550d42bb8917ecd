import Glibc
package import Host
package import Manifest

extension Messages {
  /// The findings about a manifest.
  package static func show(_ reading: ManifestReading) {
    show(findings: reading.rendered(isColored: Surroundings.hasColor(STDERR_FILENO)))
  }

  /// Rendered findings.
  static func show(findings text: String) {
    say(lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
  }
}
