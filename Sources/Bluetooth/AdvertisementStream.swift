import DequeModule
import Synchronization

/// What an adapter hears while it listens, as an asynchronous sequence for one reader.
///
/// It holds a bounded amount: when `capacity` items wait, an older item of the same peripheral makes room
/// for the newest, or else the oldest item of all.
public struct AdvertisementStream: AsyncSequence, Sendable {
  /// What it delivers.
  public typealias Element = Advertisement
  /// Why listening ended by itself.
  public typealias Failure = CentralError

  private let mailbox: Mailbox

  /// A stream and the source that feeds it.
  public static func makeStream(capacity: Int = 4096) -> (stream: Self, source: Source) {
    precondition(capacity > 0)
    let mailbox = Mailbox(capacity: capacity)
    return (Self(mailbox: mailbox), Source(mailbox: mailbox))
  }

  /// The feeding end, for implementations of `Central`.
  public struct Source: Sendable {
    fileprivate let mailbox: Mailbox

    /// Hands on news; ignored after `finish`.
    public func yield(_ advertisement: Advertisement) { mailbox.yield(advertisement) }

    /// Ends the stream, with the error that ended listening if there was one. What waits is still delivered.
    public func finish(throwing error: CentralError? = nil) { mailbox.finish(error) }
  }

  /// The reading end.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let mailbox: Mailbox

    /// The next advertisement; nil at the end and when the task is cancelled.
    public mutating func next() async throws(CentralError) -> Advertisement? {
      try await next(isolation: nil)
    }

    /// As above, wherever the caller is isolated.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(CentralError) -> Advertisement? {
      // What waits is had without leaving the caller.
      if let ready = mailbox.takeReady() { return ready }
      return try await mailbox.next(isolation: actor)
    }
  }

  /// Reads the stream; there is one reader at a time.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }
}

/// The bounded box between the two ends.
private final class Mailbox: Sendable {
  private struct State {
    var waiting = Deque<Advertisement>()
    var ended: Result<Void, CentralError>?
    var reader: Reader?
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
        return nil as CheckedContinuation<Result<Advertisement?, CentralError>, Never>?
      }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      if state.waiting.count >= capacity {
        let old = state.waiting.firstIndex { $0.address == advertisement.address } ?? 0
        state.waiting.remove(at: old)
      }
      state.waiting.append(advertisement)
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

  /// What waits; nil when nothing does, or the caller is cancelled.
  func takeReady() -> Advertisement? {
    state.withLock { state in Task.isCancelled ? nil : state.waiting.popFirst() }
  }

  func next(isolation: isolated (any Actor)?) async throws(CentralError) -> Advertisement? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let now: Result<Advertisement?, CentralError>? = state.withLock { state in
          if Task.isCancelled { return .success(nil) }
          if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
          if let ended = state.ended { return ended.map { nil } }
          precondition(state.reader == nil, "one reader at a time")
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
