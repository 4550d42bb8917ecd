import Journal
import Model
import Reporting

/// Where one run is recorded: its directory and journal, and the reports made from that journal at its end. And
/// the same once more in another place, when that was asked for.
struct RunRecord: Sendable {
  let directory: RunDirectory
  private let journal: JournalWriter
  private let mirror: Copy?

  private struct Copy {
    let directory: RunDirectory
    let journal: JournalWriter
  }

  /// Makes the places, having proved that they can be written.
  /// - Throws: `CommandFailure`.
  init(_ places: RecordOptions, building: String, run: RunIdentity) throws {
    let record = try Self.create(in: places.reports, building, run, .record)
    directory = record.directory
    journal = record.journal
    mirror = try places.mirror.map { try Self.create(in: $0, building, run, .mirror) }
  }

  private static func create(
    in reports: String, _ building: String, _ run: RunIdentity, _ place: JournalTrouble.Place
  ) throws -> Copy {
    do throws(JournalError) {
      let directory = try RunDirectory.create(in: reports, building: building, run: run.id)
      return Copy(directory: directory, journal: try directory.createJournal())
    } catch {
      throw JournalTrouble.failure(error, of: place)
    }
  }

  /// What the engine records to.
  var recorder: any RunRecorder {
    mirror.map { MirroredJournal(journal, copies: [$0.journal]) } ?? journal
  }

  /// What a person is told when the run ended because an event could not be written; nil when all could.
  var failure: CommandFailure? {
    get async {
      if let error = await journal.failure { return JournalTrouble.failure(inMidRun: error, of: .record) }
      guard let error = await mirror?.journal.failure else { return nil }
      return JournalTrouble.failure(inMidRun: error, of: .mirror)
    }
  }

  /// Makes the reports from what is on record, and only from that; those of the mirror from what is on record there.
  /// Where one place fails the other still gets its own.
  /// - Parameter show: told the record's.
  /// - Throws: `CommandFailure`.
  func finish(_ show: (RunReport) -> Void) throws {
    let report = Result { try Self.finish(directory, .record) }
    if case .success(let report) = report { show(report) }
    let copy = Result { try mirror.map { try Self.finish($0.directory, .mirror) } }
    _ = try report.get()
    _ = try copy.get()
  }

  private static func finish(_ directory: RunDirectory, _ place: JournalTrouble.Place) throws -> RunReport {
    do throws(JournalError) {
      return try RunReports.write(try directory.readJournal().events, to: directory)
    } catch {
      throw JournalTrouble.failure(error, of: place)
    }
  }
}
