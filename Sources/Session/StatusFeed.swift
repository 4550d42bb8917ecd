public import Bluetooth
import Synchronization
import Waiting

/// What a device says over one characteristic while the conversation goes on: fed by a pump, read by the
/// conversation, which may look back ("did it refuse since my first write?") and wait ("until it says saved").
/// There is one reader at a time.
public final class StatusFeed: Sendable {
  private struct State {
    var values: [CharacteristicNotification] = []
    var isSubscribed = false
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
  public var count: Int { state.withLock { $0.values.count } }

  /// The first value since mark `start` that `isWanted` and has come already.
  public func existing(
    since start: Int, where isWanted: (CharacteristicNotification) -> Bool
  ) -> CharacteristicNotification? {
    state.withLock { $0.values }.dropFirst(start).first(where: isWanted)
  }

  /// The first value since mark `start` that `isWanted`, waiting for it if need be; nil when the feed ended
  /// (the link is gone, or there never was a subscription) or the task was cancelled first.
  public func first(
    since start: Int, where isWanted: (CharacteristicNotification) -> Bool
  ) async -> CharacteristicNotification? {
    var next = start
    while true {
      let (values, hasEnded) = state.withLock { ($0.values, $0.hasEnded) }
      if let found = values.dropFirst(next).first(where: isWanted) { return found }
      if hasEnded || Task.isCancelled { return nil }
      next = values.count
      await changed.wait()
    }
  }

  private func append(_ value: CharacteristicNotification) {
    state.withLock { $0.values.append(value) }
    changed.signal()
  }
}
