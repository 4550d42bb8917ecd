package import Bluetooth
import DequeModule
import Synchronization
import Waiting

/// The values of one characteristic during a GATT session. One task fills it; the session looks back ("an
/// error since the first write?") and waits ("until `saved`"). There is one reader at a time.
package final class StatusFeed: Sendable {
  /// The most values that are kept; older ones are dropped. A correct device sends a few per session.
  static let mostValues = 1024

  fileprivate struct State {
    /// The newest values.
    var values = Deque<CharacteristicNotification>()
    /// The number of dropped values.
    var dropped = 0
    var isSubscribed = false
    var lastRead: [UInt8]?
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Signalled for more values and at the end of the feed.
  private let changed = AutoResetEvent()
  private let sources: AsyncStream<AsyncStream<CharacteristicNotification>>
  private let sourcesEnd: AsyncStream<AsyncStream<CharacteristicNotification>>.Continuation

  init() {
    (sources, sourcesEnd) = AsyncStream.makeStream()
  }

  /// Whether the device notifies; if not, its status must be read.
  package var isSubscribed: Bool { state.withLock { $0.isSubscribed } }

  /// The last value that was read, even in a stage that failed afterwards; nil without one.
  package var lastRead: [UInt8]? { state.withLock { $0.lastRead } }

  /// Notes a value that was read instead of notified.
  package func noteRead(_ value: [UInt8]) { state.withLock { $0.lastRead = value } }

  /// Fills the feed from these notifications, once, until they end with the link.
  package func follow(_ notifications: AsyncStream<CharacteristicNotification>) {
    state.withLock { $0.isSubscribed = true }
    sourcesEnd.yield(notifications)
    sourcesEnd.finish()
  }

  /// Fills the feed; ends with the notifications or with its task.
  func pump() async {
    for await notifications in sources {
      for await notification in notifications { append(notification) }
    }
    state.withLock { $0.hasEnded = true }
    changed.signal()
  }

  /// The number of values so far, as a mark for later look-ups.
  package var count: Int { state.withLock { $0.dropped + $0.values.count } }

  /// The first value since mark `start` that fulfils `isWanted` and has already arrived.
  package func existing(
    since start: Int, where isWanted: (CharacteristicNotification) -> Bool
  ) -> CharacteristicNotification? {
    state.withLock { $0.first(since: start, where: isWanted) }
  }

  /// The first value since mark `start` that fulfils `isWanted`, waiting for it if necessary; nil when the
  /// feed ended (the link is down, or there was no subscription) or the task was cancelled first.
  package func first(
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
