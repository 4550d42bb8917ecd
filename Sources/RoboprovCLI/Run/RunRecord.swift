import Journal
import Model
import Reporting

/// Where one run is recorded: its directory and journal, and the reports made from that journal at its end. And
/// the same once more in another place, when that was asked for.
struct RunRecord: Sendable {
  private let record: Place
  private let mirror: Place?

  /// The run's directory.
  var directory: RunDirectory { record.directory }

  /// Makes the places, having proved that they can be written.
  /// - Parameter sort: Among which runs they lie.
  /// - Throws: `CommandFailure`.
  init(_ places: RecordOptions, building: String, run: RunIdentity, _ sort: RunSort = .real) throws {
    record = try Place(.record, in: places.reports, building, run, sort)
    mirror = try places.mirror.map { try Place(.mirror, in: $0, building, run, sort) }
  }

  /// What the engine records to.
  var recorder: any RunRecorder {
    mirror.map { MirroredJournal(record.journal, copies: [$0.journal]) } ?? record.journal
  }

  /// What a person is told when the run ended because an event could not be written; nil when all could.
  var failure: CommandFailure? {
    get async {
      if let error = await record.journal.failure {
        return JournalTrouble.failure(inMidRun: error, of: .record)
      }
      guard let error = await mirror?.journal.failure else { return nil }
      return JournalTrouble.failure(inMidRun: error, of: .mirror)
    }
  }

  /// Makes the reports from what is on record, and only from that; those of the mirror from what is on record there.
  /// Where one place fails, or its journal was changed while the run went on, the other still gets its own.
  /// - Parameters:
  ///   - building: makes the building's report from the run's record; nil for a rehearsal, which changes no building.
  ///   - show: told the record's.
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

/// One of the places of a run's record.
private struct Place {
  let directory: RunDirectory
  let journal: JournalWriter
  private let role: JournalTrouble.Place
  private let building: String
  private let reports: String

  /// How it came out.
  enum Ending {
    /// Its journal is as it was written, and its reports were made from it.
    case whole(RunReport, BuildingReport?)
    /// Its journal was changed while the run went on: nothing was made from it.
    case damaged(JournalDamage)
    /// What stood in the way.
    case failed(JournalError)
  }

  /// Makes it, having proved that it can be written.
  /// - Throws: `CommandFailure`.
  init(
    _ role: JournalTrouble.Place, in reports: String, _ building: String, _ run: RunIdentity, _ sort: RunSort
  ) throws {
    self.role = role
    self.building = building
    self.reports = reports
    do throws(JournalError) {
      directory = try RunDirectory.create(in: reports, building: building, run: run.id, sort)
      journal = try directory.createJournal()
    } catch {
      throw JournalTrouble.failure(error, of: role)
    }
  }

  /// Makes the reports, the run's and the building's, if the journal is as it was written.
  func finish(_ building: ((BuildingArchive.Run) -> BuildingReport)?) async -> Ending {
    let end = await journal.end
    do throws(JournalError) {
      let record = try directory.readJournal(writtenTo: end)
      if let damage = record.damage { return .damaged(damage) }
      let run = BuildingArchive.Run(id: directory.run, journal: directory.journalPath, record: record)
      let after = building?(run)
      // A change that a person made has no reports of its own.
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
  ///   - other: The other place, which may have a whole journal.
  ///   - copy: How that came out.
  /// - Throws: `CommandFailure`, unless all is well.
  func check(_ ending: Ending, besides other: Place?, _ copy: Ending?) throws {
    switch ending {
    case .whole: return
    case .failed(let error): throw JournalTrouble.failure(error, of: role)
    case .damaged(let damage):
      var failure = FaultWords.failure(.damaged(damage), in: directory.journalPath)
      if role == .mirror { failure.message = "the mirror: " + failure.message }
      let nothing = "Another program changed the file while the run went on: no reports were made from it."
      if let other, case .whole? = copy {
        failure.cure = """
          \(nothing) The \(other.role.rawValue) is whole. Copy it: `cp \(other.directory.journalPath) \
          \(directory.journalPath)`, then `roboprov report \(building) \(directory.run) --reports \(reports)`.
          """
      } else {
        failure.cure = """
          \(nothing) Nothing is decided by this record until a whole copy is in its place. Without one, move the folder \
          \(directory.run) out of \(reports), and make sure by hand what the run did.
          """
      }
      throw failure
    }
  }
}
