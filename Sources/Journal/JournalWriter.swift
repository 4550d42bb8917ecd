import EventLoop
public import Model

/// How far a journal was written, as its writer knows it.
public struct JournalEnd: Hashable, Sendable {
  /// How many events are in it.
  public var events: Int
  /// The hash of the last of their lines.
  var last: String
}

/// Appends a run's events to its journal: one line an event, each written whole, each chained to the one
/// before.
///
/// After a failure nothing more is written: whatever was torn is cut off again, and every later append fails
/// with the first error. So a journal is always a true beginning of its run.
///
/// It has a thread of its own: a write or a sync takes as long as the disk takes, and the loop of the run, with the radio
/// on it, goes on meanwhile.
public actor JournalWriter {
  /// The journal's name in its run's directory.
  public static let fileName = "journal.jsonl"

  /// What need not be synced is written so much later at most, with what comes meanwhile: waking the thread for each event
  /// costs more than writing it.
  private static let soon = Duration.milliseconds(50)

  private struct Waiting {
    var events: [RunEvent] = []
    /// That of the journal.
    var failure: JournalError?
  }

  private let file: File
  /// Events that are on their way to the file.
  private let waiting = Lock(Waiting())
  private let thread = LoopExecutor.startThread()
  private var lines = JournalLines()
  private var length = 0

  /// How far the journal is written.
  public private(set) var end = JournalEnd(events: 0, last: JournalLine.origin)

  /// Why the journal is closed to further events, once it is.
  public private(set) var failure: JournalError?

  /// The journal's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// The journal's path.
  public nonisolated var path: String { file.path }

  /// A writer of a file that was just created and is empty.
  init(_ file: File) {
    self.file = file
  }

  /// Appends events, in order and without gaps in their numbers. Returns when each is as durable as its
  /// `Fact.durability` asks: one sync serves them all.
  /// - Throws: what the system said to the first write or sync that failed, now or earlier.
  public func append(_ events: [RunEvent]) throws(JournalError) {
    if let failure { throw failure }
    let earlier = waiting.withLock { waiting in
      defer { waiting.events = [] }
      return waiting.events
    }
    do throws(JournalError) {
      for event in earlier + events { try append(event) }
      if events.contains(where: { $0.fact.durability == .synced }) { try file.syncData() }
    } catch {
      failure = error
      waiting.withLock { $0.failure = error }
      throw error
    }
  }

  private func append(_ event: RunEvent) throws(JournalError) {
    precondition(
      event.sequence == end.events + 1, "event \(event.sequence) does not follow event \(end.events)")
    let line = lines.line(event)
    do throws(JournalError) {
      try file.write(line + [UInt8(ascii: "\n")])
    } catch {
      // Should even this fail, a torn last line is left, which every reader knows how to take.
      _ = file.truncate(to: length)
      throw error
    }
    length += line.count + 1
    end = JournalEnd(events: event.sequence, last: lines.previous)
  }
}

extension JournalWriter: RunRecorder {
  /// Appends events for the engine: at once if one of them must be synced, or else soon. What then cannot be written fails
  /// what comes after it.
  /// - Throws: `RecordFailure` with `JournalError`'s words; `failure` has the error itself.
  public nonisolated func record(_ events: [RunEvent]) async throws(RecordFailure) {
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
    // A failure is told to whoever comes next.
    _ = thread.schedule(after: Self.soon) { self.assumeIsolated { _ = try? $0.append([]) } }
  }
}
