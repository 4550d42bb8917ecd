package import Model

/// A run's journal and its copies in other places, written together: an event is on record when every place
/// has it.
///
/// All files have the same bytes. After a failure in one place no place gets further events; the others may
/// have events that the failed one lacks. Each file stays a prefix of the run.
package struct MirroredJournal: Sendable {
  private let journals: [JournalWriter]

  /// The journal and its copies must be new.
  package init(_ journal: JournalWriter, copies: [JournalWriter]) {
    journals = [journal] + copies
  }

  /// Appends events in all places concurrently. Returns when each event is as durable in every place as its
  /// `Fact.durability` requires.
  /// - Throws: the first failure, of this call or an earlier one; its path names the place.
  package func append(_ events: [RunEvent]) async throws(JournalError) {
    for journal in journals {
      if let failure = await journal.failure { throw failure }
    }
    let failures = await withTaskGroup(of: (Int, JournalError)?.self) { group in
      for (place, journal) in journals.enumerated() {
        group.addTask {
          do throws(JournalError) {
            try await journal.append(events)
            return nil
          } catch {
            return (place, error)
          }
        }
      }
      return await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
    }
    if let first = failures.min(by: { $0.0 < $1.0 }) { throw first.1 }
  }
}

extension MirroredJournal: RunRecorder {
  /// Appends events for the engine.
  /// - Throws: `RecordFailure` with the description of the `JournalError`, which names the place.
  package func record(_ events: [RunEvent]) async throws(RecordFailure) {
    do throws(JournalError) {
      try await append(events)
    } catch {
      throw RecordFailure(error.description)
    }
  }
}
