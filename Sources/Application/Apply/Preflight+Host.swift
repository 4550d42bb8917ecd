import Host
import Model

extension Preflight {
  /// Checks this computer as far as files show it, and prints a line for each warning. The other checks of
  /// `doctor` take longer.
  /// - Throws: `CommandFailure` if a run cannot begin or its record cannot be kept.
  package static func checkHost(_ prepared: PreparedRun, manifest: String, reports: String) throws {
    var building = prepared.source.building
    building.rooms = prepared.selected
    let facts = BuildingFacts(manifest: manifest, building: building, known: prepared.known)
    let host = HostFacts.system(isSimulated: false, reports: reports)
    for finding in Diagnosis(host: host, building: facts).beforeRun {
      guard finding.severity == .error else {
        Messages.say(finding.line)
        continue
      }
      throw CommandFailure(
        finding.code == "storage" ? .record : .unavailable, finding.clause,
        advice: [finding.advice, finding.command.map { "`\($0)`" }].compactMap(\.self).joined(separator: " "))
    }
  }
}
