import Bluetooth
import Model
import Session
import Waiting

/// The steps of a GATT session with a Robo Sensor after discovery.
struct RoboSensorSession: Sendable {
  /// How often the status is read without a subscription.
  private static let pollInterval = Duration.milliseconds(500)

  private let session: DeviceSession
  private let link: any Peripheral
  private let command: RemoteCharacteristic
  private let status: RemoteCharacteristic
  private let service: RemoteService

  /// - Throws: `serviceMissing` when a characteristic is missing although `discover` required it.
  init(session: DeviceSession, link: any Peripheral, service: RemoteService) throws(AttemptFailure) {
    func find(_ uuid: BluetoothUUID) throws(AttemptFailure) -> RemoteCharacteristic {
      guard let found = service[uuid] else {
        throw AttemptFailure(.serviceMissing(FailedStep(.discover)))
      }
      return found
    }
    self.session = session
    self.link = link
    command = try find(RoboSensor.Attribute.command)
    status = try find(RoboSensor.Attribute.status)
    self.service = service
  }

  /// The writes, in order. A room without WiFi writes no credentials: empty values never replace valid ones.
  func writes(of room: Room) -> [(SettingName, RemoteCharacteristic, [UInt8])] {
    room.family.characteristics.compactMap { description in
      guard let setting = description.settings.first, let characteristic = service[description.uuid],
        let bytes = room.family.encode(description, room.settings)
      else { return nil }
      return (setting, characteristic, bytes)
    }
  }

  /// Step 3: subscribes to the status, reads it and waits for `ready`. The wait is advisory: without `ready`
  /// the session continues. An `error:` here may be left from an earlier attempt and is no refusal.
  func waitUntilReady(_ feed: StatusFeed) async throws(AttemptFailure) {
    do throws(AttemptFailure) {
      try await session.stage(.ready) { () throws(CentralError) in
        try await subscribe(feed)
        let first = try await readStatus(for: feed)
        await session.received(first.text, as: first.meaningBeforeWriting)
        var mark = 0
        var status = first
        while status != .ready {
          status = try await nextStatus(in: feed, since: &mark)
          if status != first { await session.received(status.text, as: status.meaningBeforeWriting) }
        }
      }
    } catch {
      switch error.reason {
      case .stageTimedOut, .attributeRejected, .stackError: return
      default: throw error
      }
    }
  }

  /// If the sensor does not permit a subscription, its status is read instead.
  private func subscribe(_ feed: StatusFeed) async throws(CentralError) {
    do throws(CentralError) {
      feed.follow(try await link.notifications(of: status), of: RoboSensor.Attribute.status)
    } catch {
      switch error.code {
      case .att, .notPermitted, .busy, .other:
        await session.received("no notifications: \(error.stackText ?? "\(error.code)")", as: .other)
      default: throw error
      }
    }
  }

  private func readStatus(for feed: StatusFeed) async throws(CentralError) -> SensorStatus {
    let value = try await link.read(status)
    feed.noteRead(value, of: RoboSensor.Attribute.status)
    return SensorStatus(value)
  }

  /// The next status: notified, or read at intervals without a subscription.
  /// - Throws: `disconnected` when the notifications end.
  private func nextStatus(
    in feed: StatusFeed, since mark: inout Int
  ) async throws(CentralError) -> SensorStatus {
    if feed.isFollowing(RoboSensor.Attribute.status) {
      guard let next = await feed.first(since: mark, of: RoboSensor.Attribute.status, where: { _ in true })
      else {
        throw CentralError(Task.isCancelled ? .cancelled : .disconnected)
      }
      mark += 1
      return SensorStatus(next)
    }
    guard (try? await session.clock.sleep(for: Self.pollInterval)) != nil else {
      throw CentralError(.cancelled)
    }
    return try await readStatus(for: feed)
  }

  /// Ends the attempt if the sensor refused since `mark`.
  func throwRefusal(in feed: StatusFeed, since mark: Int) async throws(AttemptFailure) {
    guard
      let refusal = feed.existing(
        since: mark, of: RoboSensor.Attribute.status, where: { SensorStatus($0).isError })
    else { return }
    let text = SensorStatus(refusal).text
    await session.received(text, as: .refusal)
    throw AttemptFailure(.refused(stage: .write, deviceText: text))
  }

