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
    status(notification.value)
  }

  private func status(_ value: [UInt8]) -> DeviceStatus {
    DeviceStatus(value, by: rule, in: session.room)
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

  private func readValue() async throws(CentralError) -> [UInt8] {
    let value = try await link.read(characteristic)
    feed.noteRead(value, of: rule.characteristic)
    return value
  }

  private func read() async throws(CentralError) -> DeviceStatus { status(try await readValue()) }

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
  var before: [UInt8]? { feed.lastRead(rule.characteristic) }

  /// Waits for the answer to one write.
  /// - Returns: the status, and whether it is what the pattern wants; otherwise it is a refusal.
  func wait(for pattern: StatusPattern) async throws(CentralError) -> (DeviceStatus, isEqual: Bool) {
    var mark = mark
    while true {
      let value: [UInt8]
      if isFollowing {
        guard let next = await feed.next(since: mark, of: rule.characteristic) else {
          throw CentralError(Task.isCancelled ? .cancelled : .disconnected)
        }
        (value, mark) = (next.value.value, next.mark)
      } else {
        value = try await readValue()
      }
      let status = status(value)
      switch pattern.compare(value, session.room.settings) {
      case .equal: return (status, true)
      case .differs: return (status, false)
      case .other where status.isRefusal: return (status, false)
      case .other: if !isFollowing { try await session.clock.pause(Self.pollInterval) }
      }
    }
  }

  /// The states on the way to `saved` that have not come yet, and what they make of the next one.
  private struct Answers {
    let instant: MonotonicInstant
    var pending: ArraySlice<StatusPattern>

    init(_ rule: StatusRule, since instant: MonotonicInstant) {
      (self.instant, pending) = (instant, rule.saved.dropLast())
    }
  }

  /// What a status answers to what was submitted: a refusal in any case, `saved` only after the instant and after the
  /// states before it.
  private func answer(
    _ value: [UInt8], at received: MonotonicInstant, _ answers: inout Answers
  ) -> DeviceStatus? {
    let status = status(value)
    if status.isRefusal { return status }
    guard received >= answers.instant else { return nil }
    guard let next = answers.pending.first else { return status.meaning == .saved ? status : nil }
    if next.compare(value, session.room.settings) == .equal { answers.pending.removeFirst() }
    return nil
  }

  /// The answer among the notifications; nil when they end without one.
  private func notifiedAnswer(since instant: MonotonicInstant) async -> DeviceStatus? {
    var answers = Answers(rule, since: instant)
    var mark = mark
    while let next = await feed.next(since: mark, of: rule.characteristic) {
      if let found = answer(next.value.value, at: next.value.receivedAt, &answers) { return found }
      mark = next.mark
    }
    return nil
  }

  /// The device's answer: `saved` or a refusal.
  func waitForAnswer(since instant: MonotonicInstant, _ before: [UInt8]?) async throws(CentralError)
    -> DeviceStatus
  {
    if isFollowing {
      if let found = await notifiedAnswer(since: instant) { return found }
      throw CentralError(Task.isCancelled ? .cancelled : .disconnected)
    }
    var answers = Answers(rule, since: instant)
    while true {
      // Read at once: the status is lost with the reboot, a moment later.
      let value = try await readValue()
      // After another state it is an answer.
      let isAsBefore = value == before && answers.pending.count == max(0, rule.saved.count - 1)
      if !isAsBefore, let found = answer(value, at: session.clock.now, &answers) { return found }
      try await session.clock.pause(Self.pollInterval)
    }
  }

  /// The answer that arrived, or still arrives before the feed ends: a notification from before the end of the
  /// link may be delivered after it.
  func lateAnswer(since instant: MonotonicInstant) async -> DeviceStatus? {
    let raced = await race(.seconds(1), on: session.clock) { () throws(CentralError) in
      await notifiedAnswer(since: instant)
    }
    guard case .value(let found) = raced else { return nil }
    return found
  }
}
