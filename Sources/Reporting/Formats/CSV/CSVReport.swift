import Bluetooth
import Model

/// `report.csv`: a run, one row a room, in the order of the manifest.
package enum CSVReport {
  private typealias Column = CSVText.Column<RunRow>

  /// The columns, in order.
  package static var columns: [String] { table.map(\.name) }

  private static var table: [Column] {
    [
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
      Column("settings_proved") { .names($0.settings, .proved) },
      Column("settings_acknowledged") { .names($0.settings, .acknowledged) },
      Column("settings_written") { .names($0.settings, .written) },
      Column("settings_submitted") { .names($0.settings, .submitted) },
      Column("settings_not_written") { .names($0.settings, .notWritten) },
      Column("settings") { .values($0.settings) },
      Column("reason_code") { .text($0.room.reason?.code.rawValue) },
      Column("device_text") { .text($0.room.reason?.deviceText) },
      Column("accepted_by") { .text($0.room.planned.exclusion?.by) },
      Column("registered") { .flag($0.room.isRegistered) },
      Column("log") { .text($0.room.log) },
      Column("floor") { .text($0.room.planned.floor) },
      Column("attempts_not_counted") { .text($0.room.exemptions) },
    ]
  }

  /// The file's text.
  /// - Parameter after: The state of the building after the run; nil where it is not known.
  package static func text(_ report: RunReport, after: BuildingReport? = nil) -> String {
    CSVText.text(table, RunRow.rows(report, after: after))
  }
}

extension CSVCell {
  static func names(_ settings: [SettingResult], _ state: SettingState) -> CSVCell {
    .text(settings.filter { $0.state == state }.map(\.name.rawValue).joined(separator: " "))
  }

  /// The values of settings that are no secrets.
  static func values(_ settings: [SettingResult]) -> CSVCell {
    .text(
      settings.compactMap { setting in setting.value.map { "\(setting.name)=\($0)" } }
        .joined(separator: "; "))
  }
}
