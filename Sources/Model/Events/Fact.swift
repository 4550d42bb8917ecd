package import Bluetooth

/// The events of a run, in the past tense. A new one is a payload that conforms to `FactPayload`, a case here
/// and its row below; the compiler then names every `switch` that must handle it.
package enum Fact: Hashable, Sendable {
  case runStarted(RunStarted)
  /// No adapter could be used; the run waits for one.
  case adapterAwaited(AdapterAwaited)
  /// The run began to use an adapter.
  case adapterSelected(AdapterSelected)
  /// An adapter receives nothing, or the stack refuses to scan with it.
  case adapterFaulted(AdapterFault)
  /// The run ended a link that an earlier run had left behind.
  case linkReleased(LinkReleased)
  /// Another program scans with an adapter in use.
  case foreignScanDetected(ForeignScanDetected)
  /// A scan window began.
  case scanStarted(ScanPeriod)
  /// A scan window ended.
  case scanStopped(ScanPeriod)
  /// A device was received for the first time, or in another state than before.
  case deviceSighted(DeviceSighted)
  /// **Intent.** A room got a device; on record before the first byte is written.
  case bindingCommitted(BindingCommitted)
  /// A binding ended.
  case bindingReleased(BindingReleased)
  /// A room was taken out of service.
  case roomRetired(RoomRetired)
  /// A person accepted a room as it is.
  case roomAccepted(RoomAccepted)
  /// The verification of the building produced a finding for a room.
  case roomVerified(RoomVerified)
  /// The host was paused, or its clock was set.
  case hostPaused(HostPause)
  /// A room waits for an operator action, such as pressing a button; the run continues meanwhile.
  case operatorAwaited(OperatorAwaited)
  /// The operator asked the run to pause, to resume, or to stop.
  case operatorRequested(OperatorRequested)
  case attemptStarted(AttemptStarted)
  case stageStarted(StageStarted)
  case stageEnded(StageEnded)
  /// The device sent a status.
  case statusReceived(StatusReceived)
  /// The settings that the device holds were read.
  case settingsRead(SettingsRead)
  /// The WiFi networks that a device receives were compared with the one that it is to join.
  case wifiChecked(WiFiChecked)
  /// A device got the time since an action.
  case elapsedSent(ElapsedSent)
  /// The device confirmed a setting.
  case settingWritten(SettingWritten)
  /// **Intent.** The device is about to be asked to save.
  case saveSubmitted(SaveSubmitted)
  case linkEnded(LinkEnded)
  /// The proof was received.
  case proofReceived(ProofReceived)
  case attemptEnded(AttemptEnded)
  case retryScheduled(RetryScheduled)
  /// The result of the first rooms of each network was decided.
  case canariesJudged(CanariesJudged)
  /// A device that could be provisioned was received, and no room claims it.
  case deviceUnclaimed(DeviceUnclaimed)
  case roomFinished(RoomFinished)
  /// The run must stop early.
  case runInterrupted(RunInterrupted)
  case runFinished(RunFinished)
}

