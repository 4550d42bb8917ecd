import FoundationEssentials
import Journal
import Model
import Reporting

/// Reads the state of a building from its journals. A journal that has not changed since an earlier reading
/// is not read again: a checkpoint has the result.
struct OverviewReader {
  let building: String
  let reports: String

  /// The number of journals that are read at once, each with all its events in memory.
  private static let batch = max(2, ProcessInfo.processInfo.activeProcessorCount)

  /// The state of the building, compared with the subject's manifest.
  /// - Throws: `CommandFailure` when a journal cannot be read, or is damaged.
  func read(_ subject: BuildingReports.Subject) throws -> BuildingOverview {
    let checkpoint = try current()
    return checkpoint.fold.overview(
      of: building, checkpoint.record.lastKnown, manifest: subject.wanted, made: subject.made)
  }

  /// The current checkpoint. It is saved for the next time if possible.
  private func current() throws -> OverviewCheckpoint {
    let (listing, order) = try reading { () throws(JournalError) in
      let listing = try BuildingListing(building, in: reports)
      return (listing, try listing.runsInOrder())
    }
    SiteRecord.warnOfSkipped(listing.skipped)
    if let fault = listing.faults.first { throw SiteRecord.failure(fault, in: reports) }
    var checkpoint = OverviewCheckpoint.load(of: building, in: reports)
    if !checkpoint.holds(for: order) { checkpoint = OverviewCheckpoint() }
    var rest = order.dropFirst(checkpoint.runs.count)
    guard !rest.isEmpty else { return checkpoint }
    while !rest.isEmpty {
      try add(Array(rest.prefix(Self.batch)), to: &checkpoint)
      rest = rest.dropFirst(Self.batch)
    }
    // A directory that this user may only read gets no checkpoint.
    try? checkpoint.save(of: building, in: reports)
    return checkpoint
  }

  private func add(_ entries: [BuildingListing.Entry], to checkpoint: inout OverviewCheckpoint) throws {
    let journals = try reading { () throws(JournalError) in try ReadJournal.read(entries) }
    for journal in journals {
      if let fault = journal.run.fault(in: building) { throw SiteRecord.failure(fault, in: reports) }
      checkpoint.apply(journal)
    }
  }

  private func reading<Result>(_ read: () throws(JournalError) -> Result) throws -> Result {
    do throws(JournalError) { return try read() } catch { throw JournalMessages.failure(error) }
  }
}
