import Engine
import FoundationEssentials
import Host
import Journal
package import Model
package import Reporting

/// A change of the record by a person. It is recorded like a run and as durable.
package struct Amendment {
  package let building: BuildingReference
  package let keeping: RecordKeeping
  private let siteKey: String?
  private let archive: BuildingArchive
  package let lastKnown: LastKnownBuilding
  /// The command that makes the change.
  package let run: RunIdentity
  private let lock: RunLock

  /// Reads the record to change.
  /// - Throws: `CommandFailure` when there is none, or it cannot be read.
  package init(_ text: String, in keeping: RecordKeeping, siteKey: String?) throws {
    building = try BuildingReference.find(text)
    self.keeping = keeping
    self.siteKey = siteKey
    run = RunIdentity(operatedBy: keeping.operatedBy)
    try building.requireKnown(in: keeping.reports)
    lock = try Claims.building(building.id, in: keeping.reports, for: run)
    archive = try BuildingArchive.load(building.id, in: keeping.reports)
    lastKnown = archive.state.lastKnown
  }

  /// What seals the passwords of the manifest; nil without a manifest or a site key.
  func seal() throws -> SecretSeal? {
    try building.source.flatMap { try SiteKey.existingSeal(for: $0.building, siteKey) }
  }

  /// Records facts about rooms as a separate run. Returns the building's report when they are on disk.
  /// - Throws: `CommandFailure` when they cannot be recorded; then nothing is changed.
  package func commit(
    _ command: RecordedCommand, _ facts: [Fact], about rooms: [PlannedRoom]
  ) async throws -> BuildingReport {
    try archive.prepare(for: run, of: building.id, in: keeping)
    let started = RunStarted(
      command, run: run.id, building: building.id,
      buildingName: building.source?.building.name ?? archive.buildingName ?? building.id,
      toolVersion: Version.current, host: run.host, manifestPath: building.source == nil ? "" : building.text,
      manifestSHA256: building.source?.digest ?? "", simulated: false,
      operatedBy: run.operatedBy, isClockSynchronised: run.isClockSynchronised,
      kernel: HostEnvironment.kernel, operatingSystem: HostEnvironment.operatingSystem,
      clockBehind: archive.clockBehind(run.began)?.seconds, predecessors: archive.predecessors,
      rooms: rooms,
      families: (building.source?.building.families ?? BuiltIn.families).all.map { RecordedFamily($0) })
    let isComplete = !facts.contains {
      if case .roomVerified(let found) = $0 { found.needsAction } else { false }
    }
    // The facts have the present time, which may be long after the start of the command.
    let found = Surroundings.now
    let all: [(Date, Fact)] =
      [(run.began, .runStarted(started))]
      + (facts + [.runFinished(.init(outcome: isComplete ? .complete : .incomplete))]).map { (found, $0) }
    let events = all.enumerated().map { index, entry in
      RunEvent(
        sequence: index + 1, at: entry.0,
        elapsed: .seconds(max(0, entry.0.timeIntervalSince(run.began))), fact: entry.1)
    }
    let change = try RunRecord(keeping, building: building.id, run: run)
    do throws(RecordFailure) {
      try await change.recorder.record(events)
    } catch {
      throw await change.failure ?? CommandFailure(.record, error.text)
    }
    let files = BuildingReports.Subject(building: building.id, operatedBy: keeping.operatedBy)
    let subject = try building.subject(siteKey: siteKey)
    var report: BuildingReport?
    try await change.finish(
      building: { run in
        let building = BuildingReports.Growing(archive.adding(run))
        report = building.report(subject)
        return building.report(files)
      }, { _, _ in })
    guard let report else { preconditionFailure("a change of a building's record has no report") }
    return report
  }
}
