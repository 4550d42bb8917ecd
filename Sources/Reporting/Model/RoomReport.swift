public import Bluetooth
import FoundationEssentials
public import Model

/// All that a report says about one room, folded from the events so far. Encoded without its attempts.
public struct RoomReport: Hashable, Sendable, Codable {
  /// What the run set out to do here.
  public let planned: PlannedRoom
  /// Its device: bound in this run, or named by the manifest.
  public private(set) var address: BluetoothAddress?
  /// The adapter last used for it.
  public private(set) var adapter: AdapterID?
  /// How many attempts were begun.
  public private(set) var attempts = 0
  /// Those that are on record, in the order in which they began.
  public private(set) var attemptReports: [AttemptReport] = []
  /// RSSI last heard from its device, in dBm.
  public private(set) var rssi: Int?
  /// What its outcome rests on; may be on record before the outcome is.
  public private(set) var evidence: Evidence?
  /// How far each setting got, in the profile's order.
  public private(set) var settings: [SettingResult]
  /// The stage under way, or the last one.
  public private(set) var stage: Stage?
  /// The setting under way, in `write`.
  public private(set) var setting: SettingName?

  /// The outcome on record, or nil while there is none.
  private var recorded: RoomFinished?
  /// When the evidence of this run was recorded.
  private(set) var evidenceRecorded: Date?
  private var firstAttempt: Duration?
  private var lastNews: Duration?
  /// Why the room waits for somebody, while it does.
  public private(set) var awaitedAction: FailureReason?
  /// Whether the device may have kept what a save of this run submitted.
  private var mayHaveKept = false

  private enum CodingKeys: CodingKey {
    case planned, address, adapter, attempts, rssi, evidence, settings, stage, setting
    case recorded, evidenceRecorded, firstAttempt, lastNews, awaitedAction, mayHaveKept
  }

  /// The same without its attempts one by one.
  var inShort: RoomReport {
    var short = self
    short.attemptReports = []
    return short
  }

  init(_ planned: PlannedRoom) {
    self.planned = planned
    address = planned.address
    settings = planned.settings
  }

  /// How it ended, in words: of a registered room with what there was to do, since nothing was written.
  var outcomeWords: String {
    if isDoneOnRecordOnly { return "done on record, not heard now" }
    return isRegistered && outcome == .alreadyProvisioned ? "registered, on air" : outcome.words
  }

  /// Its stable identity.
  public var id: RoomID { planned.room }

  /// Whether the run was not to work on it.
  public var isExcluded: Bool { planned.exclusion != nil }

  /// Whether its device was configured elsewhere, and only looked for.
  public var isRegistered: Bool { planned.registered == true }

  /// Whether its outcome is on record.
  public var isFinished: Bool { recorded != nil }

  /// How it ended. Where the record has no outcome for it (the run goes on, or was killed), the careful
  /// reading of what is there: `unconfirmed` once a save was submitted that the device may have kept, even
  /// if its proof is on record too, for only the run itself decides what proves a room; `cancelled` when it
  /// was tried; `pending` when it was not.
  public var outcome: Outcome {
    if let recorded { return recorded.outcome }
    if isExcluded { return .skipped }
    if mayHaveKept { return .unconfirmed }
    if awaitedAction != nil { return .needsHands }
    return attempts > 0 ? .cancelled : .pending
  }

  /// Why not a success; nil for a success, and for a room whose turn never came.
  public var reason: FailureReason? {
    if let recorded { return recorded.reason }
    if let awaitedAction, !mayHaveKept { return awaitedAction }
    guard attempts > 0 else { return nil }
    return .interrupted(stage.map { Interruption(FailedStep($0, setting: setting)) } ?? .idle)
  }

  /// Seconds from its first attempt to its outcome (to the last news of it, where there is none).
  public var seconds: Double {
    if let recorded { return recorded.seconds }
    guard let firstAttempt, let lastNews else { return 0 }
    return (lastNews - firstAttempt).inSeconds
  }

  /// The minor it is to carry, for families that have one.
  public var minor: UInt16? {
    planned.settings.first { $0.name == .minor }?.value.flatMap { UInt16($0) }
  }

  /// Where its log lies, relative to the run's directory.
  public var log: String { "devices/\(id).log" }

  mutating func heard(_ rssi: Int?) {
    if let rssi { self.rssi = rssi }
  }

  /// Takes in a fact about this room.
  mutating func apply(_ fact: Fact, at elapsed: Duration, on time: Date) {
    lastNews = elapsed
    switch fact {
    case .bindingCommitted(let fact):
      address = fact.address
    case .actionRequired(let fact):
      awaitedAction = fact.reason
    case .attemptStarted(let fact):
      awaitedAction = nil
      firstAttempt = firstAttempt ?? elapsed
      attempts = fact.number
      address = fact.address
      adapter = fact.adapter
      stage = nil
      setting = nil
      heard(fact.rssi)
      attemptReports.append(AttemptReport(fact, at: elapsed))
    case .stageStarted(let fact):
      stage = fact.stage
      setting = fact.setting
      attemptReports.change(fact.attempt) { $0.apply(fact, at: elapsed) }
    case .stageEnded(let fact):
      attemptReports.change(fact.attempt) { $0.apply(fact) }
    case .settingWritten(let fact):
      for index in settings.indices where settings[index].name == fact.setting {
        settings[index].state = .written
      }
    case .saveSubmitted(let fact):
      address = fact.address
      mayHaveKept = true
    case .proofHeard(let fact):
      evidence = fact.evidence
      evidenceRecorded = time
      heard(fact.evidence.rssi)
    case .attemptEnded(let fact):
      attemptReports.change(fact.number) { $0.end(fact) }
      // Only these two are the device's own word that nothing was kept.
      if let code = fact.failure?.code, code == .refused || code == .saveNotKept { mayHaveKept = false }
    case .roomFinished(let fact):
      finish(fact)
      if evidenceRecorded == nil { evidenceRecorded = time }
    case .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .statusReceived, .settingsRead,
      .wifiChecked, .elapsedSent, .linkEnded,
      .retryScheduled:
      break
    case .runStarted, .adapterAwaited, .adapterSelected, .adapterFaulted, .foreignScanDetected, .linkReleased,
      .listeningStarted,
      .listeningStopped,
      .deviceSighted, .hostPaused, .operatorRequested, .canariesJudged, .deviceUnclaimed, .runInterrupted,
      .runFinished:
      break
    }
  }

  private mutating func finish(_ fact: RoomFinished) {
    recorded = fact
    awaitedAction = nil
    address = fact.address ?? address
    adapter = fact.adapter ?? adapter
    attempts = fact.attempts
    evidence = fact.evidence
    settings = fact.settings
    heard(fact.rssi)
  }
}
