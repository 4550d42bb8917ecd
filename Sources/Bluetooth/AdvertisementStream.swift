import DequeModule
import Synchronization

/// The advertisements that an adapter receives during a scan, as an asynchronous sequence for one reader.
///
/// The buffer is bounded. When it holds `capacity` advertisements, a new one replaces the oldest one of the
/// same peripheral, or else the oldest one of all.
package struct AdvertisementStream: AsyncSequence, Sendable {
  package typealias Element = Advertisement
  /// Why the scan ended by itself.
  package typealias Failure = CentralError

  private let mailbox: Mailbox

  /// Creates a stream and the source that feeds it.
  package static func makeStream(capacity: Int = 4096) -> (stream: Self, source: Source) {
    precondition(capacity > 0)
    let mailbox = Mailbox(capacity: capacity)
    return (Self(mailbox: mailbox), Source(mailbox: mailbox))
  }

  /// The writing end, for implementations of `Central`.
  package struct Source: Sendable {
    fileprivate let mailbox: Mailbox

    /// Adds an advertisement; ignored after `finish`.
    package func yield(_ advertisement: Advertisement) { mailbox.yield(advertisement) }

    /// Ends the stream, with the error that ended the scan if there was one. Buffered advertisements are
    /// still delivered.
    package func finish(throwing error: CentralError? = nil) { mailbox.finish(error) }
  }

  /// The reading end.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let mailbox: Mailbox

    /// Returns the next advertisement; nil at the end and when the task is cancelled.
    package mutating func next() async throws(CentralError) -> Advertisement? {
      try await next(isolation: nil)
    }

    /// Same as above, on the caller's actor.
    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(CentralError) -> Advertisement? {
      // A buffered advertisement needs no suspension.
      if let ready = mailbox.takeReady() { return ready }
      return try await mailbox.next(isolation: actor)
    }
  }

  /// Creates the reading end. Only one reader may use it at a time.
  package func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }
}

/// The bounded buffer between the two ends.
private final class Mailbox: Sendable {
  private struct State {
    private var waiting = Deque<Advertisement>()
    /// The number of buffered advertisements of each peripheral, so that a full buffer is searched only for one that it
    /// holds.
    private var counts: [BluetoothAddress: Int] = [:]
    var ended: Result<Void, CentralError>?
    var reader: Reader?

    mutating func add(_ advertisement: Advertisement, capacity: Int) {
      let address = advertisement.address
      if waiting.count >= capacity {
        let old = counts[address] == nil ? nil : waiting.firstIndex { $0.address == address }
        uncount(waiting.remove(at: old ?? 0))
      }
      waiting.append(advertisement)
      counts[address, default: 0] += 1
    }

    mutating func next() -> Advertisement? {
      let next = waiting.popFirst()
      if let next { uncount(next) }
      return next
    }

    private mutating func uncount(_ advertisement: Advertisement) {
      let left = counts[advertisement.address, default: 1] - 1
      counts[advertisement.address] = left > 0 ? left : nil
    }
  }

  private typealias Reader = CheckedContinuation<Result<Advertisement?, CentralError>, Never>

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) {
    self.capacity = capacity
  }

  func yield(_ advertisement: Advertisement) {
    let reader = state.withLock { state in
      guard state.ended == nil else {
        return nil as Reader?
      }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      state.add(advertisement, capacity: capacity)
      return nil
    }
    reader?.resume(returning: .success(advertisement))
  }

  func finish(_ error: CentralError?) {
    let (reader, end) = state.withLock { state in
      guard state.ended == nil else {
        return (nil as Reader?, error)
      }
      state.ended = error.map(Result.failure) ?? .success(())
      defer { state.reader = nil }
      return (state.reader, error)
    }
    reader?.resume(returning: end.map(Result.failure) ?? .success(nil))
  }

  /// The oldest buffered advertisement; nil if there is none or if the task is cancelled.
  func takeReady() -> Advertisement? {
    state.withLock { state in Task.isCancelled ? nil : state.next() }
  }

  func next(isolation: isolated (any Actor)?) async throws(CentralError) -> Advertisement? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let now: Result<Advertisement?, CentralError>? = state.withLock { state in
          if Task.isCancelled { return .success(nil) }
          if let next = state.next() { return .success(next) }
          if let ended = state.ended { return ended.map { nil } }
          precondition(state.reader == nil, "a stream has one reader at a time")
          state.reader = continuation
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(returning: .success(nil))
    }
    return try result.get()
  }
}
