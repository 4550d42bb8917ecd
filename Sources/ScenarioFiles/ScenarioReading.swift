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

  /// The maximum number of findings that are shown.
  private static let maximumShown = 50

  /// - Parameter file: The file's name in messages.
  package init(_ bytes: [UInt8], file: String) {
    let source = SourceText(bytes)
    excerpt = SourceExcerpt(open: source, file: file)
    var decoder = ScenarioDecoder()
    let decoded = decoder.decode(source)
    findings = decoder.findings.sorted { ($0.range.start, $0.message) < ($1.range.start, $1.message) }
    scenario = findings.isEmpty ? decoded?.scenario : nil
    speed = decoded?.speed ?? 1
  }

  /// The findings for a person, each with its line and a caret.
  package func rendered(isColored: Bool) -> String {
    let formatter = DiagnosticFormatter([excerpt], isColored: isColored)
    let text = findings.prefix(Self.maximumShown).map(formatter.text).joined()
    let omitted = findings.count - Self.maximumShown
    guard omitted > 0 else { return text }
    return text + "\(excerpt.file): \(omitted) more finding\(omitted == 1 ? "" : "s") not shown\n"
  }
}
