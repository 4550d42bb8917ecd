package import Bluetooth

/// The events of a run, in the past tense. A new one is a payload that conforms to `FactPayload`, a case here
/// and its two rows below; the compiler then names every `switch` that must handle it.
///
/// Its payload is on the heap: the largest one would be copied with each event of a record.
package indirect enum Fact: Hashable, Sendable {
  case runStarted(RunStarted)
  case adapterAwaited(AdapterAwaited)
  case hostUnavailable(HostUnavailable)
  case adapterSelected(AdapterSelected)
  case adapterFaulted(AdapterFault)
  case linksHeld(LinksHeld)
  case linkReleased(LinkReleased)
  case foreignScanDetected(ForeignScanDetected)
  case scanStarted(ScanPeriod)
  case scanStopped(ScanPeriod)
  case deviceSighted(DeviceSighted)
  case bindingCommitted(BindingCommitted)
  case bindingReleased(BindingReleased)
  case roomRetired(RoomRetired)
  case roomAccepted(RoomAccepted)
  case roomVerified(RoomVerified)
  case hostPaused(HostPause)
  case eventsOmitted(EventsOmitted)
  case operatorAwaited(OperatorAwaited)
  case operatorRequested(OperatorRequested)
  case attemptStarted(AttemptStarted)
  case bondIntended(BondIntended)
  case stageStarted(StageStarted)
  case stageEnded(StageEnded)
  case statusReceived(StatusReceived)
  case settingsRead(SettingsRead)
  case wifiChecked(WiFiChecked)
  case deviceDescribed(DeviceDescribed)
  case elapsedSent(ElapsedSent)
  case settingWritten(SettingWritten)
  case saveSubmitted(SaveSubmitted)
  case linkEnded(LinkEnded)
  case bondRemoved(BondRemoved)
  case proofReceived(ProofReceived)
  case attemptEnded(AttemptEnded)
  case retryScheduled(RetryScheduled)
  case canariesJudged(CanariesJudged)
  case deviceUnclaimed(DeviceUnclaimed)
  case roomFinished(RoomFinished)
  case runInterrupted(RunInterrupted)
  case runFinished(RunFinished)
}

