import FoundationEssentials
import Host
import Model
package import Journal
import Reporting

extension BuildingArchive {
  /// Reads all of a building's journals, for a command that decides by them.
  /// - Throws: `CommandFailure` if one cannot be read, or if one is damaged, because its actions are then
  ///   unknown.
  /// - Parameter damagedToo: Whether a fault of the record is only a warning, because no decision depends on
  ///   the record.
  /// - Parameter status: The exit status for a run that is missing.
  package static func load(
    _ building: String, in reports: String, _ extent: JournalExtent = .whole, damagedToo: Bool = false,
    ifMissing status: ExitStatus = .record
  ) throws -> BuildingArchive {
    let archive = try JournalMessages.translating(
      BuildingArchive.read(in: reports, building: building, extent))
    warnOfSkipped(archive.skipped)
    for journal in archive.empty { Messages.say("roboprov: warning: \(FaultWords.empty(journal))") }
    for fault in archive.faults {
      guard damagedToo else {
        var failure = failure(fault, in: reports)
        if case .missing = fault.kind { failure.status = status }
        throw failure
      }
      Messages.say(
        "roboprov: warning: \(FaultWords.sentence(fault.kind, in: fault.journal)); the missing or damaged part is left out"
      )
    }
    return archive
  }

  /// The error of a command that decides by a record with a fault.
  static func failure(_ fault: Fault, in reports: String) -> CommandFailure {
    FaultWords.failure(
      fault.kind, in: fault.journal,
      advice: """
        The record does not show all that this run did, so roboprov does not use it. Put a complete copy of the run's folder \
        \(fault.run) in its place, from --mirror, a backup or another laptop (`roboprov report merge FOLDER FOLDER` merges records). If there is none, \
        move the building's folder out of \(reports): the next run then begins a new record, without the runs of this one.
        """)
  }

  /// Prepares for a run or change that continues this record: the runs that it names become durable, the mirror gets
  /// those that it lacks, and a clock behind the record is reported.
  /// - Throws: `CommandFailure` when a journal cannot be synced or copied.
  func prepare(for run: RunIdentity, of building: String, in record: RecordKeeping) throws {
    try JournalMessages.translating(syncPredecessors())
    if let mirror = record.mirror {
      try JournalMessages.translating(of: .mirror, complete(building, in: mirror))
    }
    guard let behind = clockBehind(run.began) else { return }
    let times = LocalTime.here
    Messages.say(
      """
      roboprov: warning: this computer's clock is \(behind.seconds.asSeconds) behind the record: run \(behind.run) has an event \
      of \(times.minute(behind.at)) \(times.offset(behind.at)). The order of the runs does not depend on it, but the times in \
      the reports do. Set the clock.
      """)
  }

  /// The error of a command that needs a run of a building without a run on record.
  package static func noRun(of building: String, in reports: String) -> CommandFailure {
    CommandFailure(
      .usage, "no run of \(building.visible) is on record in \(reports)",
      advice: "Name the building's folder in the reports directory (--reports DIR).")
  }

  /// Warns of folders that are not runs and were skipped.
  package static func warnOfSkipped(_ skipped: [String]) {
    guard !skipped.isEmpty else { return }
    Messages.say("roboprov: warning: skipped, not a run: \(skipped.map(\.visible).joined(separator: ", "))")
  }
}
