import Bluetooth
import Model

/// `report.csv`: a run, one row a room, in the order of the manifest.
package enum CSVReport {
  private typealias Column = CSVText.Column<RunRow>

  /// The columns, in order.
  package static var columns: [String] { table.map(\.name) }

  private static var table: [Column] {
    var table: [Column] = [
      Column("building") { .text($0.report.run?.building) },
      Column("run") { .text($0.report.run?.run) },
      Column("finished") { .time($0.report.finished) },
      Column("simulated") { .flag($0.report.run?.simulated) },
      Column("operator") { .text($0.report.run?.operatedBy) },
      Column("room") { .text($0.room.planned.name) },
      Column("id") { .text($0.room.id.rawValue) },
      Column("profile") { .text($0.room.planned.profile.rawValue) },
      Column("identity") { .text($0.room.identity?.distinction) },
      Column("outcome") { .text($0.room.outcomeName) },
      Column("state") { .text($0.after?.state.rawValue) },
      Column("proved_on") { .time($0.proof?.seenAt) },
      Column("proved_by") { .text($0.proof?.evidence.grade.rawValue) },
      Column("proved_in") { .text($0.proof?.run) },
      Column("seen_in_this_run") { .flag($0.proof?.isOfThisRun) },
      Column("address") { .text(($0.room.address ?? $0.after?.devices.first)?.description) },
      Column("adapter") { .text($0.room.adapter?.description) },
      Column("attempts") { .integer($0.room.attempts) },
      Column("duration_s") { .seconds($0.room.seconds) },
      Column("rssi") { .integer($0.room.rssi) },
    ]
    table += Column.settings { $0.settings }
    table += [
      Column("reason_code") { .text($0.room.reason?.code.rawValue) },
      Column("device_text") { .text($0.room.reason?.deviceText) },
      Column("accepted_by") { .text($0.room.planned.exclusion?.by) },
      Column("registered") { .flag($0.room.isRegistered) },
      Column("log") { .text($0.room.log) },
      Column("floor") { .text($0.room.planned.floor) },
      Column("attempts_not_counted") { .text($0.room.exemptions) },
    ]
    table += Column.details { $0.room.details }
    return table
  }

  /// The file's text.
  /// - Parameter after: The state of the building after the run; nil where it is not known.
  package static func text(_ report: RunReport, after: BuildingReport? = nil) -> String {
    CSVText.text(table, RunRow.rows(report, after: after))
  }
}
