public import Bluetooth
import DequeModule
import Synchronization
import Waiting

/// What a device says over one characteristic while the conversation goes on: fed by a pump, read by the
/// conversation, which may look back ("did it refuse since my first write?") and wait ("until it says saved").
/// There is one reader at a time.
public final class StatusFeed: Sendable {
  /// How many values are kept; older ones are dropped. A device that works correctly sends a few per session.
  static let mostValues = 1024

  fileprivate struct State {
    /// The newest values.
    var values = Deque<CharacteristicNotification>()
    /// How many came before them.
    var dropped = 0
    var isSubscribed = false
    var lastRead: [UInt8]?
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// There are more values, or the feed has ended.
  private let changed = AutoResetEvent()
  private let sources: AsyncStream<AsyncStream<CharacteristicNotification>>
  private let sourcesEnd: AsyncStream<AsyncStream<CharacteristicNotification>>.Continuation

  init() {
    (sources, sourcesEnd) = AsyncStream.makeStream()
  }

  /// Whether the device notifies at all; if not, its status must be read.
  public var isSubscribed: Bool { state.withLock { $0.isSubscribed } }

  /// The value that was read last, also in a stage that failed afterwards; nil when none was.
  public var lastRead: [UInt8]? { state.withLock { $0.lastRead } }

  /// Notes a value that was read instead of notified.
  public func noteRead(_ value: [UInt8]) { state.withLock { $0.lastRead = value } }

  /// Feeds it from these notifications, once, until they end with the link.
  public func follow(_ notifications: AsyncStream<CharacteristicNotification>) {
    state.withLock { $0.isSubscribed = true }
    sourcesEnd.yield(notifications)
    sourcesEnd.finish()
  }

  /// The pump; ends when what is followed ends, or its task is cancelled.
  func pump() async {
    for await notifications in sources {
      for await notification in notifications { append(notification) }
    }
    state.withLock { $0.hasEnded = true }
    changed.signal()
  }

  /// How many values have come so far: a mark to look back from.
  public var count: Int { state.withLock { $0.dropped + $0.values.count } }

  /// The first value since mark `start` that `isWanted` and has come already.
  public func existing(
    since start: Int, where isWanted: (CharacteristicNotification) -> Bool
  ) -> CharacteristicNotification? {
    state.withLock { $0.first(since: start, where: isWanted) }
  }

  /// The first value since mark `start` that `isWanted`, waiting for it if need be; nil when the feed ended
  /// (the link is gone, or there never was a subscription) or the task was cancelled first.
  public func first(
    since start: Int, where isWanted: (CharacteristicNotification) -> Bool
  ) async -> CharacteristicNotification? {
    var next = start
    while true {
      let (found, hasEnded, count) = state.withLock {
        ($0.first(since: next, where: isWanted), $0.hasEnded, $0.dropped + $0.values.count)
      }
      if let found { return found }
      if hasEnded || Task.isCancelled { return nil }
      next = count
      await changed.wait()
    }
  }

  private func append(_ value: CharacteristicNotification) {
    state.withLock { state in
      state.values.append(value)
      guard state.values.count > Self.mostValues else { return }
      state.values.removeFirst()
      state.dropped += 1
    }
    changed.signal()
  }
}

extension StatusFeed.State {
  fileprivate func first(
    since mark: Int, where isWanted: (CharacteristicNotification) -> Bool
  ) -> CharacteristicNotification? {
    values.dropFirst(max(0, mark - dropped)).first(where: isWanted)
  }
}
