import Journal
import Model
import Reporting

/// Everything that is made from a run's events when it ends, and again by `roboprov report`.
enum RunReports {
  /// Writes all reports and logs of a run that has just ended, and points `latest` to it if it may lead there.
  /// - Throws: what stands in the way of the first that could not be written.
  /// - Parameter after: how the building stands after the run; nil where that is not known, or it was a rehearsal.
  static func write(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = try writeFiles(events, to: directory, after: after)
    if report.mayBeLatest(directory.sort) { try directory.publish() }
    return report
  }

  /// Writes them again; `latest` goes on leading to the newest run that it may lead to.
  /// - Throws: as `write`.
  static func writeAgain(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = try writeFiles(events, to: directory, after: after)
    guard report.mayBeLatest(directory.sort) else { return report }
    if try !isOlder(report, thanLatestBeside: directory) { try directory.publish() }
    return report
  }

  /// The same without pointing `latest` to it.
  @discardableResult
  static func writeFiles(
    _ events: [RunEvent], to directory: RunDirectory, after: BuildingReport?
  ) throws(JournalError) -> RunReport {
    let report = RunReport(events)
    for format in formats { try directory.writeReport(format.name, format.text(report, after)) }
    try directory.writeDeviceLogs(DeviceLogs.texts(events, after: after))
    return report
  }

  /// Every format but the devices' logs, by the name of its file.
  static let formats: [(name: String, text: @Sendable (RunReport, BuildingReport?) -> String)] = [
    (RunDirectory.report, { JSONReport.text($0, after: $1) }),
    ("report.csv", { CSVReport.text($0, after: $1) }),
  ]

  /// Points `latest` to the newest run of a building that it may lead to. Where there is no such run it stays as it is.
  static func publishNewest(of building: String, in reports: String) throws(JournalError) {
    let archive = try BuildingArchive.read(in: reports, building: building)
    for run in archive.runs.reversed()
    where run.record.damage == nil && RunReport(run.record.events).mayBeLatest(.real) {
      let directory = try RunDirectory.open(in: reports, building: building, run: run.id)
      return try directory.publish()
    }
  }

  /// By when they began: the ids of two runs of one second do not tell.
  private static func isOlder(
    _ report: RunReport, thanLatestBeside directory: RunDirectory
  ) throws(JournalError) -> Bool {
    guard let latest = try directory.latest(), latest.run != directory.run else { return false }
    do throws(JournalError) {
      let other = RunReport(try latest.readJournal().events)
      guard other.mayBeLatest(directory.sort), let began = report.started else { return false }
      return other.started.map { $0 > began } ?? false
    } catch  where error.cause == .missing {
      // It was taken away: then this is the newest.
      return false
    }
  }
}

extension RunReport {
  /// Whether `latest` may lead to the run: it reached the radio, and it is of the sort that lies beside that `latest`.
  /// Earlier versions left rehearsals among the real runs.
  func mayBeLatest(_ sort: RunSort) -> Bool {
    guard let run, run.command == .apply, reachedRadio else { return false }
    return run.simulated == (sort == .rehearsal)
  }
}
