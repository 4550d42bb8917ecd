package import Bluetooth
package import FoundationEssentials
package import Model
import Synchronization
import Waiting

/// Numbers and timestamps all events of a run and passes them on: first to the record, then, once they are as
/// durable as their kind requires, to the watcher. So no watcher sees an outcome that a power cut could undo.
///
/// Events are queued without waiting and without a task switch: there are dozens for each device. `run()`, a
/// child task of the run, drains the queue in batches.
///
/// It also removes secrets from the texts of devices and of the stack (`hide`), before the record and the
/// watcher get them.
package final class Coordinator: Sendable {
  private let clock: any TimeSource
  private let wall: @Sendable () -> Date
  private let recorder: any RunRecorder
  private let watch: @Sendable (RunEvent) async -> Void
  private let start: MonotonicInstant
  private let state = Mutex(State())
  private let redaction = Mutex(Redaction())
  /// Signals `run()` that there is work.
  private let queued = AutoResetEvent()

  private struct State {
    var sequence = 0
    var limit = RecordLimit()
    var queue: [Entry] = []
    var isFinished = false
    var failure: RecordFailure?
    /// Those of this run.
    var bonds = Bonds()
    /// Those that the run has intended or removed.
    var touchedBonds: Set<Bond> = []
  }

  private struct Entry {
    /// Nil for `flush`: the entry only reports when everything before it is on record.
    var event: RunEvent?
    var recorded: OneShot<RecordFailure?>?
  }

  /// Elapsed times count from this call.
  package init(
    clock: any TimeSource, wall: @escaping @Sendable () -> Date, recorder: any RunRecorder,
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in }
  ) {
    self.clock = clock
    self.wall = wall
    self.recorder = recorder
    self.watch = watch
    start = clock.now
  }

  /// Removes these secrets from every outside text of later events.
  package func hide(_ secrets: some Sequence<Secret>) {
    let redactor = Redactor(secrets)
    redaction.withLock { $0.redactor = redactor }
  }

  /// Redacts an outside text that does not go through the record.
  package func redacted(_ text: String) -> String {
    redaction.withLock { $0.redactor }(text)
  }

  /// Why the record is closed to further events; nil while it is open.
  package var failure: RecordFailure? { state.withLock(\.failure) }

  /// Whether the stack may have a bond that this run made and does not keep.
  package func mayHaveBond(with address: BluetoothAddress, on adapter: AdapterID) -> Bool {
    state.withLock { $0.bonds[Bond(with: address, on: adapter)] == .temporary }
  }

  /// Whether the stack has a bond that this run made and keeps, and that a passkey protects.
  package func hasProtectedBond(with address: BluetoothAddress, on adapter: AdapterID) -> Bool {
    state.withLock { $0.bonds[Bond(with: address, on: adapter)] == .protected }
  }

  /// Whether the run has intended or removed a bond. Then the record of earlier runs says nothing about it any more.
  package func hasTouchedBond(with address: BluetoothAddress, on adapter: AdapterID) -> Bool {
    state.withLock { $0.touchedBonds.contains(Bond(with: address, on: adapter)) }
  }

  /// Queues an event without waiting for it. Dropped once the record has failed; an observation may be left out
  /// (`RecordLimit`).
  package func note(_ fact: Fact) {
    enqueue(fact, recorded: nil)
  }

  /// Queues an event and returns when it is on record. Cancellation does not end the wait: without the intent
  /// on record, the action must not happen.
  /// - Throws: `RecordFailure` when the event cannot be recorded.
  package func commit(_ fact: Fact) async throws(RecordFailure) {
    try await recorded(fact)
  }

  /// Returns when everything queued so far is on record. Cancellation does not end the wait.
  /// - Throws: `RecordFailure` when some of it cannot be recorded.
  package func flush() async throws(RecordFailure) {
    try await recorded(nil)
  }

  private func recorded(_ fact: Fact?) async throws(RecordFailure) {
    let recorded = OneShot<RecordFailure?>()
    enqueue(fact, recorded: recorded)
    if let failure = await recorded.valueEvenIfCancelled() { throw failure }
  }

  private func enqueue(_ fact: Fact?, recorded: OneShot<RecordFailure?>?) {
    let fact = fact.map { fact in redaction.withLock { $0.redacted(fact) } }
    // Number and time under one lock: a later number never has an earlier time.
    let failure = state.withLock { state -> RecordFailure? in
      precondition(!state.isFinished, "an event after the end of the run: \(fact?.kind ?? "flush")")
      if let failure = state.failure { return failure }
      if let bond = state.bonds.take(fact) { state.touchedBonds.insert(bond) }
      let elapsed = start.duration(to: clock.now)
      for fact in fact.map({ state.limit.admitted($0, at: elapsed) }) ?? [] {
        state.sequence += 1
        let event = RunEvent(sequence: state.sequence, at: wall(), elapsed: elapsed, fact: fact)
        state.queue.append(Entry(event: event))
      }
      if let recorded { state.queue.append(Entry(recorded: recorded)) }
      return nil
    }
    if let failure {
      recorded?.fulfill(failure)
    } else {
      queued.signal()
    }
  }

  /// Drains the queue until `finish()` was called and it is empty. Ignores cancellation.
  /// - Parameter failed: called once, when the record fails.
  package func run(failed: @Sendable (RecordFailure) -> Void = { _ in }) async {
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

  /// Ends the queue; `run()` returns when the rest is on record.
  package func finish() {
    state.withLock { $0.isFinished = true }
    queued.signal()
  }
}
