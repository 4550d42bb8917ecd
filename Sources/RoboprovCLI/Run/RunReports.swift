import Journal
import Model
import Reporting

/// Everything that is made from a run's events when it ends, and again by `roboprov report`.
enum RunReports {
  /// Writes all reports and logs, and points `latest` to the run.
  /// - Throws: what stands in the way of the first that could not be written.
  /// - Parameter after: how the building stands after the run; nil where that is not known, or it was a rehearsal.
  static func write(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = try writeFiles(events, to: directory, after: after)
    try directory.publish()
    return report
  }

  /// The same without pointing `latest` to it: for runs that were elsewhere.
  @discardableResult
  static func writeFiles(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = RunReport(events)
    try directory.writeReport("report.json", JSONReport.text(report, after: after))
    try directory.writeReport("report.csv", CSVReport.text(report, after: after))
    try directory.writeDeviceLogs(DeviceLogs.texts(events))
    return report
  }
}
