package import Manifest
import Source
package import VirtualBuilding

/// The result of reading a scenario file. `manifests/demo-scenario.yaml` describes the format.
package struct ScenarioReading: Sendable {
  /// Nil when there is a finding.
  package let scenario: Scenario?
  /// The virtual building's speed, as a multiple of real time.
  package let speed: Double
  /// The findings, by place. Each is an error.
  package let findings: [Diagnostic]
  private let excerpt: SourceExcerpt

  /// - Parameters:
  ///   - file: The file's name in messages.
  ///   - families: The families of devices; the first is the default.
  package init(_ bytes: [UInt8], file: String, families: [FirmwareFamily]) {
    let source = SourceText(bytes)
    excerpt = SourceExcerpt(open: source, file: file)
    var decoder = ScenarioDecoder(families)
    let decoded = decoder.decode(source)
    findings = decoder.findings.sortedByPlace()
    scenario = findings.isEmpty ? decoded?.scenario : nil
    speed = decoded?.speed ?? 1
  }

  /// The findings for a person, each with its line and a caret.
  package func rendered(isColored: Bool) -> String {
    DiagnosticFormatter([excerpt], isColored: isColored).text(of: findings)
  }
}
