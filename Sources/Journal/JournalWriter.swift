import EventLoop
package import Model

/// The end of a journal as its writer knows it.
package struct JournalEnd: Hashable, Sendable {
  package var events: Int
  /// The hash of the last event's line.
  var last: String
}

/// Appends a run's events to its journal, one line per event. Each line holds the hash of the line before.
///
/// After a failure the writer removes the partial line and writes nothing more; every later append throws the
/// first error. So a journal is always a prefix of its run.
///
/// The writer has a thread of its own: a write or a sync may block on the disk, and the run's loop, which
/// also serves the adapters, must not wait for it. In virtual time it writes on the run's loop.
package actor JournalWriter {
  /// The journal's name in its run's directory.
  package static let fileName = "journal.jsonl"

  /// Events that need no sync are written at most this much later, together with those that arrive meanwhile.
  /// Waking the thread for each event costs more than writing it.
  private static let soon = Duration.milliseconds(50)

  private struct Waiting {
    var events: [RunEvent] = []
    /// A copy of the journal's failure.
    var failure: JournalError?
  }

  private let file: File
  /// Events that are not written yet.
  private let waiting = Lock(Waiting())
  private let thread = LoopExecutor.forBlockingWork()
  private var lines = JournalLines()
  private var length = 0

  package private(set) var end = JournalEnd(events: 0, last: JournalLine.origin)

  /// The first failure; it closes the journal.
  package private(set) var failure: JournalError?

  /// The journal's own thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// The file must be new and empty.
  init(_ file: File) {
    self.file = file
  }

  /// Appends events. Their sequence numbers must continue the journal's without gaps. Returns when each event
  /// is as durable as its `Fact.durability` requires; one sync serves all of them.
  /// - Throws: the first write or sync error, of this call or an earlier one.
  package func append(_ events: [RunEvent]) throws(JournalError) {
    if let failure { throw failure }
    let earlier = waiting.withLock { waiting in
      defer { waiting.events = [] }
      return waiting.events
    }
    do throws(JournalError) {
      try write(earlier + events)
      if events.contains(where: { $0.fact.durability == .synced }) { try file.syncData() }
    } catch {
      failure = error
      waiting.withLock { $0.failure = error }
      throw error
    }
  }

  private func write(_ events: [RunEvent]) throws(JournalError) {
    var written: [(bytes: [UInt8], end: JournalEnd)] = []
    for (event, number) in zip(events, (end.events + 1)...) {
      precondition(event.sequence == number, "event \(event.sequence) does not follow event \(number - 1)")
      let line = lines.line(event) + [UInt8(ascii: "\n")]
      written.append((line, JournalEnd(events: number, last: lines.previous)))
    }
    // A system call for each takes as long as its encoding. If the disk has no space for all, it may have some for the first.
    do throws(JournalError) {
      if let last = written.last?.end { try write(Array(written.map(\.bytes).joined()), upTo: last) }
    } catch {
      for (line, end) in written { try write(line, upTo: end) }
    }
  }

  private func write(_ bytes: [UInt8], upTo end: JournalEnd) throws(JournalError) {
    do throws(JournalError) {
      try file.write(bytes)
    } catch {
      // If this fails too, the partial last line stays. Every reader accepts it.
      file.truncate(to: length)
      throw error
    }
    length += bytes.count
    self.end = end
  }
}

extension JournalWriter: RunRecorder {
  /// Appends events for the engine: at once if one of them needs a sync, otherwise within 50 ms. If a delayed
  /// write fails, the next call throws.
  /// - Throws: `RecordFailure` with the description of the `JournalError`, which is in `failure`.
  package nonisolated func record(_ events: [RunEvent]) async throws(RecordFailure) {
    do throws(JournalError) {
      if events.contains(where: { $0.fact.durability == .synced }) {
        try await append(events)
      } else {
        try appendSoon(events)
      }
    } catch {
      throw RecordFailure(error.description)
    }
  }

  private nonisolated func appendSoon(_ events: [RunEvent]) throws(JournalError) {
    let (failure, isFirst) = waiting.withLock { waiting in
      let isFirst = waiting.events.isEmpty
      waiting.events += events
      return (waiting.failure, isFirst)
    }
    if let failure { throw failure }
    guard isFirst else { return }
    // The next call reports a failure.
    _ = thread.schedule(after: Self.soon) { self.assumeIsolated { _ = try? $0.append([]) } }
  }
}
