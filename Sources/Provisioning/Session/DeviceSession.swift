public import Bluetooth

/// One attempt at one device, as a profile's conversation sees it: stages with their timeouts, each on
/// record, around the operations of the link.
public struct DeviceSession: Sendable {
  /// The room whose settings are written.
  public let room: Room
  /// The device they are written to.
  public let address: BluetoothAddress
  /// The adapter in use.
  public let adapter: AdapterID
  /// The clock.
  public let clock: any TimeSource

  let central: any Central
  let coordinator: Coordinator
  let progress: AttemptProgress
  let redactor: Redactor

  init(
    room: Room, address: BluetoothAddress, adapter: AdapterID, central: any Central,
    coordinator: Coordinator, clock: any TimeSource, redactor: Redactor
  ) {
    self.room = room
    self.address = address
    self.adapter = adapter
    self.central = central
    self.coordinator = coordinator
    self.clock = clock
    progress = AttemptProgress()
    self.redactor = redactor
  }

  /// Stage `connect`.
  public func connect() async throws(AttemptFailure) -> any Peripheral {
    let (central, address, adapter) = (central, address, adapter)
    let link = try await stage(.connect) { () throws(CentralError) in
      try await central.connect(to: address, on: adapter)
    }
    await progress.hold(link)
    return link
  }

  /// Runs a stage against its timeout, on record from beginning to end.
  /// - Throws: why it failed; a timeout is `connectTimedOut` or `stageTimedOut`.
  public func stage<Value: Sendable>(
    _ stage: Stage, setting: SettingName? = nil,
    _ body: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(AttemptFailure) -> Value {
    let timeout = room.timeouts[stage]
    let began = clock.now
    await coordinator.note(
      .stageStarted(.init(room: room.id, stage: stage, setting: setting, timeout: timeout.inSeconds)))
    let raced = await race(timeout, on: clock, body)
    let failure: FailureReason? =
      switch raced {
      case .value: nil
      case .failed(let error):
        FailureReason(await explained(error), stage: stage, setting: setting).redacted(by: redactor)
      case .timedOut:
        FailureReason(
          stage == .connect ? .connectTimedOut : .stageTimedOut, stage: stage, setting: setting,
          seconds: timeout.inSeconds)
      }
    let seconds = began.duration(to: clock.now).inSeconds
    await coordinator.note(
      .stageEnded(.init(room: room.id, stage: stage, setting: setting, seconds: seconds, failure: failure)))
    guard case .value(let value) = raced else {
      throw AttemptFailure(failure ?? FailureReason(.stackError))
    }
    return value
  }

  /// The better reason for a lost link: that its adapter or the stack went away, which is not the device's doing.
  private func explained(_ error: CentralError) async -> CentralError {
    guard error.code == .disconnected, let link = await progress.link else { return error }
    let end = await race(.seconds(1), on: clock) { () throws(CentralError) in await link.disconnection() }
    guard case .value(let disconnection?) = end else { return error }
    switch disconnection.cause {
    case .adapterLost: return CentralError(.adapterUnavailable(.absent), stackText: error.stackText)
    case .stackLost: return CentralError(.stackUnavailable, stackText: error.stackText)
    case .remote, .local: return error
    }
  }

  /// Stage `write`: writes a setting with response, and counts it as written once confirmed.
  public func write(
    _ bytes: [UInt8], of setting: SettingName, to characteristic: RemoteCharacteristic,
    over link: any Peripheral
  ) async throws(AttemptFailure) {
    try await stage(.write, setting: setting) { () throws(CentralError) in
      try await link.write(bytes, to: characteristic, .withResponse)
    }
    await progress.confirm(setting)
    // How long a secret is, is part of it.
    let shown = room.settings[setting]?.shown == nil ? nil : bytes.count
    await coordinator.note(.settingWritten(.init(room: room.id, setting: setting, bytes: shown)))
  }

  /// Puts on record that the device is about to be asked to keep what was written. Only when that is on disk
  /// does this return, with the instant from which proof counts.
  /// - Throws: `recordUnwritable`: then nothing may be submitted.
  public func submit() async throws(AttemptFailure) -> MonotonicInstant {
    if Task.isCancelled { throw AttemptFailure(.init(.interrupted, stage: .save)) }
    do throws(RecordFailure) {
      try await coordinator.commit(.saveSubmitted(.init(room: room.id, address: address)))
    } catch {
      throw AttemptFailure(.init(.recordUnwritable, stage: .save))
    }
    let now = clock.now
    await progress.submit(at: now)
    return now
  }

  /// Puts the device's own words on record, secrets taken out.
  public func heard(_ text: String, as meaning: StatusMeaning) async {
    await coordinator.note(.statusReceived(.init(room: room.id, text: redactor(text), meaning: meaning)))
  }

  /// Runs `body` with a feed, and a pump that fills it with what the feed is told to follow; the pump ends
  /// with `body`.
  public func withStatusFeed<Value: Sendable>(
    _ body: @Sendable (StatusFeed) async throws(AttemptFailure) -> Value
  ) async throws(AttemptFailure) -> Value {
    let feed = StatusFeed()
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { await feed.pump() }
      defer { group.cancelAll() }
      do throws(AttemptFailure) {
        return Result<Value, AttemptFailure>.success(try await body(feed))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