extension Fact {
  /// Every kind of fact: its frozen name in records, its payload, and its meaning.
  private static let rows: [Row] = [
    Row("run_started", Fact.runStarted, "The run began."),
    Row("adapter_awaited", Fact.adapterAwaited, "No adapter could be used; the run waits for one."),
    Row(
      "host_unavailable", Fact.hostUnavailable,
      "The adapters of another host cannot be used; the run goes on with those of the others."),
    Row("adapter_selected", Fact.adapterSelected, "An adapter was taken into use."),
    Row(
      "adapter_faulted", Fact.adapterFaulted,
      "An adapter receives nothing or makes no link, or the stack refuses to scan with it."),
    Row(
      "links_held", Fact.linksHeld, "A controller held more links than was known, or refused a further one."),
    Row("link_released", Fact.linkReleased, "A link that an earlier run left was ended."),
    Row("foreign_scan_detected", Fact.foreignScanDetected, "Another program scanned with an adapter in use."),
    Row("scan_started", Fact.scanStarted, "An adapter started to scan."),
    Row("scan_stopped", Fact.scanStopped, "An adapter stopped scanning."),
    Row(
      "device_sighted", Fact.deviceSighted,
      "A device was received for the first time, or with another state than before."),
    Row(
      "binding_committed", Fact.bindingCommitted,
      "Intent: a device was bound to a room; on record before the first byte is written."),
    Row("binding_released", Fact.bindingReleased, "A device is no longer bound to a room."),
    Row("room_retired", Fact.roomRetired, "A room was taken out of service."),
    Row("room_accepted", Fact.roomAccepted, "A room was accepted as it is."),
    Row(
      "room_verified", Fact.roomVerified,
      "What was received from a room's device when the building was verified."),
    Row("host_paused", Fact.hostPaused, "The host paused or was too busy, or its clock was set."),
    Row(
      "events_omitted", Fact.eventsOmitted,
      "Observations came faster than the record may grow, and were left out. After a kill, up to 10 s of such events are uncounted."
    ),
    Row(
      "operator_awaited", Fact.operatorAwaited,
      "A room waits for an operator action; the run continues meanwhile."),
    Row(
      "operator_requested", Fact.operatorRequested,
      "The operator asked the run to pause, continue or stop."),
    Row("attempt_started", Fact.attemptStarted, "An attempt began."),
    Row(
      "bond_intended", Fact.bondIntended,
      "Intent: a bond with a device is about to be made; on record before this computer or gateway may have it. Again, with `kept`, once it is made if its family keeps it."
    ),
    Row("stage_started", Fact.stageStarted, "A stage of an attempt began."),
    Row("stage_ended", Fact.stageEnded, "A stage of an attempt ended."),
    Row("status_received", Fact.statusReceived, "The device sent a status."),
    Row("settings_read", Fact.settingsRead, "The device's settings were read."),
    Row("wifi_checked", Fact.wifiChecked, "The device reported whether it receives its WiFi network."),
    Row(
      "device_described", Fact.deviceDescribed,
      "The device reported what it is, or where it can be reached."),
    Row("elapsed_sent", Fact.elapsedSent, "The device got the time since an action."),
    Row("setting_written", Fact.settingWritten, "The device confirmed a setting."),
    Row(
      "save_submitted", Fact.saveSubmitted,
      "Intent: the device is about to be asked to save what was written."),
    Row("link_ended", Fact.linkEnded, "The link ended."),
    Row("bond_removed", Fact.bondRemoved, "A bond that a run may have made is not there any more."),
    Row("proof_received", Fact.proofReceived, "The proof was received on air."),
    Row("attempt_ended", Fact.attemptEnded, "An attempt ended."),
    Row("retry_scheduled", Fact.retryScheduled, "Another attempt will follow."),
    Row(
      "canaries_judged", Fact.canariesJudged,
      "The first rooms of each network were done, and a person decided whether the run continues with the others."
    ),
    Row(
      "device_unclaimed", Fact.deviceUnclaimed,
      "A device that could be provisioned was received, and it belongs to no room."),
    Row("room_finished", Fact.roomFinished, "A room got its outcome."),
    Row("run_interrupted", Fact.runInterrupted, "The run was asked to stop."),
    Row("run_finished", Fact.runFinished, "The run ended."),
  ]

