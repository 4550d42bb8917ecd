import Journal
import Model
import Reporting

/// Where one run is recorded: its directory and journal, and the reports made from that journal at its end. And
/// the same once more in another place, when that was asked for.
struct RunRecord: Sendable {
  private let record: Copy
  private let mirror: Copy?

  private struct Copy {
    let place: JournalTrouble.Place
    let reports: String
    let directory: RunDirectory
    let journal: JournalWriter
  }

  /// The run's directory.
  var directory: RunDirectory { record.directory }

  /// Makes the places, having proved that they can be written.
  /// - Throws: `CommandFailure`.
  init(_ places: RecordOptions, building: String, run: RunIdentity) throws {
    record = try Self.create(in: places.reports, building, run, .record)
    mirror = try places.mirror.map { try Self.create(in: $0, building, run, .mirror) }
  }

  private static func create(
    in reports: String, _ building: String, _ run: RunIdentity, _ place: JournalTrouble.Place
  ) throws -> Copy {
    do throws(JournalError) {
      let directory = try RunDirectory.create(in: reports, building: building, run: run.id)
      return Copy(
        place: place, reports: reports, directory: directory, journal: try directory.createJournal())
    } catch {
      throw JournalTrouble.failure(error, of: place)
    }
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
  /// Where one place fails the other still gets its own.
  /// - Parameters:
  ///   - building: makes the building's report from the run's record; nil for a rehearsal, which changes no building.
  ///   - show: told the record's.
  /// - Throws: `CommandFailure`.
  func finish(
    building: ((BuildingArchive.Run) -> BuildingReport)?, _ show: (RunReport, BuildingReport?) -> Void
  ) throws {
    let reports = Result { try Self.finish(record, building) }
    if case .success(let reports) = reports { show(reports.run, reports.building) }
    let copy = Result { try mirror.map { try Self.finish($0, building) } }
    _ = try reports.get()
    _ = try copy.get()
  }

  private static func finish(
    _ copy: Copy, _ building: ((BuildingArchive.Run) -> BuildingReport)?
  ) throws -> (run: RunReport, building: BuildingReport?) {
    do throws(JournalError) {
      let directory = copy.directory
      let record = try directory.readJournal()
      let after = building?(.init(id: directory.run, journal: directory.journalPath, record: record))
      let report = try RunReports.write(record.events, to: directory, after: after)
      if let after { try BuildingReports.write(after, in: copy.reports) }
      return (report, after)
    } catch {
      throw JournalTrouble.failure(error, of: copy.place)
    }
  }
}
