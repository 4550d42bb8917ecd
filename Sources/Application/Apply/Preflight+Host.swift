import Model
import Reporting

extension Preflight {
  /// Checks this computer as far as files show it, and prints a line for each warning. The other checks of
  /// `doctor` take longer.
  /// - Throws: `CommandFailure` if a run cannot begin or its record cannot be kept.
  package static func checkHost(_ undertaking: Undertaking, manifest: String, reports: String) throws {
    var building = undertaking.source.building
    building.rooms = undertaking.selected
    let facts = BuildingFacts(manifest: manifest, building: building, known: undertaking.known)
    let host = HostFacts.system(isSimulated: false, reports: reports)
    for finding in Diagnosis(host: host, building: facts).beforeRun {
      guard finding.severity == .error else {
        Messages.say(DoctorView.line(finding))
        continue
      }
      throw CommandFailure(
        finding.code == .storage ? .record : .unavailable, DoctorView.clause(finding),
        advice: [finding.advice, finding.command.map { "`\($0)`" }].compactMap(\.self).joined(separator: " "))
    }
  }
}