  /// Reads the payload as what it is: as `any FactPayload` it would be an allocation for each event.
  private func read<Reader: PayloadReader>(_ reader: Reader) -> Reader.Result {
    switch self {
    case .runStarted(let data): reader.read("run_started", data)
    case .adapterAwaited(let data): reader.read("adapter_awaited", data)
    case .hostUnavailable(let data): reader.read("host_unavailable", data)
    case .adapterSelected(let data): reader.read("adapter_selected", data)
    case .adapterFaulted(let data): reader.read("adapter_faulted", data)
    case .linksHeld(let data): reader.read("links_held", data)
    case .linkReleased(let data): reader.read("link_released", data)
    case .foreignScanDetected(let data): reader.read("foreign_scan_detected", data)
    case .scanStarted(let data): reader.read("scan_started", data)
    case .scanStopped(let data): reader.read("scan_stopped", data)
    case .deviceSighted(let data): reader.read("device_sighted", data)
    case .bindingCommitted(let data): reader.read("binding_committed", data)
    case .bindingReleased(let data): reader.read("binding_released", data)
    case .roomRetired(let data): reader.read("room_retired", data)
    case .roomAccepted(let data): reader.read("room_accepted", data)
    case .roomVerified(let data): reader.read("room_verified", data)
    case .hostPaused(let data): reader.read("host_paused", data)
    case .eventsOmitted(let data): reader.read("events_omitted", data)
    case .operatorAwaited(let data): reader.read("operator_awaited", data)
    case .operatorRequested(let data): reader.read("operator_requested", data)
    case .attemptStarted(let data): reader.read("attempt_started", data)
    case .bondIntended(let data): reader.read("bond_intended", data)
    case .stageStarted(let data): reader.read("stage_started", data)
    case .stageEnded(let data): reader.read("stage_ended", data)
    case .statusReceived(let data): reader.read("status_received", data)
    case .settingsRead(let data): reader.read("settings_read", data)
    case .wifiChecked(let data): reader.read("wifi_checked", data)
    case .deviceDescribed(let data): reader.read("device_described", data)
    case .elapsedSent(let data): reader.read("elapsed_sent", data)
    case .settingWritten(let data): reader.read("setting_written", data)
    case .saveSubmitted(let data): reader.read("save_submitted", data)
    case .linkEnded(let data): reader.read("link_ended", data)
    case .bondRemoved(let data): reader.read("bond_removed", data)
    case .proofReceived(let data): reader.read("proof_received", data)
    case .attemptEnded(let data): reader.read("attempt_ended", data)
    case .retryScheduled(let data): reader.read("retry_scheduled", data)
    case .canariesJudged(let data): reader.read("canaries_judged", data)
    case .deviceUnclaimed(let data): reader.read("device_unclaimed", data)
    case .roomFinished(let data): reader.read("room_finished", data)
    case .runInterrupted(let data): reader.read("run_interrupted", data)
    case .runFinished(let data): reader.read("run_finished", data)
    }
  }

  private static let rowsByName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })

  private struct Row: Sendable {
    let name: String
    let meaning: String
    let decode: @Sendable (any PayloadSource) throws -> Fact

    init<Payload: FactPayload>(
      _ name: String, _ fact: @escaping @Sendable (Payload) -> Fact, _ meaning: String
    ) {
      (self.name, self.meaning) = (name, meaning)
      decode = { fact(try $0.payload(Payload.self)) }
    }
  }

  /// The fact of this kind with the payload that `source` has.
  package init(kind: Kind, from source: some PayloadSource) throws {
    guard let row = Self.rowsByName[kind.rawValue] else { preconditionFailure("the kind has no row") }
    self = try row.decode(source)
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

    package var meaning: String { rowsByName[rawValue]?.meaning ?? "" }

    /// All kinds, in the order of the rows.
    package static let allCases = rows.map { Kind(known: $0.name) }
  }

  package var kind: Kind { Kind(known: read(NameReader())) }
  package var payload: any FactPayload { read(AnyReader()) }
  /// When the fact must be on disk.
  package var durability: Durability { read(DurabilityReader()) }
  /// The room; nil for a fact about the run.
  package var room: RoomID? { read(SubjectReader()).room }
  /// The device; nil for a fact without one.
  package var address: BluetoothAddress? { read(SubjectReader()).address }
  /// The number of the attempt; nil outside an attempt, or in a record that does not have it.
  package var attempt: Int? { read(SubjectReader()).attempt }
}

/// Has the payload of a fact, of the type that its kind has.
package protocol PayloadSource {
  func payload<Payload: FactPayload>(_ type: Payload.Type) throws -> Payload
}

private protocol PayloadReader {
  associatedtype Result
  func read(_ name: String, _ payload: some FactPayload) -> Result
}

private struct NameReader: PayloadReader {
  func read(_ name: String, _ payload: some FactPayload) -> String { name }
}

private struct AnyReader: PayloadReader {
  func read(_ name: String, _ payload: some FactPayload) -> any FactPayload { payload }
}

private struct DurabilityReader: PayloadReader {
  func read<Payload: FactPayload>(_ name: String, _ payload: Payload) -> Durability { Payload.durability }
}

private struct SubjectReader: PayloadReader {
  func read(_ name: String, _ payload: some FactPayload) -> FactSubject { payload.subject }
}
