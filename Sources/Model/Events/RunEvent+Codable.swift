public import FoundationEssentials

/// The encoded form: `{"v":1,"seq":7,"at":"2026-11-21T09:00:00.123Z","elapsed_us":4711,"kind":"…","data":{…}}`.
extension RunEvent: Codable {
  private enum Key: String, CodingKey {
    case version = "v"
    case sequence = "seq"
    case at
    case elapsed = "elapsed_us"
    case kind
    case data
  }

  private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// A wall-clock time as the record has it: UTC, to the nearest millisecond, `2026-11-21T09:00:00.123Z`.
  public static func timestamp(_ time: Date) -> String {
    // The style cuts off what lies below a millisecond, so 0.123 s, which no Double is, would become .122.
    timeStyle.format(time.addingTimeInterval(0.000_5))
  }

  /// Reads the encoded form.
  /// - Throws: `DecodingError`; a newer version or an unknown kind is `dataCorrupted`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "event version \(version) is not known here")
    }
    let text = try container.decode(String.self, forKey: .at)
    guard let at = try? Self.timeStyle.parse(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .at, in: container, debugDescription: "not a time: \(text)")
    }
    self.init(
      sequence: try container.decode(Int.self, forKey: .sequence),
      at: at,
      elapsed: .microseconds(try container.decode(Int64.self, forKey: .elapsed)),
      fact: try Fact(kind: container.decode(Fact.Kind.self, forKey: .kind)) { type in
        try container.decode(type, forKey: .data)
      })
  }

  /// Writes the encoded form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(sequence, forKey: .sequence)
    try container.encode(Self.timestamp(at), forKey: .at)
    try container.encode(elapsed.inMicroseconds, forKey: .elapsed)
    try container.encode(fact.kind, forKey: .kind)
    try container.encode(fact.payload, forKey: .data)
  }
}

