public import FoundationEssentials
public import Model

/// What a room's success rests on, and when that was seen.
public struct ShownProof: Hashable, Sendable {
  /// What was seen.
  public var evidence: Evidence
  /// When; nil where the record does not say.
  public var seenAt: Date?
  /// The run that saw it.
  public var run: String?
  /// Whether it was seen in the run that is reported; else it is on record from an earlier one.
  public var isOfThisRun: Bool
}

/// A room of a run, with how it stands after the run: what reports show in a row.
struct RunRow {
  let room: RoomReport
  let report: RunReport
  /// How the room stands after the run; nil where that is not known.
  let after: BuildingRoom?

  /// The rows of a run, in the manifest's order.
  static func rows(_ report: RunReport, after: BuildingReport?) -> [RunRow] {
    let standings = Dictionary(
      after?.rooms.map { ($0.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
    return report.rooms.map { RunRow(room: $0, report: report, after: standings[$0.id]) }
  }

  /// What the room's success rests on. Of a room that the run was not to work on, what is on record.
  var proof: ShownProof? {
    if let proof = room.proof(in: report) { return proof }
    guard room.isExcluded, let evidence = after?.evidence else { return nil }
    return ShownProof(evidence: evidence, seenAt: after?.seen?.at, run: after?.seen?.run, isOfThisRun: false)
  }

  /// How far each setting got. Of a room that the run did not write, as it is on record: a save of an earlier run that is not
  /// confirmed was written then.
  var settings: [SettingResult] {
    let isOnRecord = room.isExcluded || room.attempts == 0 && room.outcome == .unconfirmed
    return isOnRecord ? after?.settings.map(\.result) ?? room.settings : room.settings
  }
}

extension RoomReport {
  /// What its outcome rests on, and when that was seen.
  func proof(in report: RunReport) -> ShownProof? {
    evidence.map { evidence in
      ShownProof(
        evidence: evidence, seenAt: evidence.run == nil ? evidenceRecorded : evidence.seenAt,
        run: evidence.run ?? report.run?.run, isOfThisRun: evidence.run == nil)
    }
  }

  /// Whether it is done by what an earlier run saw, and its device was not heard in this one.
  public var isDoneOnRecordOnly: Bool { outcome.isSuccess && evidence?.run != nil }

  /// Its outcome for programs: of a room that the run was not to work on, why not.
  var outcomeName: String {
    guard outcome == .skipped, let exclusion = planned.exclusion else { return outcome.rawValue }
    return switch exclusion.cause {
    case .deselected: "not_selected"
    case .accepted: "accepted"
    case .retired: "retired"
    }
  }
}
