package import Bluetooth
package import Model
import Waiting

/// One attempt at one device, for the GATT session of a family: the operations of the link in stages, each
/// with its timeout and its events.
package struct DeviceSession: Sendable {
  /// The room whose settings are written.
  package let room: Room
  package let address: BluetoothAddress
  package let adapter: AdapterID
  package let clock: any TimeSource
  /// The number of the attempt at the device, from 1.
  package let attempt: Int

  /// The action whose time the device needs: the operator's key, or the beginning of this session.
  package let action: (at: MonotonicInstant, source: ActionSource)
  /// This many random bytes for keys: unpredictable in production.
  package let randomBytes: @Sendable (Int) -> [UInt8]
  /// The last write of earlier runs to this device for this room; nil without one.
  package let recorded: RecordedSettings?

  /// The highest security that earlier sessions with the device had; nil without one.
  package let leastSecurity: Int?
  /// Whether the record has a bond with the device that the adapter's host keeps, and that a passkey protects.
  let hasProtectedBond: Bool

  let central: any Central
  package let coordinator: Coordinator
  package let progress: AttemptProgress
  /// Whether the operator permits to write the device whatever it holds.
  package let mayOverwrite: Bool
  /// Called when the stack reports the link, before it confirms it.
  let linked: @Sendable () -> Void
  /// Called when the stack has confirmed the link.
  let answered: @Sendable () async -> Void
  /// Called before the first setting is sent; returns why none may be, or nil.
  let forbidden: @Sendable () async -> FailureReason?
  /// Called for every advertisement while this session searches.
  let receive: @Sendable (Advertisement) async -> Void
  /// The beginning of the session, and the end that cuts off each stage; nil without one.
  private let began: MonotonicInstant
  private var end: MonotonicInstant?

  package init(
    room: Room, address: BluetoothAddress, adapter: AdapterID, attempt: Int, central: any Central,
    coordinator: Coordinator, clock: any TimeSource, action: MonotonicInstant? = nil,
    recorded: RecordedSettings? = nil, leastSecurity: Int? = nil, hasProtectedBond: Bool = false,
    mayOverwrite: Bool = false,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    linked: @escaping @Sendable () -> Void = {}, answered: @escaping @Sendable () async -> Void = {},
    forbidden: @escaping @Sendable () async -> FailureReason? = { nil },
    receive: @escaping @Sendable (Advertisement) async -> Void = { _ in }
  ) {
    self.room = room
    self.address = address
    self.adapter = adapter
    self.attempt = attempt
    self.central = central
    self.coordinator = coordinator
    self.clock = clock
    began = clock.now
    self.action = action.map { ($0, .key) } ?? (began, .session)
    (self.recorded, self.leastSecurity) = (recorded, leastSecurity)
    self.hasProtectedBond = hasProtectedBond
    self.randomBytes = randomBytes
    self.mayOverwrite = mayOverwrite
    self.linked = linked
    self.answered = answered
    self.forbidden = forbidden
    self.receive = receive
    progress = AttemptProgress()
  }

  /// This session with an end, counted from its beginning, for all later stages.
  package func lasting(_ duration: Duration) -> Self {
    var copy = self
    copy.end = began.advanced(by: duration)
    return copy
  }

  /// Whether the device may get the settings of this room, by those it holds now.
  /// - Parameter held: the settings that identify the room.
  package func mayWrite(over held: [SettingName: SettingValue]) -> Bool {
    if mayOverwrite || recorded?.isSubmitted == true { return true }
    return held.allSatisfy { name, value in
      value == room.settings[name] || value == recorded?.values[name]
    }
  }

  /// Stage `search`: scans until the device is received and recognised as one of its family.
  package func search() async throws(AttemptFailure) {
    let (central, address, adapter, receive, room) = (central, address, adapter, receive, room)
    let seen = OneShot<FailureReason>()
    let window = ScanPeriod(adapter: adapter, purpose: .sighting, room: room.id)
    coordinator.note(.scanStarted(window))
    var failure: AttemptFailure?
    do throws(AttemptFailure) {
      try await stage(.search) { () throws(CentralError) in
        try await central.scan(on: adapter) { (advertisements) throws(CentralError) in
          for try await advertisement in advertisements {
            await receive(advertisement)
            guard advertisement.address == address else { continue }
            if room.family.recognise(advertisement) != nil { return }
            if let failure = advertisement.contentFailure {
              seen.fulfill(.contentHidden(stackText: failure.stackText ?? "\(failure.code)"))
            } else if advertisement.hasContent {
              seen.fulfill(.notRecognised)
            }
          }
          throw CentralError(.cancelled)
        }
      }
    } catch {
      failure = error
    }
    coordinator.note(.scanStopped(window))
    guard let failure else { return }
    guard failure.reason.code == .neverReceived, let reason = seen.peeked else { throw failure }
    throw AttemptFailure(reason)
  }

  package func connect() async throws(AttemptFailure) -> any Peripheral {
    let link: any Peripheral
    if let method = room.pairing {
      link = try await pair(by: method)
    } else {
      let (central, address, adapter, linked) = (central, address, adapter, linked)
      link = try await stage(.connect) { () throws(CentralError) in
        try await central.connect(to: address, on: adapter, linked: linked)
      }
    }
    await progress.hold(link)
    await answered()
    return link
  }

  /// The most round trips that a stage makes one after the other: a connection asks for the state of the link, too.
  private static let roundTrips = 4

  /// What the network to the adapter's host may add to a stage; nothing on this computer.
  var hostDelay: Duration {
    get async {
      guard adapter.host != nil, let lag = await central.roundTrip(to: adapter.host) else { return .zero }
      return lag * Self.roundTrips
    }
  }

  /// Runs a stage with its timeout, and records its start and end.
  /// - Parameter extra: the time that it may take in addition.
  /// - Throws: what the session saw; a timeout is `connectTimedOut` or `stageTimedOut`. The run decides whether the
  ///   host caused it.
  package func stage<Value: Sendable>(
    _ stage: Stage, setting: SettingName? = nil, adding extra: Duration = .zero,
    _ body: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(AttemptFailure) -> Value {
    let began = clock.now
    let usual = room.timeouts[stage] + extra + (await hostDelay)
    let timeout = end.map { min(usual, began.duration(to: $0)) } ?? usual
    coordinator.note(
      .stageStarted(
        .init(room: room.id, attempt: attempt, stage: stage, setting: setting, timeout: timeout.inSeconds)))
    let raced = timeout > .zero ? await race(timeout, on: clock, body) : .timedOut
    let result: Result<Value, AttemptFailure> =
      switch raced {
      case .value(let value): .success(value)
      case .failed(let error):
        .failure(AttemptFailure(.init(judged(error), stage: stage, setting: setting)))
      case .timedOut:
        .failure(AttemptFailure(.init(timeoutOf: stage, setting: setting, seconds: timeout.inSeconds)))
      }
    let failure: FailureReason? = if case .failure(let failure) = result { failure.reason } else { nil }
    coordinator.note(
      .stageEnded(
        .init(
          room: room.id, attempt: attempt, stage: stage, setting: setting,
          seconds: began.duration(to: clock.now).inSeconds, failure: failure)
      ))
    return try result.get()
  }

  /// A device that is paired already, and demands it, demands another way.
  private func judged(_ error: CentralError) -> CentralError {
    guard room.pairs, error.code == .pairingRequired else { return error }
    return CentralError(.pairing(.unsuitable), stackText: error.stackText)
  }

  /// Stage `write`: writes the settings of one characteristic. With response, they count as written once
  /// confirmed.
  package func write(
    _ bytes: [UInt8], of settings: [SettingName], to characteristic: RemoteCharacteristic,
    over link: any Peripheral, _ kind: WriteKind = .withResponse
  ) async throws(AttemptFailure) {
    try await sending(settings) { () throws(CentralError) in
      try await link.write(bytes, to: characteristic, kind)
    }
    if kind == .withResponse { await confirmWritten(settings, bytes: bytes.count) }
  }

  /// Stage `write`: sends settings in the way of the family; the caller confirms them (`confirmWritten`). Before the first
  /// ones it asks whether the room's settings may be sent.
  package func sending<Value: Sendable>(
    _ settings: [SettingName], _ send: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(AttemptFailure) -> Value {
    if await progress.sent.isEmpty, let reason = await forbidden() { throw AttemptFailure(reason) }
    await progress.send(settings)
    do throws(AttemptFailure) {
      return try await stage(.write, setting: settings.first, send)
    } catch {
      // Only its own refusal shows that the device did not take them.
      if error.reason.isATTError { await rejected(settings) }
      throw error
    }
  }

  /// The device did not take settings that were sent.
  package func rejected(_ settings: [SettingName]) async { await progress.reject(settings) }

  /// Counts settings as written: the device has confirmed them.
  /// - Parameter bytes: the number of bytes written, for the record.
  package func confirmWritten(_ settings: [SettingName], bytes: Int? = nil) async {
    // The length of a secret is part of the secret, also within a longer value.
    let shown = settings.contains { room.settings[$0]?.shown == nil } ? nil : bytes
    for setting in settings {
      await progress.confirm(setting)
      coordinator.note(
        .settingWritten(.init(room: room.id, attempt: attempt, setting: setting, bytes: shown)))
    }
  }

  /// Stage `read`: reads a characteristic.
  package func read(
    _ setting: SettingName, from characteristic: RemoteCharacteristic, over link: any Peripheral
  ) async throws(AttemptFailure) -> [UInt8] {
    try await stage(.read, setting: setting) { () throws(CentralError) in
      try await link.read(characteristic)
    }
  }

  /// Records the settings that the device held before any write.
  package func found(_ settings: [HeldSetting]) async {
    coordinator.note(.settingsRead(.init(room: room.id, attempt: attempt, settings: settings)))
  }

  /// Records whether the device receives the WiFi network that it is to join.
  package func checked(_ ssid: String, _ result: WiFiCheckResult, _ networks: [FoundNetwork] = []) async {
    coordinator.note(
      .wifiChecked(
        .init(room: room.id, attempt: attempt, ssid: ssid, result: result, networks: networks)))
  }

  /// Records what the device reports of itself.
  package func describe(_ details: [DeviceDetail]) {
    let known = details.filter { !$0.value.isEmpty }.map { DeviceDetail($0.name, $0.value.bounded()) }
    guard !known.isEmpty else { return }
    coordinator.note(.deviceDescribed(.init(room: room.id, attempt: attempt, details: known)))
  }

  /// Records the security of this session: no later one with the device may have less.
  package func secured(by security: Int) async {
    await progress.secure(by: security)
    describe([DeviceDetail(.security, "\(security)")])
  }

  /// Records that the attempt waits for an operator action at the device.
  package func awaitOperator(_ reason: FailureReason) {
    coordinator.note(.operatorAwaited(.init(room: room.id, reason: reason)))
  }

  /// Counts settings as proved: a read showed that the device holds them.
  package func confirmReadBack(_ settings: [SettingName]) async {
    await progress.confirmReadBack(settings)
  }

  /// Records the elapsed time that the device gets.
  package func sends(_ byte: UInt8, for elapsed: Duration) async {
    coordinator.note(
      .elapsedSent(
        .init(room: room.id, attempt: attempt, seconds: elapsed.inSeconds, byte: byte, since: action.source)))
  }

  /// Records that the device is about to be asked to save. Returns when that is on disk, with the instant
  /// from which a proof counts.
  /// - Throws: `recordUnwritable`, and `stageTimedOut` when the time of the session is over: then nothing may
  ///   be submitted.
  package func submit() async throws(AttemptFailure) -> MonotonicInstant {
    if Task.isCancelled { throw AttemptFailure(.interrupted(.during(FailedStep(.save)))) }
    if let end, clock.now >= end { throw AttemptFailure(.stageTimedOut(FailedStep(.write))) }
    do throws(RecordFailure) {
      try await coordinator.commit(.saveSubmitted(.init(room: room.id, attempt: attempt, address: address)))
    } catch {
      throw AttemptFailure(.recordUnwritable(.during(FailedStep(.save))))
    }
    let now = clock.now
    await progress.submit(at: now)
    return now
  }

  /// Records a status of the device. After `mostStatuses` in an attempt, only statuses that decide the
  /// attempt are recorded.
  package func received(_ text: String, as meaning: StatusMeaning) async {
    let count = await progress.take(meaning)
    guard count < Self.mostStatuses || [.accepted, .notAccepted, .saved, .refusal].contains(meaning) else {
      if count == Self.mostStatuses {
        note("further statuses of this attempt are not recorded", as: meaning)
      }
      return
    }
    note(text.bounded(), as: meaning)
  }

  /// The device shows that it carries out no command of another client.
  package func excludesEarlierCommands() async { await progress.excludeEarlierCommands() }

  /// The most statuses of an attempt that are recorded.
  private static let mostStatuses = 100

  private func note(_ text: String, as meaning: StatusMeaning) {
    coordinator.note(.statusReceived(.init(room: room.id, attempt: attempt, text: text, meaning: meaning)))
  }

  /// Runs `body` with a feed, and a child task that fills it from its subscription; the task ends with
  /// `body`.
  package func withStatusFeed<Value: Sendable>(
    _ body: @Sendable (StatusFeed) async throws(AttemptFailure) -> Value
  ) async throws(AttemptFailure) -> Value {
    try await StatusFeed.run(body)
  }
}

extension Array {
  /// Its elements, in pieces of this length; the last one may be shorter.
  package func pieces(of length: Int) -> [[Element]] {
    stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
  }
}
