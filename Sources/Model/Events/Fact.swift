public import Bluetooth

/// What can happen in a run, in the past tense. A new one is a payload that conforms to `FactPayload`, a case here and its
/// row below; the compiler then names every projection that must learn it.
public enum Fact: Hashable, Sendable {
  /// The run began.
  case runStarted(RunStarted)
  /// No adapter could be used; the run waits for one.
  case adapterAwaited(AdapterAwaited)
  /// An adapter was taken into use.
  case adapterSelected(AdapterSelected)
  /// An adapter hears nothing, or the stack refuses to scan with it.
  case adapterFaulted(AdapterFault)
  /// A link was ended that an earlier run had left behind.
  case linkReleased(LinkReleased)
  /// Another program was found to scan with an adapter in use.
  case foreignScanDetected(ForeignScanDetected)
  /// An adapter began to listen.
  case listeningStarted(Listening)
  /// An adapter stopped listening.
  case listeningStopped(Listening)
  /// A device was heard for the first time, or in another life than before.
  case deviceSighted(DeviceSighted)
  /// **Intent.** A room and a device were joined; on record before the first byte is written.
  case bindingCommitted(BindingCommitted)
  /// A room and a device are no longer joined.
  case bindingReleased(BindingReleased)
  /// A room was taken out of service.
  case roomRetired(RoomRetired)
  /// Somebody accepted a room as it is.
  case roomAccepted(RoomAccepted)
  /// What was heard of a room's device when the building was verified.
  case roomVerified(RoomVerified)
  /// The host did nothing for a while, or its clock was set.
  case hostPaused(HostPause)
  /// A room waits until somebody did something for it, such as pressing a button; the run goes on meanwhile.
  case actionRequired(ActionRequired)
  /// The operator asked the run to pause, to go on, or to stop.
  case operatorRequested(OperatorRequested)
  /// An attempt began.
  case attemptStarted(AttemptStarted)
  /// A stage of an attempt began.
  case stageStarted(StageStarted)
  /// A stage of an attempt ended.
  case stageEnded(StageEnded)
  /// The device said something about its status.
  case statusReceived(StatusReceived)
  /// What the device holds was read.
  case settingsRead(SettingsRead)
  /// A device said whether it receives the WiFi network that it is to join.
  case wifiChecked(WiFiChecked)
  /// The device is told how long ago an action was.
  case elapsedSent(ElapsedSent)
  /// The device confirmed a setting.
  case settingWritten(SettingWritten)
  /// **Intent.** The device is about to be asked to keep what was written.
  case saveSubmitted(SaveSubmitted)
  /// The link ended.
  case linkEnded(LinkEnded)
  /// The proof was heard on air.
  case proofHeard(ProofHeard)
  /// An attempt ended.
  case attemptEnded(AttemptEnded)
  /// Another attempt will follow.
  case retryScheduled(RetryScheduled)
  /// The first rooms of each network were shown to somebody, who said whether the rest is to follow.
  case canariesJudged(CanariesJudged)
  /// A device that could be provisioned was heard, and no room claims it.
  case deviceUnclaimed(DeviceUnclaimed)
  /// A room got its outcome.
  case roomFinished(RoomFinished)
  /// Somebody or something asked the run to stop.
  case runInterrupted(RunInterrupted)
  /// The run ended.
  case runFinished(RunFinished)
}

extension Fact {
  /// Every kind of fact: the name that it has in records, frozen, and how payload and fact become each other.
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
    Row("listening_started", Fact.listeningStarted) {
      if case .listeningStarted(let data) = $0 { data } else { nil }
    },
    Row("listening_stopped", Fact.listeningStopped) {
      if case .listeningStopped(let data) = $0 { data } else { nil }
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
    Row("action_required", Fact.actionRequired) {
      if case .actionRequired(let data) = $0 { data } else { nil }
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
    Row("proof_heard", Fact.proofHeard) { if case .proofHeard(let data) = $0 { data } else { nil } },
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
          preconditionFailure("decoded another type")
        }
        return fact(data)
      }
    }
  }

  private var row: (name: String, payload: any FactPayload) {
    for row in Self.rows {
      if let payload = row.payload(self) { return (row.name, payload) }
    }
    preconditionFailure("a fact without a row in Fact.rows: \(self)")
  }

  /// The fact of this kind with the payload that `decode` makes of its type.
  package init(kind: Kind, decode: (any Decodable.Type) throws -> any Decodable) throws {
    guard let row = Self.rowsByName[kind.rawValue] else { preconditionFailure("a kind without a row") }
    self = try row.decode(decode)
  }

  /// The machine name of a kind of fact. There are no others than in `allCases`.
  public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CaseIterable, ExpressibleByStringLiteral
  {
    /// The name.
    public let rawValue: String

    /// The kind with this name; nil when there is none.
    public init?(rawValue: String) {
      guard rowsByName[rawValue] != nil else { return nil }
      self.rawValue = rawValue
    }

    /// The kind with this name. One that does not exist is a bug of ours and traps.
    public init(stringLiteral name: String) {
      guard let kind = Self(rawValue: name) else { preconditionFailure("no kind of fact: \(name)") }
      self = kind
    }

    fileprivate init(known name: String) {
      rawValue = name
    }

    /// All kinds, in the order of `Fact`'s cases.
    public static let allCases = rows.map { Kind(known: $0.name) }
  }

  /// Its machine name.
  public var kind: Kind { Kind(known: row.name) }
  /// What is recorded of it.
  public var payload: any FactPayload { row.payload }
  /// Whether the run waits until it is on disk.
  public var durability: Durability { type(of: payload).durability }
  /// The room it is about, or nil when it is about the run.
  public var room: RoomID? { payload.subject.room }
  /// The device it is about, or nil when it names none.
  public var address: BluetoothAddress? { payload.subject.address }
  /// The number of the attempt that it belongs to; nil when it belongs to none, or the record does not say.
  public var attempt: Int? { payload.subject.attempt }
}
