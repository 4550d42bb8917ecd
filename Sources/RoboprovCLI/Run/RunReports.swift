import Journal
import Model
import Reporting

/// The files made from a run's events at its end, and again by `roboprov report`.
enum RunReports {
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

  /// Writes the files again. `latest` still points to the newest run that qualifies.
  /// - Throws: As `write`.
  static func writeAgain(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = try writeFiles(events, to: directory, after: after)
    guard report.mayBeLatest(directory.sort) else { return report }
    if try !isOlder(report, thanLatestBeside: directory) { try directory.publish() }
    return report
  }

  /// Writes the files without a change of `latest`.
  @discardableResult
  static func writeFiles(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = RunReport(events)
    for format in formats { try directory.writeReport(format.name, format.text(report, after)) }
    try directory.writeDeviceLogs(DeviceLogs.texts(events, after: after))
    return report
  }

  /// Every format with its file name, except the device logs.
  static let formats: [(name: String, text: @Sendable (RunReport, BuildingReport?) -> String)] = [
    (RunDirectory.report, { JSONReport.text($0, after: $1) }),
    ("report.csv", { CSVReport.text($0, after: $1) }),
  ]

  /// Points `latest` to the newest run of a building that qualifies. Without such a run `latest` does not
  /// change.
  static func publishNewest(of building: String, in reports: String) throws(JournalError) {
    let archive = try BuildingArchive.read(in: reports, building: building)
    for run in archive.runs.reversed()
    where run.record.damage == nil && RunReport(run.record.events).mayBeLatest(.real) {
      let directory = try RunDirectory.open(in: reports, building: building, run: run.id)
      return try directory.publish()
    }
  }

  /// Compares start times, because ids of runs that began in the same second have no order.
  private static func isOlder(
    _ report: RunReport, thanLatestBeside directory: RunDirectory
  ) throws(JournalError) -> Bool {
    guard let latest = try directory.latest(), latest.run != directory.run else { return false }
    do throws(JournalError) {
      let other = RunReport(try latest.readJournal().events)
      guard other.mayBeLatest(directory.sort), let began = report.started else { return false }
      return other.started.map { $0 > began } ?? false
    } catch  where error.cause == .missing {
      // The latest run was removed: this one is the newest.
      return false
    }
  }
}

extension RunReport {
  /// Whether `latest` can point to the run: it used the radio, and it is of the same sort (real or rehearsal)
  /// as that `latest`. Earlier versions stored rehearsals among the real runs.
  func mayBeLatest(_ sort: RunSort) -> Bool {
    guard let run, run.command == .apply, reachedRadio else { return false }
    return run.simulated == (sort == .rehearsal)
  }
}
