public import Bluetooth
public import FoundationEssentials
public import Model
import Synchronization
import Waiting

/// The one place that numbers and stamps events and hands them on: first to the record, then, once they are
/// as durable as they must be, to whoever watches. So nobody is ever told of an outcome that a power cut
/// could take back.
///
/// Events are queued without waiting, and without changing tasks: there are dozens for each device. `run()`, a child
/// task of the run, drains the queue in batches.
///
/// It is also where secrets are taken out of what devices and the stack said (`hide`): neither the record nor whoever
/// watches gets a text before.
public final class Coordinator: Sendable {
  private let clock: any TimeSource
  private let wall: @Sendable () -> Date
  private let recorder: any RunRecorder
  private let watch: @Sendable (RunEvent) async -> Void
  private let start: MonotonicInstant
  private let state = Mutex(State())
  private let redaction = Mutex(Redaction())
  /// Wakes `run()` when there is something to do.
  private let queued = AutoResetEvent()

  private struct State {
    var sequence = 0
    var queue: [Entry] = []
    var isFinished = false
    var failure: RecordFailure?
  }

  private struct Entry {
    /// Nil: it is only to be known when everything before it is on record.
    var event: RunEvent?
    var recorded: OneShot<RecordFailure?>?
  }

  /// A coordinator; elapsed times count from now.
  public init(
    clock: any TimeSource, wall: @escaping @Sendable () -> Date, recorder: any RunRecorder,
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in }
  ) {
    self.clock = clock
    self.wall = wall
    self.recorder = recorder
    self.watch = watch
    start = clock.now
  }

  /// Takes these out of every text from outside that is noted from now on.
  package func hide(_ secrets: some Sequence<Secret>) {
    let redactor = Redactor(secrets)
    redaction.withLock { $0.redactor = redactor }
  }

  /// A text from outside that reaches people by another way than the record.
  package func redacted(_ text: String) -> String {
    redaction.withLock { $0.redactor }(text)
  }

  /// Why the record is closed to further events, once it is.
  public var failure: RecordFailure? { state.withLock(\.failure) }

  /// Queues an event that nobody waits for. Dropped once the record has failed.
  public func note(_ fact: Fact) {
    enqueue(fact, recorded: nil)
  }

  /// Queues an event and returns when it is on record. Not ended by cancellation: an intent is on record or
  /// its deed does not happen.
  /// - Throws: `RecordFailure` when it is not on record and never will be.
  public func commit(_ fact: Fact) async throws(RecordFailure) {
    let recorded = OneShot<RecordFailure?>()
    enqueue(fact, recorded: recorded)
    if let failure = await recorded.valueEvenIfCancelled() { throw failure }
  }

  /// Returns when everything that was queued so far is on record. Not ended by cancellation.
  /// - Throws: `RecordFailure` when some of it is not on record and never will be.
  public func flush() async throws(RecordFailure) {
    let recorded = OneShot<RecordFailure?>()
    let failure = state.withLock { state -> RecordFailure? in
      if let failure = state.failure { return failure }
      state.queue.append(Entry(event: nil, recorded: recorded))
      return nil
    }
    if let failure { throw failure }
    queued.signal()
    if let failure = await recorded.valueEvenIfCancelled() { throw failure }
  }

  private func enqueue(_ fact: Fact, recorded: OneShot<RecordFailure?>?) {
    let fact = redaction.withLock { $0.redacted(fact) }
    // Numbered and stamped as one: a later number never has an earlier time.
    let failure = state.withLock { state -> RecordFailure? in
      precondition(!state.isFinished, "an event after the end of the run: \(fact.kind)")
      if let failure = state.failure { return failure }
      state.sequence += 1
      let event = RunEvent(
        sequence: state.sequence, at: wall(), elapsed: start.duration(to: clock.now), fact: fact)
      state.queue.append(Entry(event: event, recorded: recorded))
      return nil
    }
    if let failure {
      recorded?.fulfill(failure)
    } else {
      queued.signal()
    }
  }

  /// Drains the queue until `finish()` was called and it is empty. Takes no notice of cancellation.
  /// - Parameter failed: called once, when the record fails.
  public func run(failed: @Sendable (RecordFailure) -> Void = { _ in }) async {
    while true {
      let (batch, isFinished) = state.withLock { state in
        defer { state.queue = [] }
        return (state.queue, state.isFinished)
      }
      if !batch.isEmpty {
        await record(batch, failed)
      } else if isFinished {
        return
      } else {
        await queued.waitEvenIfCancelled()
      }
    }
  }

  private func record(_ batch: [Entry], _ failed: (RecordFailure) -> Void) async {
    var failure = failure
    if failure == nil {
      do throws(RecordFailure) {
        let events = batch.compactMap(\.event)
        if !events.isEmpty { try await recorder.record(events) }
      } catch {
        failure = error
        state.withLock { $0.failure = error }
        failed(error)
      }
    }
    for entry in batch {
      entry.recorded?.fulfill(failure)
      if failure == nil, let event = entry.event { await watch(event) }
    }
  }

  /// No more events will come; `run()` returns when the rest is on record.
  public func finish() {
    state.withLock { $0.isFinished = true }
    queued.signal()
  }
}
