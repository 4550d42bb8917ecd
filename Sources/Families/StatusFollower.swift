import Bluetooth
import Model
import Session
import Waiting

/// The status of a device during a GATT session by a procedure.
struct StatusFollower: Sendable {
  /// How often the status is read without a subscription.
  private static let pollInterval = Duration.milliseconds(500)

  private let rule: StatusRule
  private let characteristic: RemoteCharacteristic
  private let session: DeviceSession
  private let link: any Peripheral
  private let feed: StatusFeed
  /// The mark in the feed before the first write.
  private var mark: Int

  init(
    _ rule: StatusRule, _ characteristic: RemoteCharacteristic, _ session: DeviceSession,
    _ link: any Peripheral,
    _ feed: StatusFeed
  ) {
    (self.rule, self.characteristic, self.session) = (rule, characteristic, session)
    (self.link, self.feed, mark) = (link, feed, feed.count)
  }

  /// The same, for what arrives from now on.
  var fromNow: Self {
    var copy = self
    copy.mark = feed.count
    return copy
  }

  private func status(_ notification: CharacteristicNotification) -> DeviceStatus {
    DeviceStatus(notification.value, by: rule)
  }

  private var isFollowing: Bool { feed.isFollowing(rule.characteristic) }

  // MARK: Before any write

  /// Subscribes to the status. If the family has a `ready`, also reads the status and waits for it; unless the
  /// family needs it, that wait is advisory: without `ready` the session continues. A refusal here may be left from
  /// an earlier attempt and is none.
  func waitUntilReady() async throws(AttemptFailure) {
    do throws(AttemptFailure) {
      try await session.stage(.ready) { () throws(CentralError) in
        try await subscribe()
        // Without notifications, the status before any write tells an answer from an old one.
        guard rule.ready != nil || !isFollowing else { return }
        var mark = mark
        let first = try await firstStatus()
        if let first { await session.received(first.text, as: first.meaningBeforeWriting) }
        guard rule.ready != nil else { return }
        var status = first
        while status?.meaning != .ready {
          let next = try await nextStatus(since: &mark)
          if next != first { await session.received(next.text, as: next.meaningBeforeWriting) }
          status = next
        }
      }
    } catch {
      switch error.reason.code {
      case .stageTimedOut, .attributeRejected, .pairingRequired, .stackError:
        if rule.needsReady, rule.ready != nil { throw error }
      default: throw error
      }
    }
  }

  /// If the device does not permit a subscription, its status is read instead.
  private func subscribe() async throws(CentralError) {
    do throws(CentralError) {
      feed.follow(try await link.notifications(of: characteristic), of: rule.characteristic)
    } catch {
      switch error.code {
      case .att, .notPermitted, .pairingRequired, .busy, .other:
        await session.received("no notifications: \(error.stackText ?? "\(error.code)")", as: .other)
      default: throw error
      }
    }
  }

  private func read() async throws(CentralError) -> DeviceStatus {
    let value = try await link.read(characteristic)
    feed.noteRead(value, of: rule.characteristic)
    return DeviceStatus(value, by: rule)
  }

  /// The status as it is read first; nil if it can only be notified, and the session needs that.
  private func firstStatus() async throws(CentralError) -> DeviceStatus? {
    do throws(CentralError) {
      return try await read()
    } catch {
      switch error.code {
      case .att, .notPermitted, .pairingRequired:
        if rule.needsReady, isFollowing { return nil }
        throw error
      default: throw error
      }
    }
  }

  /// The next status: notified, or read at intervals without a subscription.
  /// - Throws: `disconnected` when the notifications end.
  private func nextStatus(since mark: inout Int) async throws(CentralError) -> DeviceStatus {
    if isFollowing {
      guard let next = await feed.next(since: mark, of: rule.characteristic) else {
        throw CentralError(Task.isCancelled ? .cancelled : .disconnected)
      }
      mark = next.mark
      return status(next.value)
    }
    try await session.clock.pause(Self.pollInterval)
    return try await read()
  }

  // MARK: After the first write

  /// The refusal that has arrived; nil without one.
  var refusal: DeviceStatus? {
    feed.existing(since: mark, of: rule.characteristic, where: { status($0).isRefusal }).map(status)
  }

  /// Ends the attempt if the device refused.
  func throwRefusal() async throws(AttemptFailure) {
    guard let refusal else { return }
    await session.received(refusal.text, as: .refusal)
    throw AttemptFailure(.refused(stage: .write, deviceText: refusal.text))
  }

  /// The last status that was read before any write: the same status read again is no answer.
  var before: DeviceStatus? { feed.lastRead(rule.characteristic).map { DeviceStatus($0, by: rule) } }

  /// Whether a notification answers what was submitted: a refusal in any case, `saved` only after this instant.
  private func answers(_ instant: MonotonicInstant) -> @Sendable (CharacteristicNotification) -> Bool {
    { value in
      let status = status(value)
      return status.isRefusal || status.meaning == .saved && value.receivedAt >= instant
    }
  }

  /// The device's answer: `saved` or a refusal.
  func waitForAnswer(since instant: MonotonicInstant, _ before: DeviceStatus?) async throws(CentralError)
    -> DeviceStatus
  {
    while true {
      if isFollowing {
        guard let found = await feed.first(since: mark, of: rule.characteristic, where: answers(instant))
        else {
          throw CentralError(Task.isCancelled ? .cancelled : .disconnected)
        }
        return status(found)
      }
      // Read at once: the status is lost with the reboot, a moment later.
      let status = try await read()
      if status.isRefusal || status.meaning == .saved, status != before { return status }
      try await session.clock.pause(Self.pollInterval)
    }
  }

  /// The answer that arrived, or still arrives before the feed ends: a notification from before the end of the
  /// link may be delivered after it.
  func lateAnswer(since instant: MonotonicInstant) async -> DeviceStatus? {
    let answers = answers(instant)
    if let found = feed.existing(since: mark, of: rule.characteristic, where: answers) {
      return status(found)
    }
    let raced = await race(.seconds(1), on: session.clock) { () throws(CentralError) in
      await feed.first(since: mark, of: rule.characteristic, where: answers)
    }
    guard case .value(let found) = raced else { return nil }
    return found.map(status)
  }
}
