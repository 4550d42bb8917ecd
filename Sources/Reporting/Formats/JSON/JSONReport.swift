import Bluetooth
import FoundationEssentials
import Model

/// `report.json`: a run for programs. Keys are frozen; what is not known is null, never missing.
public enum JSONReport {
  /// Name and version of the format.
  public static let schema = "roboprov/report/2"

  /// The file's text.
  /// - Parameter after: how the building stands after the run; nil where that is not known.
  public static func text(_ report: RunReport, after: BuildingReport? = nil) -> String {
    value(report, after: after).pretty
  }

  /// The file as a value.
  public static func value(_ report: RunReport, after: BuildingReport? = nil) -> JSONValue {
    .object([
      "schema": .string(schema),
      "run": run(report),
      "summary": summary(report),
      "building_after": after.map(BuildingJSON.summary) ?? .null,
      "rooms": .array(RunRow.rows(report, after: after).map(room)),
      "common_causes": .array(
        report.commonCauses.map { .object(["cause": .string($0.name), "value": .optional($0.value)]) }),
      "unclaimed": .array(report.unclaimed.map { unclaimed($0, in: report) }),
    ])
  }

  /// The `run` of a report.
  private static func run(_ report: RunReport) -> JSONValue {
    let run = report.run
    return .object([
      "id": .optional(run?.run),
      "building": .optional(run?.building),
      "building_name": .optional(run?.buildingName),
      "started": .optional(report.started.map(RunEvent.timestamp)),
      "finished": .optional(report.finished.map(RunEvent.timestamp)),
      "duration_s": .number(report.elapsed.inSeconds),
      "outcome": .string(report.outcome?.rawValue ?? RunReport.unfinished),
      "interruption": .optional(report.interruption?.cause.rawValue),
      "simulated": run.map { .bool($0.simulated) } ?? .null,
      "tool_version": .optional(run?.toolVersion),
      "host": .optional(run?.host),
      "operator": .optional(run?.operatedBy),
      "clock_synchronised": run?.isClockSynchronised.map { .bool($0) } ?? .null,
      "bluez_version": .optional(report.bluezVersion),
      "adapters": .array(
        report.adapters.map {
          .object(["address": .string($0.adapter.description), "name": .string($0.name)])
        }),
      "foreign_scans": .array(
        report.foreignScans.map {
          .object([
            "adapter": .string($0.adapter.description),
            "adapter_name": .optional(report.name(of: $0.adapter)),
            "clients": .array($0.clients.map { .string($0) }),
          ])
        }),
      "manifest": .object([
        "path": .optional(run?.manifestPath),
        "sha256": .optional(run?.manifestSHA256),
      ]),
    ])
  }

  /// How many rooms there are of each outcome; every outcome is listed.
  private static func summary(_ report: RunReport) -> JSONValue {
    .object(
      [.init("total", .integer(report.rooms.count))]
        + Outcome.allCases.map { .init($0.rawValue, .integer(report.count($0))) })
  }

  private static func room(_ row: RunRow) -> JSONValue {
    let (room, report) = (row.room, row.report)
    let explanation = Explanation(of: room)
    return .object([
      "room": .string(room.planned.name),
      "id": .string(room.id.rawValue),
      "profile": .string(room.planned.profile.rawValue),
      "registered": .bool(room.isRegistered),
      "minor": .optional(room.minor.map(Int.init)),
      "outcome": .string(room.outcome.rawValue),
      "standing": .optional(row.after?.standing.rawValue),
      "address": .optional((room.address ?? row.after?.devices.first)?.description),
      "adapter": .optional(room.adapter?.description),
      "adapter_name": .optional(report.name(of: room.adapter)),
      "attempts": .integer(room.attempts),
      "duration_s": .number(room.seconds),
      "rssi": .optional(room.rssi),
      "evidence": row.proof.map(evidence) ?? .null,
      "settings": .array(row.settings.map(setting)),
      "reason": .optional(explanation?.sentence),
      "reason_code": .optional(room.reason?.code.rawValue),
      "advice": .optional(explanation?.advice),
      "exclusion": room.planned.exclusion.map(exclusion) ?? .null,
      "log": .string(room.log),
    ])
  }

  /// A device that no room claims.
  private static func unclaimed(_ device: DeviceUnclaimed, in report: RunReport) -> JSONValue {
    .object([
      "address": .string(device.address.description),
      "profile": .string(device.profile.rawValue),
      "adapter": .string(device.adapter.description),
      "adapter_name": .optional(report.name(of: device.adapter)),
      "rssi": .optional(device.rssi),
    ])
  }

  /// What a success rests on; `seen_in_this_run` is false of what an earlier run has on record.
  private static func evidence(_ proof: ShownProof) -> JSONValue {
    .object([
      "grade": .string(proof.evidence.grade.rawValue),
      "address": .string(proof.evidence.address.description),
      "minor": .optional(proof.evidence.minor.map(Int.init)),
      "rssi": .optional(proof.evidence.rssi),
      "seconds_after_save": .optional(proof.evidence.secondsAfterSave),
      "seen_at": .optional(proof.seenAt.map(RunEvent.timestamp)),
      "run": .optional(proof.run),
      "seen_in_this_run": .bool(proof.isOfThisRun),
    ])
  }

  private static func exclusion(_ exclusion: Exclusion) -> JSONValue {
    .object([
      "cause": .string(exclusion.cause.rawValue),
      "reason": .optional(exclusion.reason),
      "by": .optional(exclusion.by),
    ])
  }

  /// A setting; the value of a secret is null.
  static func setting(_ setting: SettingResult) -> JSONValue {
    .object([
      "name": .string(setting.name.rawValue),
      "value": .optional(setting.value),
      "state": .string(setting.state.rawValue),
    ])
  }
}
