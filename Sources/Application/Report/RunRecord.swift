import Journal
import Model
import Reporting

/// The record of one run: its directory, its journal and the reports made from it; the same again in the
/// mirror, if there is one.
struct RunRecord: Sendable {
  private let record: Copy
  private let mirror: Copy?

  var directory: RunDirectory { record.directory }

  /// Creates the directories and checks that they are writable.
  /// - Parameter sort: Whether this is a real run or a rehearsal.
  /// - Throws: `CommandFailure`.
  init(_ keeping: RecordKeeping, building: String, run: RunIdentity, _ sort: RunSort = .real) throws {
    record = try Copy(.record, in: keeping.reports, building, run, sort)
    mirror = try keeping.mirror.map { try Copy(.mirror, in: $0, building, run, sort) }
  }

  /// The engine's recorder.
  var recorder: any RunRecorder {
    mirror.map { MirroredJournal(record.journal, copies: [$0.journal]) } ?? record.journal
  }

  /// The error that ended the run because an event could not be written; nil if all were written.
  var failure: CommandFailure? {
    get async {
      if let error = await record.journal.failure {
        return JournalMessages.failure(inMidRun: error, of: .record)
      }
      guard let error = await mirror?.journal.failure else { return nil }
      return JournalMessages.failure(inMidRun: error, of: .mirror)
    }
  }

  /// Makes the reports from the journal as read back from disk, and those of the mirror from the mirror's
  /// journal. If one place fails or its journal was changed during the run, the other one still gets its
  /// reports.
  /// - Parameters:
  ///   - building: Makes the building's report from the run's record; nil for a rehearsal, which changes no
  ///     building.
  ///   - show: Receives the reports of the first place.
  /// - Throws: `CommandFailure`.
  func finish(
    building: ((BuildingArchive.Run) -> BuildingReport)?, _ show: (RunReport, BuildingReport?) -> Void
  ) async throws {
    let ending = await record.finish(building)
    if case .whole(let report, let after) = ending { show(report, after) }
    let copy = await mirror?.finish(building)
    try record.check(ending, besides: mirror, copy)
    if let mirror, let copy { try mirror.check(copy, besides: record, ending) }
  }
}

/// A place of a run's record.
private struct Copy {
  let directory: RunDirectory
  let journal: JournalWriter
  private let role: JournalMessages.Place
  private let building: String
  private let reports: String

  /// The result of `finish`.
  enum Ending {
    /// The journal is unchanged, and the reports were made from it.
    case whole(RunReport, BuildingReport?)
    /// The journal was changed during the run; no reports were made from it.
    case damaged(JournalDamage)
    /// The error that prevented the reports.
    case failed(JournalError)
  }

  /// Creates the directory and checks that it is writable.
  /// - Throws: `CommandFailure`.
  init(
    _ role: JournalMessages.Place, in reports: String, _ building: String, _ run: RunIdentity, _ sort: RunSort
  ) throws {
    self.role = role
    self.building = building
    self.reports = reports
    do throws(JournalError) {
      directory = try RunDirectory.create(in: reports, building: building, run: run.id, sort)
      journal = try directory.createJournal()
    } catch {
      throw JournalMessages.failure(error, of: role)
    }
  }

  /// Makes the reports of the run and of the building, if the journal is unchanged.
  func finish(_ building: ((BuildingArchive.Run) -> BuildingReport)?) async -> Ending {
    let end = await journal.end
    do throws(JournalError) {
      let record = try directory.readJournal(writtenTo: end)
      if let damage = record.damage { return .damaged(damage) }
      let run = BuildingArchive.Run(id: directory.run, journal: directory.journalPath, record: record)
      let after = building?(run)
      // A change of the record by a person has no reports of its own.
      let report =
        run.isProvisioning
        ? try RunReports.write(record.events, to: directory, after: after) : RunReport(record.events)
      if let after { try BuildingReports.write(after, in: reports) }
      return .whole(report, after)
    } catch {
      return .failed(error)
    }
  }

  /// - Parameters:
  ///   - other: The other place, which may have a complete journal.
  ///   - copy: The result of the other place.
  /// - Throws: `CommandFailure` unless the journal is unchanged.
  func check(_ ending: Ending, besides other: Copy?, _ copy: Ending?) throws {
    switch ending {
    case .whole: return
    case .failed(let error): throw JournalMessages.failure(error, of: role)
    case .damaged(let damage):
      var failure = FaultWords.failure(.damaged(damage), in: directory.journalPath)
      if role == .mirror { failure.message = "the mirror: " + failure.message }
      let nothing = "Another program changed the file during the run: no reports were made from it."
      if let other, case .whole? = copy {
        failure.advice = """
          \(nothing) The \(other.role.rawValue) is complete. Copy it: `cp \(other.directory.journalPath) \
          \(directory.journalPath)`, then `roboprov report \(building) \(directory.run) --reports \(reports)`.
          """
      } else {
        failure.advice = """
          \(nothing) roboprov does not use this record until a complete copy is in its place. If there is none, move the folder \
          \(directory.run) out of \(reports), and check by hand what the run did.
          """
      }
      throw failure
    }
  }
}
