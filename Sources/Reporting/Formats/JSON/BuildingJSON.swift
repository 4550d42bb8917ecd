import Bluetooth
import Model

/// `building.json`: where a building stands, for programs. Keys are frozen; what is not known is null, never missing.
public enum BuildingJSON {
  /// Name and version of the format.
  public static let schema = "roboprov/building/1"

  /// The file's text.
  public static func text(_ report: BuildingReport) -> String { value(report).pretty }

  /// The file as a value.
  public static func value(_ report: BuildingReport) -> JSONValue {
    .object([
      "schema": .string(schema),
      "building": .string(report.building),
      "building_name": .string(report.name),
      "made": .string(RunEvent.timestamp(report.made)),
      "tool_version": .string(report.maker.toolVersion),
      "host": .string(report.maker.host),
      "operator": .optional(report.maker.user),
      "time_zone": .string(report.maker.timeZone),
      "manifest": report.manifest.map {
        .object(["path": .string($0.path), "sha256": .string($0.sha256)])
      } ?? .null,
      "summary": summary(report),
      "rooms": .array(report.rooms.map(room)),
      "runs": .array(report.runs.map(run)),
    ])
  }

  /// How many rooms there are of each standing; every standing is listed.
  static func summary(_ report: BuildingReport) -> JSONValue {
    .object(
      [.init("total", .integer(report.rooms.count)), .init("complete", .bool(report.isDone))]
        + BuildingRoom.Standing.allCases.map { .init($0.rawValue, .integer(report.count($0))) })
  }

  private static func room(_ room: BuildingRoom) -> JSONValue {
    let explanation = room.isOpen ? Explanation(of: room) : nil
    return .object([
      "id": .string(room.id.rawValue),
      "room": .string(room.name),
      "profile": .string(room.profile.rawValue),
      "standing": .string(room.standing.rawValue),
      "in_manifest": .bool(room.isInManifest),
      "devices": .array(room.devices.map { .string($0.description) }),
      "minor": .optional(room.minor.map(Int.init)),
      "evidence": room.evidence.map { evidence in
        .object([
          "grade": .string(evidence.grade.rawValue),
          "address": .string(evidence.address.description),
          "minor": .optional(evidence.minor.map(Int.init)),
          "rssi": .optional(evidence.rssi),
          "seen_at": .optional(room.seen.map { RunEvent.timestamp($0.at) }),
          "run": .optional(room.seen?.run),
        ])
      } ?? .null,
      "settings": .array(
        room.settings.map { setting in
          .object([
            "name": .string(setting.result.name.rawValue),
            "value": .optional(setting.result.value),
            "state": .string(setting.result.state.rawValue),
            "at": .optional(setting.recorded.map { RunEvent.timestamp($0.at) }),
            "run": .optional(setting.recorded?.run),
          ])
        }),
      "verification": room.verification.map {
        .object([
          "finding": .string($0.found.finding.rawValue), "rssi": .optional($0.found.rssi),
          "windows_heard": .integer($0.found.windowsHeard), "windows": .integer($0.found.windows),
          "at": .string(RunEvent.timestamp($0.recorded.at)), "run": .string($0.recorded.run),
        ])
      } ?? .null,
      "acceptances": .array(room.acceptances.map(acceptance)),
      "retirement": room.retirement.map {
        .object([
          "reason": .optional($0.reason), "at": .string(RunEvent.timestamp($0.recorded.at)),
          "run": .string($0.recorded.run),
        ])
      } ?? .null,
      "reason": .optional(explanation?.sentence),
      "reason_code": .optional(room.isOpen ? room.last?.room.reason?.code.rawValue : nil),
      "advice": .optional(explanation?.advice),
      "runs": .array(room.runs.map(attempt)),
    ])
  }

  private static func acceptance(_ acceptance: Acceptance) -> JSONValue {
    .object([
      "by": .string(acceptance.by), "reason": .string(acceptance.reason),
      "at": .string(RunEvent.timestamp(acceptance.given.at)), "run": .string(acceptance.given.run),
      "ended_at": .optional(acceptance.ended.map { RunEvent.timestamp($0.at) }),
    ])
  }

  /// What one run did with a room.
  private static func attempt(_ run: BuildingRoom.Run) -> JSONValue {
    .object([
      "run": .string(run.recorded.run),
      "started": .string(RunEvent.timestamp(run.recorded.at)),
      "outcome": .string(run.room.outcome.rawValue),
      "reason_code": .optional(run.room.reason?.code.rawValue),
      "address": .optional(run.room.address?.description),
      "adapter": .optional(run.room.adapter?.description),
      "adapter_name": .optional(run.adapterName),
      "attempts": .integer(run.room.attempts),
      "duration_s": .number(run.room.seconds),
      "rssi": .optional(run.room.rssi),
    ])
  }

  private static func run(_ run: BuildingRun) -> JSONValue {
    let isRun = run.started.command == .apply
    return .object([
      "id": .string(run.started.run),
      "command": .string(run.started.command.rawValue),
      "started": .string(RunEvent.timestamp(run.began)),
      "finished": .optional(run.report.finished.map(RunEvent.timestamp)),
      "outcome": .string(run.report.outcome?.rawValue ?? RunReport.unfinished),
      "host": .string(run.started.host),
      "operator": .optional(run.started.operatedBy),
      "clock_synchronised": run.started.isClockSynchronised.map { .bool($0) } ?? .null,
      "tool_version": .string(run.started.toolVersion),
      "bluez_version": .optional(run.report.bluezVersion),
      "rooms_selected": isRun ? .integer(run.report.selected.count) : .null,
      "rooms_done": isRun ? .integer(run.report.selected.count(where: \.outcome.isSuccess)) : .null,
      "room": .optional(run.change?.room.rawValue),
      "reason": .optional(run.change?.reason),
      "manifest_sha256": .string(run.started.manifestSHA256),
      "journal_sha256": .string(run.journalHash),
    ])
  }
}