  /// Steps 5 and 6: submits `SAVE` and waits for `saved`, a refusal, or the end of the link. After the
  /// submission no error is a failure yet: the result of this function carries it. A refusal always counts,
  /// also one that comes with the loss of the link, or after `saved`.
  /// - Parameter mark: the mark in the feed before the first write.
  func save(_ feed: StatusFeed, since mark: Int) async throws(AttemptFailure) -> Submission {
    // The last status before any write: the same status read again is no response.
    let before = feed.lastRead(RoboSensor.Attribute.status).map { SensorStatus($0) }
    let submittedAt = try await session.submit()
    var submission = Submission(at: submittedAt, acknowledgement: nil)
    do throws(AttemptFailure) {
      let answer = try await session.stage(.save) { () throws(CentralError) in
        try await link.write(Array("SAVE".utf8), to: command, .withResponse)
        return try await waitForAnswer(in: feed, since: mark, submittedAt: submittedAt, before: before)
      }
      await take(answer, &submission)
      if answer == .saved { await waitForReboot() }
    } catch {
      submission.problem = error.reason
      // The response and the reboot can come within milliseconds of each other, in either order.
      if let answer = await lateAnswer(in: feed, since: mark, submittedAt: submittedAt) {
        await take(answer, &submission)
      }
    }
    if submission.acknowledgement != nil,
      let refusal = feed.existing(since: mark, of: RoboSensor.Attribute.status, where: Self.isError)
    {
      await take(SensorStatus(refusal), &submission)
    }
    return submission
  }

  /// Takes the sensor's response to the save.
  private func take(_ answer: SensorStatus, _ submission: inout Submission) async {
    await session.received(answer.text, as: answer == .saved ? .saved : .refusal)
    if answer == .saved {
      submission.acknowledgement = .savedStatus
    } else {
      submission.acknowledgement = nil
      submission.problem = .refused(stage: .save, deviceText: answer.text)
    }
  }

  private static let isError = { @Sendable (value: CharacteristicNotification) in SensorStatus(value).isError
  }

  /// Whether a notification answers the save: an error in any case, `saved` only after the submission.
  private static func answers(
    _ submittedAt: MonotonicInstant
  ) -> @Sendable (CharacteristicNotification) -> Bool {
    { value in
      let status = SensorStatus(value)
      return status.isError || status == .saved && value.receivedAt >= submittedAt
    }
  }

  /// The sensor's response to `SAVE`: `saved` or an error.
  private func waitForAnswer(
    in feed: StatusFeed, since mark: Int, submittedAt: MonotonicInstant, before: SensorStatus?
  ) async throws(CentralError) -> SensorStatus {
    while true {
      if feed.isFollowing(RoboSensor.Attribute.status) {
        let notified = await feed.first(
          since: mark, of: RoboSensor.Attribute.status, where: Self.answers(submittedAt))
        guard let notified else { throw CentralError(Task.isCancelled ? .cancelled : .disconnected) }
        return SensorStatus(notified)
      }
      // Read at once: the status is lost with the reboot, a moment later.
      let status = try await readStatus(for: feed)
      if status.isAnswer, status != before { return status }
      guard (try? await session.clock.sleep(for: Self.pollInterval)) != nil else {
        throw CentralError(.cancelled)
      }
    }
  }

  /// The response that arrived, or still arrives before the feed ends: a notification from before the end of
  /// the link may be delivered after it.
  private func lateAnswer(
    in feed: StatusFeed, since mark: Int, submittedAt: MonotonicInstant
  ) async -> SensorStatus? {
    let answers = Self.answers(submittedAt)
    if let answer = feed.existing(since: mark, of: RoboSensor.Attribute.status, where: answers) {
      return SensorStatus(answer)
    }
    guard feed.isFollowing(RoboSensor.Attribute.status) else { return nil }
    let raced = await race(.seconds(1), on: session.clock) { () throws(CentralError) in
      await feed.first(since: mark, of: RoboSensor.Attribute.status, where: answers)
    }
    guard case .value(let answer) = raced else { return nil }
    return answer.map { SensorStatus($0) }
  }

  /// After `saved` the sensor reboots, which ends the link at no cost; a `Disconnect` takes 2 s.
  private func waitForReboot() async {
    _ = await race(.seconds(3), on: session.clock) { () throws(CentralError) in
      await link.disconnection()
    }
  }
}

/// A value of the status characteristic.
enum SensorStatus: Hashable, Sendable {
  case ready
  case saved
  case error(String)
  case other(String)

  init(_ text: String) {
    // Compared byte by byte: in a String, a combining character after the colon would be part of it.
    let bytes = text.utf8
    if bytes.elementsEqual("ready".utf8) {
      self = .ready
    } else if bytes.elementsEqual("saved".utf8) {
      self = .saved
    } else if bytes.starts(with: "error:".utf8) {
      self = .error(text)
    } else {
      self = .other(text)
    }
  }

  init(_ value: [UInt8]) { self.init(String(decoding: value, as: UTF8.self)) }

  init(_ notification: CharacteristicNotification) { self.init(notification.value) }

  var text: String {
    switch self {
    case .ready: "ready"
    case .saved: "saved"
    case .error(let text), .other(let text): text
    }
  }

  var isError: Bool { if case .error = self { true } else { false } }
  var isAnswer: Bool { self == .saved || isError }

  /// The meaning before any write: an error or `saved` is left from an earlier attempt.
  var meaningBeforeWriting: StatusMeaning {
    switch self {
    case .ready: .ready
    case .saved, .error: .stale
    case .other: .other
    }
  }
}
