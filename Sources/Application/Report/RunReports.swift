package import Journal
package import Model
package import Reporting

/// The files made from a run's events at its end, and again by `roboprov report`.
package enum RunReports {
  /// Writes all reports and logs of a run that has just ended, and points `latest` to it if the run
  /// qualifies.
  /// - Throws: The error of the first file that could not be written.
  /// - Parameter after: The state of the building after the run; nil if it is unknown, or for a rehearsal.
  static func write(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = try writeFiles(events, to: directory, after: after)
    if report.mayBeLatest(directory.sort) { try directory.publish() }
    return report
  }

  /// Writes the files again. `latest` then points to the last run of the record that qualifies; that of
  /// rehearsals stays.
  /// - Throws: As `write`.
  package static func writeAgain(
    _ events: [RunEvent], to directory: RunDirectory, in archive: BuildingArchive
  ) throws(JournalError) -> (RunReport, after: BuildingReport?) {
    let after = archive.runs.first { $0.id == directory.run }
      .flatMap { BuildingReports.make(after: $0, in: archive) }
    let report = try writeFiles(events, to: directory, after: after)
    if directory.sort == .real, latest(of: archive) == directory.run { try directory.publish() }
    return (report, after)
  }

  /// The run that `latest` has to point to: the last one that qualifies.
  static func latest(of archive: BuildingArchive) -> String? {
    archive.runs.last { $0.record.damage == nil && RunReport($0.record.events).mayBeLatest(.real) }?.id
  }

  /// Writes the files without a change of `latest`.
  @discardableResult
  package static func writeFiles(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = RunReport(events)
    for format in formats { try directory.writeReport(format.name, format.text(report, after)) }
    try directory.writeDeviceLogs(DeviceLogs.texts(events, report, after: after))
    return report
  }

  /// Every format with its file name, except the device logs.
  static let formats: [(name: String, text: @Sendable (RunReport, BuildingReport?) -> String)] = [
    (RunDirectory.report, { JSONReport.text($0, after: $1) }),
    ("report.csv", { CSVReport.text($0, after: $1) }),
  ]

  /// Points `latest` to the last run of a building that qualifies. Without such a run `latest` does not change.
  package static func publishNewest(of building: String, in reports: String) throws(JournalError) {
    let archive = try BuildingArchive.read(in: reports, building: building)
    guard let latest = latest(of: archive) else { return }
    try RunDirectory.open(in: reports, building: building, run: latest).publish()
  }
}

extension RunReport {
  /// Whether `latest` can point to the run: it used the radio, and it is of the same sort (real or rehearsal)
  /// as that `latest`. A rehearsal may have been copied among the real runs.
  func mayBeLatest(_ sort: RunSort) -> Bool {
    guard let run, run.command == .apply, reachedRadio else { return false }
    return run.simulated == (sort == .rehearsal)
  }
}
