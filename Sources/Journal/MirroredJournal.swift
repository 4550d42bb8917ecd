public import Model

/// A run's journal and copies of it in other places, kept as one: an event is on record when it is so everywhere.
///
/// Each has the same bytes. When one fails, the others may still have the events that it lacks, but none gets any
/// more: each stays a true beginning of the run.
public struct MirroredJournal: Sendable {
  private let journals: [JournalWriter]

  /// The journal and its copies; all of them new.
  public init(_ journal: JournalWriter, copies: [JournalWriter]) {
    journals = [journal] + copies
  }

  /// Appends events everywhere, at the same time. Returns when each is as durable as its `Fact.durability` asks, in
  /// the slowest place.
  /// - Throws: what failed first, now or earlier; its path says where.
  public func append(_ events: [RunEvent]) async throws(JournalError) {
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
  /// - Throws: `RecordFailure` with `JournalError`'s words, which name the place.
  public func record(_ events: [RunEvent]) async throws(RecordFailure) {
    do throws(JournalError) {
      try await append(events)
    } catch {
      throw RecordFailure(error.description)
    }
  }
}
