package import Bluetooth
import DequeModule
import Synchronization
import Waiting

/// The values of the characteristics that a GATT session follows. One task fills it; the session looks back ("an
/// error since the first write?") and waits ("until `saved`"). There is one reader at a time.
package final class StatusFeed: Sendable {
  /// The most values that are kept; older ones are dropped. A correct device sends a few per session.
  static let mostValues = 1024

  fileprivate struct State {
    /// The newest values, each with its characteristic.
    var values = Deque<(of: BluetoothUUID, value: CharacteristicNotification)>()
    /// The number of dropped values.
    var dropped = 0
    var followed: Set<BluetoothUUID> = []
    /// The number of subscriptions that have not ended.
    var open = 0
    var reads: [BluetoothUUID: [UInt8]] = [:]

    var hasEnded: Bool { open == 0 }
  }

  private let state = Mutex(State())
  /// Signalled for more values and at the end of the feed.
  private let changed = AutoResetEvent()
  private let sources: AsyncStream<Source>
  private let sourcesEnd: AsyncStream<Source>.Continuation

  /// A value, its characteristic, and the mark after it.
  package typealias Next = (of: BluetoothUUID, value: CharacteristicNotification, mark: Int)

  private typealias Source = (of: BluetoothUUID, notifications: AsyncStream<CharacteristicNotification>)

  init() {
    (sources, sourcesEnd) = AsyncStream.makeStream()
  }

  /// Runs `body` with a feed, and a child task that fills it; the task ends with `body`.
  package static func run<Value: Sendable, Failure: Error>(
    _ body: @Sendable (StatusFeed) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let feed = StatusFeed()
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { await feed.pump() }
      defer { group.cancelAll() }
      do throws(Failure) {
        return Result<Value, Failure>.success(try await body(feed))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Whether the device notifies this characteristic; if not, it must be read.
  package func isFollowing(_ characteristic: BluetoothUUID) -> Bool {
    state.withLock { $0.followed.contains(characteristic) }
  }

  /// Whether the device notifies any characteristic.
  package var isFollowingAny: Bool { state.withLock { !$0.followed.isEmpty } }

  /// The last value of a characteristic that was read, even in a stage that failed afterwards; nil without one.
  package func lastRead(_ characteristic: BluetoothUUID) -> [UInt8]? {
    state.withLock { $0.reads[characteristic] }
  }

  /// Notes a value that was read instead of notified.
  package func noteRead(_ value: [UInt8], of characteristic: BluetoothUUID) {
    state.withLock { $0.reads[characteristic] = value }
  }

  /// Fills the feed also from these notifications, until they end with the link.
  package func follow(
    _ notifications: AsyncStream<CharacteristicNotification>, of characteristic: BluetoothUUID
  ) {
    state.withLock { state in
      state.followed.insert(characteristic)
      state.open += 1
    }
    sourcesEnd.yield((characteristic, notifications))
  }

  /// No further characteristic is followed.
  package func followNoMore() { sourcesEnd.finish() }

  /// Fills the feed; ends with its task, or with the notifications once no more are followed.
  func pump() async {
    await withDiscardingTaskGroup { group in
      for await source in sources {
        group.addTask { [self] in
          for await notification in source.notifications { append(notification, of: source.of) }
          state.withLock { $0.open -= 1 }
          changed.signal()
        }
      }
    }
  }

  /// The number of values so far, as a mark for later look-ups.
  package var count: Int { state.withLock { $0.dropped + $0.values.count } }

  /// The first value of a characteristic since mark `start` that fulfils `isWanted` and has already arrived.
  package func existing(
    since start: Int, of characteristic: BluetoothUUID, where isWanted: (CharacteristicNotification) -> Bool
  ) -> CharacteristicNotification? {
    state.withLock { $0.first(since: start, of: characteristic, where: isWanted) }
  }

  /// The first value of a characteristic since mark `start` that fulfils `isWanted`, waiting for it if necessary;
  /// nil when the feed ended (the link is down, or there was no subscription) or the task was cancelled first.
  package func first(
    since start: Int, of characteristic: BluetoothUUID, where isWanted: (CharacteristicNotification) -> Bool
  ) async -> CharacteristicNotification? {
    var mark = start
    while let next = await self.next(since: mark, of: characteristic) {
      if isWanted(next.value) { return next.value }
      mark = next.mark
    }
    return nil
  }

  /// The first value since mark `start`, waiting for it if necessary; nil as in `first`.
  /// - Parameter characteristic: that of the value; nil for any.
  package func next(since start: Int, of characteristic: BluetoothUUID? = nil) async -> Next? {
    while true {
      let (found, hasEnded) = state.withLock { state -> (Next?, Bool) in
        let index = state.values.indices.dropFirst(max(0, start - state.dropped))
          .first { characteristic == nil || state.values[$0].of == characteristic }
        return (
          index.map { (state.values[$0].of, state.values[$0].value, state.dropped + $0 + 1) }, state.hasEnded
        )
      }
      if let found { return found }
      if hasEnded || Task.isCancelled { return nil }
      await changed.wait()
    }
  }

  private func append(_ value: CharacteristicNotification, of characteristic: BluetoothUUID) {
    state.withLock { state in
      state.values.append((characteristic, value))
      guard state.values.count > Self.mostValues else { return }
      state.values.removeFirst()
      state.dropped += 1
    }
    changed.signal()
  }
}

extension StatusFeed.State {
  fileprivate func first(
    since mark: Int, of characteristic: BluetoothUUID,
    where isWanted: (CharacteristicNotification) -> Bool
  ) -> CharacteristicNotification? {
    values.dropFirst(max(0, mark - dropped)).first { $0.of == characteristic && isWanted($0.value) }?.value
  }
}
