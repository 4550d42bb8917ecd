import Bluetooth
import Model

/// `building.csv`: the state of a building, one row a room.
package enum BuildingCSV {
  private struct Row {
    let room: BuildingRoom
    let report: BuildingReport
    /// The newest run that worked on the room.
    let run: BuildingRun?
    /// The run that wrote its device.
    let writer: BuildingRun?
  }

  private typealias Column = CSVText.Column<Row>

  private static var table: [Column] {
    var table: [Column] = [
      Column("building") { .text($0.report.building) },
      Column("last_run") { .text($0.run?.started.run) },
      Column("room") { .text($0.room.name) },
      Column("id") { .text($0.room.id.rawValue) },
      Column("profile") { .text($0.room.profile.rawValue) },
      Column("identity") { .text($0.room.identity?.distinction) },
      Column("state") { .text($0.room.state.rawValue) },
      Column("outcome") { .text($0.room.last?.room.outcomeName) },
      Column("provisioned_on") { .time($0.room.provisioned?.at) },
      Column("provisioned_by") { .text($0.writer?.started.operatedBy) },
      Column("provisioned_in") { .text($0.room.provisioned?.run) },
      Column("last_received") { .time($0.room.seen?.at) },
      Column("proved_by") { .text($0.room.evidence?.grade.rawValue) },
      Column("proved_in") { .text($0.room.seen?.run) },
      Column("last_checked") { .time($0.room.verification?.recorded.at) },
      Column("check_result") { .text($0.room.verification?.found.finding.rawValue) },
      Column("missing_since") { .time($0.room.missingSince?.at) },
      Column("address") { .text($0.room.devices.map(\.description).joined(separator: " ")) },
      Column("rssi") { .integer($0.room.evidence?.rssi) },
      Column("attempts") { .integer($0.room.attemptsAtDevice) },
    ]
    table += Column.settings { $0.room.settings.map(\.result) }
    table += [
      Column("reason_code") { .text($0.room.openReason?.code.rawValue) },
      Column("device_text") { .text($0.room.openReason?.deviceText) },
      Column("accepted_by") { .text($0.room.acceptance?.by) },
      Column("accepted_on") { .time($0.room.acceptance?.given.at) },
      Column("retired_on") { .time($0.room.retirement?.recorded.at) },
      Column("in_manifest") { .flag($0.room.isInManifest) },
      Column("floor") { .text($0.room.floor) },
    ]
    table += Column.details { $0.room.details }
    return table
  }

  /// The file's text.
  package static func text(_ report: BuildingReport) -> String {
    let runs = Dictionary(report.runs.map { ($0.started.run, $0) }, uniquingKeysWith: { first, _ in first })
    return CSVText.text(
      table,
      report.rooms.map { room in
        Row(
          room: room, report: report, run: room.last.flatMap { runs[$0.recorded.run] },
          writer: room.provisioned.flatMap { runs[$0.run] })
      })
  }
}

extension BuildingRoom {
  /// The attempts of all runs at its present device; those at an earlier device are not counted.
  fileprivate var attemptsAtDevice: Int {
    runs.reduce(0) { sum, run in
      let isPresent = devices.isEmpty || run.room.address.map(devices.contains) ?? false
      return isPresent ? sum + run.room.attempts : sum
    }
  }
}
