package import FoundationEssentials
package import Model

/// The evidence for a success, and its time.
package struct ShownProof: Hashable, Sendable {
  package var evidence: Evidence
  /// Its time; nil where it is not on record.
  package var seenAt: Date?
  /// The run that observed it.
  package var run: String?
  /// Whether it was seen in the run that is reported; else it is on record from an earlier one.
  package var isOfThisRun: Bool
}

/// A room of a run, with its state after the run: one row of a report.
struct RunRow {
  let room: RoomReport
  let report: RunReport
  /// The state of the room after the run; nil where it is not known.
  let after: BuildingRoom?

  /// The rows of a run, in the manifest's order.
  static func rows(_ report: RunReport, after: BuildingReport?) -> [RunRow] {
    let rooms = Dictionary(
      after?.rooms.map { ($0.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
    return report.rooms.map { RunRow(room: $0, report: report, after: rooms[$0.id]) }
  }

  /// The evidence of the room; for an excluded room, the evidence on record.
  var proof: ShownProof? {
    if let proof = room.proof(in: report) { return proof }
    guard room.isExcluded, let evidence = after?.evidence else { return nil }
    return ShownProof(evidence: evidence, seenAt: after?.seen?.at, run: after?.seen?.run, isOfThisRun: false)
  }

  /// The state of each setting; for a room that the run did not write, the state on record. A save of an earlier run that is
  /// not confirmed was written then.
  var settings: [SettingResult] {
    let isOnRecord = room.isExcluded || !room.wasTried && room.outcome == .unconfirmed
    return isOnRecord ? after?.settings.map(\.result) ?? room.settings : room.settings
  }
}

extension RoomReport {
  /// The evidence for its outcome, and its time.
  func proof(in report: RunReport) -> ShownProof? {
    evidence.map { evidence in
      ShownProof(
        evidence: evidence, seenAt: evidence.run == nil ? evidenceRecorded : evidence.seenAt,
        run: evidence.run ?? report.run?.run, isOfThisRun: evidence.run == nil)
    }
  }

  /// Its outcome for programs; for an excluded room, the reason of the exclusion.
  var outcomeName: String {
    guard outcome == .skipped, let exclusion = planned.exclusion else { return outcome.rawValue }
    return switch exclusion.cause {
    case .deselected: "not_selected"
    case .accepted: "accepted"
    case .retired: "retired"
    }
  }
}