extension Fact {
  /// The machine names of facts, frozen.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// `Fact.runStarted`.
    case runStarted = "run_started"
    /// `Fact.adapterAwaited`.
    case adapterAwaited = "adapter_awaited"
    /// `Fact.adapterSelected`.
    case adapterSelected = "adapter_selected"
    /// `Fact.adapterFaulted`.
    case adapterFaulted = "adapter_faulted"
    /// `Fact.linkReleased`.
    case linkReleased = "link_released"
    /// `Fact.foreignScanDetected`.
    case foreignScanDetected = "foreign_scan_detected"
    /// `Fact.listeningStarted`.
    case listeningStarted = "listening_started"
    /// `Fact.listeningStopped`.
    case listeningStopped = "listening_stopped"
    /// `Fact.deviceSighted`.
    case deviceSighted = "device_sighted"
    /// `Fact.bindingCommitted`.
    case bindingCommitted = "binding_committed"
    /// `Fact.bindingReleased`.
    case bindingReleased = "binding_released"
    /// `Fact.roomRetired`.
    case roomRetired = "room_retired"
    /// `Fact.roomAccepted`.
    case roomAccepted = "room_accepted"
    /// `Fact.hostPaused`.
    case hostPaused = "host_paused"
    /// `Fact.attemptStarted`.
    case attemptStarted = "attempt_started"
    /// `Fact.stageStarted`.
    case stageStarted = "stage_started"
    /// `Fact.stageEnded`.
    case stageEnded = "stage_ended"
    /// `Fact.statusReceived`.
    case statusReceived = "status_received"
    /// `Fact.settingsRead`.
    case settingsRead = "settings_read"
    /// `Fact.elapsedSent`.
    case elapsedSent = "elapsed_sent"
    /// `Fact.settingWritten`.
    case settingWritten = "setting_written"
    /// `Fact.saveSubmitted`.
    case saveSubmitted = "save_submitted"
    /// `Fact.linkEnded`.
    case linkEnded = "link_ended"
    /// `Fact.proofHeard`.
    case proofHeard = "proof_heard"
    /// `Fact.attemptEnded`.
    case attemptEnded = "attempt_ended"
    /// `Fact.retryScheduled`.
    case retryScheduled = "retry_scheduled"
    /// `Fact.canariesJudged`.
    case canariesJudged = "canaries_judged"
    /// `Fact.deviceUnclaimed`.
    case deviceUnclaimed = "device_unclaimed"
    /// `Fact.roomFinished`.
    case roomFinished = "room_finished"
    /// `Fact.runInterrupted`.
    case runInterrupted = "run_interrupted"
    /// `Fact.runFinished`.
    case runFinished = "run_finished"
  }

  /// Its machine name.
  public var kind: Kind {
    switch self {
    case .runStarted: .runStarted
    case .adapterAwaited: .adapterAwaited
    case .adapterSelected: .adapterSelected
    case .adapterFaulted: .adapterFaulted
    case .linkReleased: .linkReleased
    case .foreignScanDetected: .foreignScanDetected
    case .listeningStarted: .listeningStarted
    case .listeningStopped: .listeningStopped
    case .deviceSighted: .deviceSighted
    case .bindingCommitted: .bindingCommitted
    case .bindingReleased: .bindingReleased
    case .roomRetired: .roomRetired
    case .roomAccepted: .roomAccepted
    case .hostPaused: .hostPaused
    case .attemptStarted: .attemptStarted
    case .stageStarted: .stageStarted
    case .stageEnded: .stageEnded
    case .statusReceived: .statusReceived
    case .settingsRead: .settingsRead
    case .elapsedSent: .elapsedSent
    case .settingWritten: .settingWritten
    case .saveSubmitted: .saveSubmitted
    case .linkEnded: .linkEnded
    case .proofHeard: .proofHeard
    case .attemptEnded: .attemptEnded
    case .retryScheduled: .retryScheduled
    case .canariesJudged: .canariesJudged
    case .deviceUnclaimed: .deviceUnclaimed
    case .roomFinished: .roomFinished
    case .runInterrupted: .runInterrupted
    case .runFinished: .runFinished
    }
  }

  fileprivate var payload: any Encodable {
    switch self {
    case .runStarted(let data): data
    case .adapterAwaited(let data): data
    case .adapterSelected(let data): data
    case .adapterFaulted(let data): data
    case .linkReleased(let data): data
    case .foreignScanDetected(let data): data
    case .listeningStarted(let data): data
    case .listeningStopped(let data): data
    case .deviceSighted(let data): data
    case .bindingCommitted(let data): data
    case .bindingReleased(let data): data
    case .roomRetired(let data): data
    case .roomAccepted(let data): data
    case .hostPaused(let data): data
    case .attemptStarted(let data): data
    case .stageStarted(let data): data
    case .stageEnded(let data): data
    case .statusReceived(let data): data
    case .settingsRead(let data): data
    case .elapsedSent(let data): data
    case .settingWritten(let data): data
    case .saveSubmitted(let data): data
    case .linkEnded(let data): data
    case .proofHeard(let data): data
    case .attemptEnded(let data): data
    case .retryScheduled(let data): data
    case .canariesJudged(let data): data
    case .deviceUnclaimed(let data): data
    case .roomFinished(let data): data
    case .runInterrupted(let data): data
    case .runFinished(let data): data
    }
  }

  fileprivate init(kind: Kind, decode: (any Decodable.Type) throws -> any Decodable) throws {
    func data<Payload: Decodable>(_ type: Payload.Type = Payload.self) throws -> Payload {
      guard let payload = try decode(type) as? Payload else { preconditionFailure("decoded another type") }
      return payload
    }
    switch kind {
    case .runStarted: self = .runStarted(try data())
    case .adapterAwaited: self = .adapterAwaited(try data())
    case .adapterSelected: self = .adapterSelected(try data())
    case .adapterFaulted: self = .adapterFaulted(try data())
    case .linkReleased: self = .linkReleased(try data())
    case .foreignScanDetected: self = .foreignScanDetected(try data())
    case .listeningStarted: self = .listeningStarted(try data())
    case .listeningStopped: self = .listeningStopped(try data())
    case .deviceSighted: self = .deviceSighted(try data())
    case .bindingCommitted: self = .bindingCommitted(try data())
    case .bindingReleased: self = .bindingReleased(try data())
    case .roomRetired: self = .roomRetired(try data())
    case .roomAccepted: self = .roomAccepted(try data())
    case .hostPaused: self = .hostPaused(try data())
    case .attemptStarted: self = .attemptStarted(try data())
    case .stageStarted: self = .stageStarted(try data())
    case .stageEnded: self = .stageEnded(try data())
    case .statusReceived: self = .statusReceived(try data())
    case .settingsRead: self = .settingsRead(try data())
    case .elapsedSent: self = .elapsedSent(try data())
    case .settingWritten: self = .settingWritten(try data())
    case .saveSubmitted: self = .saveSubmitted(try data())
    case .linkEnded: self = .linkEnded(try data())
    case .proofHeard: self = .proofHeard(try data())
    case .attemptEnded: self = .attemptEnded(try data())
    case .retryScheduled: self = .retryScheduled(try data())
    case .canariesJudged: self = .canariesJudged(try data())
    case .deviceUnclaimed: self = .deviceUnclaimed(try data())
    case .roomFinished: self = .roomFinished(try data())
    case .runInterrupted: self = .runInterrupted(try data())
    case .runFinished: self = .runFinished(try data())
    }
  }
}