extension Fact {
  /// Every kind of fact: its frozen name in records, and the conversions between payload and fact.
  private static let rows: [Row] = [
    Row("run_started", Fact.runStarted) { if case .runStarted(let data) = $0 { data } else { nil } },
    Row("adapter_awaited", Fact.adapterAwaited) {
      if case .adapterAwaited(let data) = $0 { data } else { nil }
    },
    Row("adapter_selected", Fact.adapterSelected) {
      if case .adapterSelected(let data) = $0 { data } else { nil }
    },
    Row("adapter_faulted", Fact.adapterFaulted) {
      if case .adapterFaulted(let data) = $0 { data } else { nil }
    },
    Row("link_released", Fact.linkReleased) { if case .linkReleased(let data) = $0 { data } else { nil } },
    Row("foreign_scan_detected", Fact.foreignScanDetected) {
      if case .foreignScanDetected(let data) = $0 { data } else { nil }
    },
    Row("scan_started", Fact.scanStarted) {
      if case .scanStarted(let data) = $0 { data } else { nil }
    },
    Row("scan_stopped", Fact.scanStopped) {
      if case .scanStopped(let data) = $0 { data } else { nil }
    },
    Row("device_sighted", Fact.deviceSighted) { if case .deviceSighted(let data) = $0 { data } else { nil } },
    Row("binding_committed", Fact.bindingCommitted) {
      if case .bindingCommitted(let data) = $0 { data } else { nil }
    },
    Row("binding_released", Fact.bindingReleased) {
      if case .bindingReleased(let data) = $0 { data } else { nil }
    },
    Row("room_retired", Fact.roomRetired) { if case .roomRetired(let data) = $0 { data } else { nil } },
    Row("room_accepted", Fact.roomAccepted) { if case .roomAccepted(let data) = $0 { data } else { nil } },
    Row("room_verified", Fact.roomVerified) { if case .roomVerified(let data) = $0 { data } else { nil } },
    Row("host_paused", Fact.hostPaused) { if case .hostPaused(let data) = $0 { data } else { nil } },
    Row("operator_awaited", Fact.operatorAwaited) {
      if case .operatorAwaited(let data) = $0 { data } else { nil }
    },
    Row("operator_requested", Fact.operatorRequested) {
      if case .operatorRequested(let data) = $0 { data } else { nil }
    },
    Row("attempt_started", Fact.attemptStarted) {
      if case .attemptStarted(let data) = $0 { data } else { nil }
    },
    Row("stage_started", Fact.stageStarted) { if case .stageStarted(let data) = $0 { data } else { nil } },
    Row("stage_ended", Fact.stageEnded) { if case .stageEnded(let data) = $0 { data } else { nil } },
    Row("status_received", Fact.statusReceived) {
      if case .statusReceived(let data) = $0 { data } else { nil }
    },
    Row("settings_read", Fact.settingsRead) { if case .settingsRead(let data) = $0 { data } else { nil } },
    Row("wifi_checked", Fact.wifiChecked) { if case .wifiChecked(let data) = $0 { data } else { nil } },
    Row("elapsed_sent", Fact.elapsedSent) { if case .elapsedSent(let data) = $0 { data } else { nil } },
    Row("setting_written", Fact.settingWritten) {
      if case .settingWritten(let data) = $0 { data } else { nil }
    },
    Row("save_submitted", Fact.saveSubmitted) { if case .saveSubmitted(let data) = $0 { data } else { nil } },
    Row("link_ended", Fact.linkEnded) { if case .linkEnded(let data) = $0 { data } else { nil } },
    Row("proof_received", Fact.proofReceived) { if case .proofReceived(let data) = $0 { data } else { nil } },
    Row("attempt_ended", Fact.attemptEnded) { if case .attemptEnded(let data) = $0 { data } else { nil } },
    Row("retry_scheduled", Fact.retryScheduled) {
      if case .retryScheduled(let data) = $0 { data } else { nil }
    },
    Row("canaries_judged", Fact.canariesJudged) {
      if case .canariesJudged(let data) = $0 { data } else { nil }
    },
    Row("device_unclaimed", Fact.deviceUnclaimed) {
      if case .deviceUnclaimed(let data) = $0 { data } else { nil }
    },
    Row("room_finished", Fact.roomFinished) { if case .roomFinished(let data) = $0 { data } else { nil } },
    Row("run_interrupted", Fact.runInterrupted) {
      if case .runInterrupted(let data) = $0 { data } else { nil }
    },
    Row("run_finished", Fact.runFinished) { if case .runFinished(let data) = $0 { data } else { nil } },
  ]

  private static let rowsByName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })

  private struct Row: Sendable {
    let name: String
    let payload: @Sendable (Fact) -> (any FactPayload)?
    let decode: @Sendable ((any Decodable.Type) throws -> any Decodable) throws -> Fact

    init<Payload: FactPayload>(
      _ name: String, _ fact: @escaping @Sendable (Payload) -> Fact,
      _ payload: @escaping @Sendable (Fact) -> Payload?
    ) {
      self.name = name
      self.payload = payload
      decode = { decode in
        guard let data = try decode(Payload.self) as? Payload else {
          preconditionFailure("decode(_:) returned a value of another type")
        }
        return fact(data)
      }
    }
  }

  private var row: (name: String, payload: any FactPayload) {
    for row in Self.rows {
      if let payload = row.payload(self) { return (row.name, payload) }
    }
    preconditionFailure("no row in Fact.rows for this fact: \(self)")
  }

  /// The fact of this kind with the payload that `decode` returns for its type.
  package init(kind: Kind, decode: (any Decodable.Type) throws -> any Decodable) throws {
    guard let row = Self.rowsByName[kind.rawValue] else { preconditionFailure("the kind has no row") }
    self = try row.decode(decode)
  }

  /// The machine name of a kind of fact; always one of `allCases`.
  package struct Kind: RawRepresentable, Hashable, Sendable, Codable, CaseIterable, ExpressibleByStringLiteral
  {
    package let rawValue: String

    /// The kind with this name; nil when there is none.
    package init?(rawValue: String) {
      guard rowsByName[rawValue] != nil else { return nil }
      self.rawValue = rawValue
    }

    /// The kind with this name. An unknown name is a bug and traps.
    package init(stringLiteral name: String) {
      guard let kind = Self(rawValue: name) else { preconditionFailure("no kind of fact: \(name)") }
      self = kind
    }

    fileprivate init(known name: String) {
      rawValue = name
    }

    /// All kinds, in the order of the rows.
    package static let allCases = rows.map { Kind(known: $0.name) }
  }

  package var kind: Kind { Kind(known: row.name) }
  package var payload: any FactPayload { row.payload }
  /// When the fact must be on disk.
  package var durability: Durability { type(of: payload).durability }
  /// The room; nil for a fact about the run.
  package var room: RoomID? { payload.subject.room }
  /// The device; nil for a fact without one.
  package var address: BluetoothAddress? { payload.subject.address }
  /// The number of the attempt; nil outside an attempt, or in a record that does not have it.
  package var attempt: Int? { payload.subject.attempt }
}
