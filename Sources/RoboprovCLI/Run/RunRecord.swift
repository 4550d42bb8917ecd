import Journal
import Provisioning
import Reporting

/// Where one run is recorded: its directory and journal, and the reports made from that journal at its end.
struct RunRecord: Sendable {
  let directory: RunDirectory
  let journal: JournalWriter

  /// Makes the place, having proved that it can be written.
  /// - Throws: `CommandFailure`.
  init(reports: String, request: ApplyRequest) throws {
    do throws(JournalError) {
      directory = try RunDirectory.create(in: reports, building: request.building.id, run: request.runID)
      journal = try directory.createJournal()
    } catch {
      throw JournalTrouble.failure(error)
    }
  }

  /// Makes the reports from what is on record, and only from that.
  /// - Throws: `CommandFailure`.
  func finish() throws -> RunReport {
    do throws(JournalError) {
      return try RunReports.write(try directory.readJournal().events, to: directory)
    } catch {
      throw JournalTrouble.failure(error)
    }
  }
}
